"""Body parts of a victim dummy: spheres and capsules, lying or sitting.

The frame is on the ground under the hips. A lying dummy's head points along x; a sitting one faces
along x. Sizes are those of a grown person of 1.7 m (estimates).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import mujoco

from grouser.frames import Triple
from grouser.world.field_types import Rgb

Posture = Literal["lying", "sitting"]

SKIN: Rgb = (0.85, 0.65, 0.52)
CLOTHES: Rgb = (0.30, 0.33, 0.42)
_BARE = ("head", "hand")


@dataclass(frozen=True)
class VictimPart:
    """Body part of a victim dummy: a capsule between two points, or a sphere if they are equal.

    The frame is on the ground under the hips. A lying dummy's head points along x; a sitting one
    faces along x. Sizes are those of a grown person of 1.7 m (estimates).
    """

    kind: str
    """One of `grouser.physics.labels.PARTS`."""
    radius: float
    """m."""
    begin: Triple
    """In the victim's frame, m."""
    end: Triple
    share: float
    """Share of the whole mass."""

    @property
    def rgb(self) -> Rgb:
        """Colour of skin or clothes."""
        return SKIN if self.kind in _BARE else CLOTHES

    def shape(self) -> dict[str, Any]:
        """Return type, size and position as MuJoCo's geoms take them."""
        if self.begin == self.end:
            size, pos = [self.radius, 0, 0], list(self.begin)
            return {"type": mujoco.mjtGeom.mjGEOM_SPHERE, "size": size, "pos": pos}
        fromto = [*self.begin, *self.end]
        return {
            "type": mujoco.mjtGeom.mjGEOM_CAPSULE,
            "size": [self.radius, 0, 0],
            "fromto": fromto,
        }


def victim_parts(posture: Posture) -> dict[str, VictimPart]:
    """Return the parts of a dummy by name."""
    torso, limbs = _BODIES[posture]
    sides = {
        f"{side}_{part.kind}": VictimPart(
            part.kind, part.radius, _across(part.begin, s), _across(part.end, s), part.share
        )
        for side, s in (("left", 1), ("right", -1))
        for part in limbs
    }
    return {part.kind: part for part in torso} | sides


def _across(place: Triple, side: int) -> Triple:
    x, y, z = place
    return (x, side * y, z)


_LYING = (
    (
        VictimPart("head", 0.10, (0.72, 0.0, 0.10), (0.72, 0.0, 0.10), 0.07),
        VictimPart("chest", 0.13, (0.22, 0.0, 0.13), (0.48, 0.0, 0.13), 0.37),
        VictimPart("pelvis", 0.11, (0.0, -0.06, 0.11), (0.0, 0.06, 0.11), 0.14),
    ),
    (  # left side; the right side is mirrored
        VictimPart("arm", 0.045, (0.48, 0.21, 0.06), (0.06, 0.31, 0.05), 0.045),
        VictimPart("hand", 0.05, (-0.05, 0.33, 0.05), (-0.05, 0.33, 0.05), 0.005),
        VictimPart("leg", 0.07, (-0.05, 0.10, 0.08), (-0.78, 0.15, 0.07), 0.145),
        VictimPart("foot", 0.04, (-0.85, 0.15, 0.05), (-0.85, 0.15, 0.20), 0.015),
    ),
)
_SITTING = (
    (
        VictimPart("head", 0.10, (0.0, 0.0, 0.82), (0.0, 0.0, 0.82), 0.07),
        VictimPart("chest", 0.13, (0.0, 0.0, 0.32), (0.0, 0.0, 0.56), 0.37),
        VictimPart("pelvis", 0.11, (0.0, -0.06, 0.11), (0.0, 0.06, 0.11), 0.14),
    ),
    (
        VictimPart("arm", 0.045, (0.02, 0.21, 0.55), (0.22, 0.26, 0.20), 0.045),
        VictimPart("hand", 0.05, (0.30, 0.27, 0.17), (0.30, 0.27, 0.17), 0.005),
        VictimPart("leg", 0.07, (0.10, 0.10, 0.08), (0.80, 0.15, 0.07), 0.145),
        VictimPart("foot", 0.04, (0.87, 0.15, 0.05), (0.87, 0.15, 0.20), 0.015),
    ),
)
_BODIES: dict[Posture, tuple[tuple[VictimPart, ...], tuple[VictimPart, ...]]] = {
    "lying": _LYING,
    "sitting": _SITTING,
}
