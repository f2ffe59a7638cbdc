"""Port profile: dialect, direction of the z axis and units of one port.

All lengths and angles sent or received are converted by a `PortProfile`. A port with Unreal units
uses them for every length (250 per metre) and every angle (65536 per turn, integers), including
speeds. Times, masses, forces, percentages and the few angles that USARSim defines in degrees are
unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from grouser.protocol.usarsim.axes import (
    UNREAL_PER_METRE,
    Axes,
    from_unreal,
    from_unreal_angle,
    to_unreal,
    to_unreal_angle,
)
from grouser.protocol.usarsim.dialects import UT2004, Dialect
from grouser.protocol.usarsim.values import Vector

STATE_EVERY = {"ut2004": 0.2, "ut3": 0.1, "udk": 0.1}
"""Dialect → period of STA, simulated seconds (rates of the original servers)."""


@dataclass(frozen=True)
class PortProfile:
    """Dialect, axes and units of a port; methods named ``from_…`` convert from the wire."""

    dialect: Dialect = UT2004
    axes: Axes = Axes.Z_DOWN
    unreal: bool = False
    """True: Unreal units; False: metres and radians."""
    early: bool = False
    """True: forms of early servers: STA with Location, Orientation and Velocity, fields of view in
    radians, and a zoom answered in ``Status``."""

    def __post_init__(self) -> None:
        if self.unreal and self.dialect.unsigned:
            # The dialect would wrap to [0, 2 pi) in radians; Unreal units are not wrapped.
            object.__setattr__(self, "dialect", replace(self.dialect, unsigned=frozenset()))

    def length(self, metres: float) -> float:
        """Return a length in the unit of the wire."""
        return to_unreal(metres) if self.unreal else metres + 0.0  # avoids "-0.0" on the wire

    def lengths(self, metres: npt.ArrayLike) -> tuple[float, ...]:
        """Return lengths (n,) in the unit of the wire, element-wise as `length`."""
        given = np.asarray(metres, float)
        return tuple((given * UNREAL_PER_METRE if self.unreal else given + 0.0).tolist())

    def from_length(self, value: float) -> float:
        """Return a wire length in m."""
        return from_unreal(value) if self.unreal else value

    def angle(self, radians: float) -> float:
        """Return an angle or angular speed in the unit of the wire; the sign is kept."""
        return float(to_unreal_angle(radians)) if self.unreal else radians + 0.0

    def from_angle(self, value: float) -> float:
        """Return a wire angle or angular speed in rad; the sign is kept."""
        return from_unreal_angle(value) if self.unreal else value

    def heading(self, yaw: float) -> float:
        """Return a counter-clockwise yaw (rad) as the clockwise heading of the wire."""
        return self.angle(-yaw)

    def place(self, xyz: Vector) -> Vector:
        """Return a position, velocity or acceleration in the axes and unit of the wire."""
        x, y, z = self.axes.place(xyz)
        if self.unreal:
            return to_unreal(x), to_unreal(y), to_unreal(z)
        return x + 0.0, y + 0.0, z + 0.0

    def from_place(self, xyz: Vector) -> Vector:
        """Return a wire position in Grouser's axes, m."""
        x, y, z = xyz
        return self.axes.place((self.from_length(x), self.from_length(y), self.from_length(z)))

    def angles(self, rpy: Vector) -> Vector:
        """Return roll, pitch, yaw (rad) or their rates in the axes and unit of the wire."""
        roll, pitch, yaw = self.axes.angles(rpy)
        if self.unreal:
            return self.angle(roll), self.angle(pitch), self.angle(yaw)
        return roll + 0.0, pitch + 0.0, yaw + 0.0

    def from_angles(self, rpy: Vector) -> Vector:
        """Return roll, pitch, yaw of the wire in Grouser's axes, rad."""
        roll, pitch, yaw = rpy
        return self.axes.angles(
            (self.from_angle(roll), self.from_angle(pitch), self.from_angle(yaw))
        )
