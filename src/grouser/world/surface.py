"""What ground and objects have in common: a surface that robots touch.

MuJoCo gives a contact the larger friction of the two geoms and the weighted mean of their
softness. A robot's geoms that carry friction 0 are therefore held by exactly the `friction` of
what they stand on, and their own softness still counts.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from grouser.world.field_types import Description, Rgb
from grouser.world.physics_settings import Contact

TORSION, ROLLING = 0.005, 0.0001  # m; MuJoCo's own defaults, without effect at condim 3


STANDARD_FRICTION = 0.6
"""What a surface has that says nothing: Okada et al. 2020, sec. IV, of ground and steps."""


class Surface(Description):
    """Friction and colour of something solid."""

    friction: Annotated[float, Field(ge=0, le=10)] = STANDARD_FRICTION
    """Coulomb's coefficient between this and whatever touches it, -; 0 to 10."""
    rgb: Rgb | None = None
    """Colour, three numbers 0 to 1 (None: chosen to be told apart from its surroundings)."""

    def geom(self, contact: Contact, shade: Rgb) -> dict[str, Any]:
        """Return what every geom of this surface says; ``shade`` colours it if `rgb` does not."""
        return {
            "friction": [self.friction, TORSION, ROLLING],
            "solref": contact.solref,
            "solimp": contact.solimp,
            "condim": 3,
            "rgba": [*(self.rgb or shade), 1.0],
        }
