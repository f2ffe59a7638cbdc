"""Stepfields: square posts of different heights side by side (ASTM E2828).

The diagonal field is the one printed in ``tu-darmstadt-ros-pkg/hector_nist_arenas_gazebo``
(`DIAGONAL`; a ridge from corner to corner, whose two sides are similar but not mirror images). The
hill (a ridge across the driving direction) and the valley (the hill rotated by 90° and inverted, so
that it can be driven through along its bottom) are our own tables of the same kind, since those of
the standard are not public. Both are mirror-symmetric along and across. Nothing here is random.
"""

from __future__ import annotations

from typing import Literal

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.world.field_types import Length, Rgb
from grouser.world.physics_settings import Contact
from grouser.world.terrain.height_patches import rectangles
from grouser.world.terrain.terrain_piece import FOUNDATION, PlacedTerrain

Heights = npt.NDArray[np.int_]
"""Heights in units, (rows, columns): rows from +y to -y, columns along +x."""

SHADES: tuple[Rgb, ...] = (
    (0.60, 0.50, 0.38),
    (0.70, 0.60, 0.46),
    (0.79, 0.69, 0.54),
    (0.87, 0.79, 0.65),
)  # the higher the lighter

DIAGONAL: Heights = np.array(
    [  # hector_nist_arenas_gazebo, stepfield diagonal
        [0, 1, 0, 1, 1, 1, 2, 2, 2, 4],
        [1, 2, 1, 0, 2, 2, 1, 3, 4, 2],
        [2, 3, 3, 2, 1, 3, 2, 4, 3, 2],
        [1, 1, 2, 0, 2, 3, 4, 2, 1, 0],
        [3, 2, 2, 1, 3, 4, 3, 1, 2, 1],
        [1, 3, 3, 2, 4, 2, 1, 1, 2, 1],
        [1, 2, 3, 4, 2, 2, 3, 1, 1, 3],
        [3, 3, 4, 3, 2, 3, 1, 0, 2, 1],
        [2, 4, 3, 2, 0, 2, 1, 2, 0, 1],
        [4, 2, 2, 3, 2, 3, 2, 1, 1, 0],
    ]
)
_QUARTER: Heights = np.array(
    [  # from a corner of the hill to its middle; ours
        [0, 1, 1, 2, 4],
        [1, 0, 2, 3, 3],
        [0, 2, 1, 3, 4],
        [1, 1, 3, 2, 4],
        [1, 2, 2, 3, 3],
    ]
)
HILL: Heights = np.pad(_QUARTER, (0, 5), mode="symmetric")
VALLEY: Heights = HILL.max() - HILL.T

PATTERNS: dict[str, Heights] = {"hill": HILL, "valley": VALLEY, "diagonal": DIAGONAL}
"""The built-in fields of 10 x 10 posts."""


class Stepfield(PlacedTerrain):
    """A field of 10 x 10 posts; there is no post where the table has 0."""

    kind: Literal["stepfield"] = "stepfield"
    pattern: Literal["hill", "valley", "diagonal"] = "hill"
    """Name of a built-in table of heights, 0 to 4 units."""
    unit: Length = 0.1
    """Height of one unit, m; above 0; 0.05 makes the half-height field."""
    post: Length = 0.1
    """Edge of a post, m; above 0."""

    def add(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        """Add posts, ``{name}/post_{row}_{column}``; adjacent posts of equal height are one box."""
        table = PATTERNS[self.pattern]
        far_left = len(table) * self.post / 2
        for row, column, down, along in rectangles(table > 0, table, table):
            level = int(table[row, column])
            self._block(
                spec,
                f"{name}/post_{row}_{column}",
                x=(column * self.post, (column + along) * self.post),
                y=(far_left - (row + down) * self.post, far_left - row * self.post),
                z=(-FOUNDATION, level * self.unit),
                **self.geom(contact, SHADES[(level - 1) % len(SHADES)]),
            )
