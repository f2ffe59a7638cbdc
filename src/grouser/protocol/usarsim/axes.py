"""Our axes and the wire's.

Inside Grouser x points forward, y left and z up, and pitch is positive nose down. On the wire y
points right, and z down (USARSim 3 and later) or up (the left-handed version of Zaratti et al.
2006). Angles are the same in both: roll right side down, pitch nose up, yaw clockwise seen from
above, as Unreal has them. Every conversion is its own inverse.
"""

from __future__ import annotations

from enum import StrEnum

from grouser.protocol.usarsim.values import Vector

UNREAL_PER_METRE = 250.0
"""Unreal units in a metre, in maps of USARSim 2 and later."""
UNREAL_PER_RADIAN = 10430.3783505
"""Unreal units in a radian: 65536 to a turn."""

FLIPPER_UP: dict[str, int] = {"FRFlipper": -1, "FLFlipper": -1, "RRFlipper": 1, "RLFlipper": 1}
"""Flipper on the wire → sign of its angle when it is raised; with us, up is positive for all.

Both are turns about the wire's y axis, as the UvA Kenaf client sends them.
"""


class Axes(StrEnum):
    """Where z points on the wire."""

    Z_DOWN = "z-down"
    Z_UP = "z-up"

    def place(self, xyz: Vector) -> Vector:
        """Turn a position, a velocity or an acceleration from our axes into the wire's, or back."""
        x, y, z = xyz
        return (x, -y, -z) if self is Axes.Z_DOWN else (x, -y, z)

    def angles(self, rpy: Vector) -> Vector:
        """Turn roll, pitch, yaw or their rates from our axes into the wire's, or back."""
        roll, pitch, yaw = rpy
        return roll, -pitch, -yaw


def to_unreal(metres: float) -> float:
    """Return a length in Unreal units."""
    return metres * UNREAL_PER_METRE


def from_unreal(unreal: float) -> float:
    """Return a length in Unreal units in m."""
    return unreal / UNREAL_PER_METRE


def to_unreal_angle(radians: float) -> int:
    """Return an angle in Unreal units, without its fraction: the old servers knew no finer."""
    return int(radians * UNREAL_PER_RADIAN)


def from_unreal_angle(unreal: float) -> float:
    """Return an angle in Unreal units in rad."""
    return unreal / UNREAL_PER_RADIAN
