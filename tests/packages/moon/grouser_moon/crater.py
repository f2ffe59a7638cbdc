"""Ground of the moon."""

from typing import Literal

import mujoco

from grouser.world.physics_settings import Contact
from grouser.world.terrain.terrain_piece import PlacedTerrain


class Crater(PlacedTerrain):
    """A crater with two walls of its rim."""

    kind: Literal["moon_crater"] = "moon_crater"
    depth: float = 0.1

    def add(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        """Add the walls."""
        for side, y in enumerate((-0.8, 0.8)):
            self._block(
                spec,
                f"{name}/wall_{side}",
                (0, 1),
                (y - 0.1, y + 0.1),
                (-0.5, self.depth),
                **self.geom(contact, (0.5, 0.5, 0.5)),
            )
