"""Axis and unit conversion between Grouser and the USARSim wire.

In Grouser x points forward, y left and z up; pitch is positive nose down. On the wire y points
right, and z points down (USARSim 3 and later) or up (left-handed version of Zaratti et al. 2006).
Positive angles are the same in both wire conventions, as in Unreal: roll right side down, pitch
nose up, yaw clockwise seen from above. Every axis conversion is its own inverse.
"""

from __future__ import annotations

from enum import StrEnum

from grouser.protocol.usarsim.values import Vector

UNREAL_PER_METRE = 250.0
"""Unreal units per metre, in maps of USARSim 2 and later."""
UNREAL_PER_RADIAN = 10430.3783505
"""Unreal units per radian: 65536 per turn."""

FLIPPER_UP: dict[str, int] = {"FRFlipper": -1, "FLFlipper": -1, "RRFlipper": 1, "RLFlipper": 1}
"""Flipper on the wire → sign of its angle when raised; in Grouser up is positive for all.

Both are rotations about the y axis of the wire, as sent by the UvA Kenaf client.
"""


class Axes(StrEnum):
    """Direction of the z axis on the wire."""

    Z_DOWN = "z-down"
    Z_UP = "z-up"

    def place(self, xyz: Vector) -> Vector:
        """Convert a position, velocity or acceleration between Grouser's and the wire's axes."""
        x, y, z = xyz
        return (x, -y, -z) if self is Axes.Z_DOWN else (x, -y, z)

    def angles(self, rpy: Vector) -> Vector:
        """Convert roll, pitch, yaw or their rates between Grouser's and the wire's axes."""
        roll, pitch, yaw = rpy
        return roll, -pitch, -yaw


def to_unreal(metres: float) -> float:
    """Return a length in Unreal units."""
    return metres * UNREAL_PER_METRE


def from_unreal(unreal: float) -> float:
    """Return a length given in Unreal units, m."""
    return unreal / UNREAL_PER_METRE


def to_unreal_angle(radians: float) -> int:
    """Return an angle in Unreal units, truncated to an integer as by the original servers."""
    return int(radians * UNREAL_PER_RADIAN)


def from_unreal_angle(unreal: float) -> float:
    """Return an angle given in Unreal units, rad."""
    return unreal / UNREAL_PER_RADIAN
