"""Surface: friction and colour of ground and objects.

MuJoCo gives a contact the larger friction of the two geoms and the weighted mean of their
softness. Robot geoms have friction 0, so that the `friction` of the ground or object applies, while
their softness is included in the mean.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from grouser.world.field_types import Description, Rgb
from grouser.world.physics_settings import Contact

TORSION, ROLLING = 0.005, 0.0001  # m; MuJoCo's own defaults, without effect at condim 3


STANDARD_FRICTION = 0.6
"""Default friction: Okada et al. 2020, sec. IV, of ground and steps."""


class Surface(Description):
    """Friction and colour of ground or an object.

    MuJoCo gives a contact the larger friction of the two geoms and the weighted mean of their
    softness. Robot geoms have friction 0, so that this `friction` applies, while their softness is
    included in the mean.
    """

    friction: Annotated[float, Field(ge=0, le=10)] = STANDARD_FRICTION
    """Coulomb friction coefficient, -; 0 to 10."""
    rgb: Rgb | None = None
    """Colour, three numbers 0 to 1 (None: the kind's default)."""

    def geom(self, contact: Contact, shade: Rgb) -> dict[str, Any]:
        """Return the attributes of this surface's geoms; ``shade`` is the colour without `rgb`."""
        return {
            "friction": [self.friction, TORSION, ROLLING],
            "solref": contact.solref,
            "solimp": contact.solimp,
            "condim": 3,
            "rgba": [*(self.rgb or shade), 1.0],
        }
