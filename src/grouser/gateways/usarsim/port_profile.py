"""How one port sees the world: its dialect, where its z points, and its units.

Everything that is sent or received in metres and radians passes through a `PortProfile`. A port
that speaks Unreal units does so for every length (250 to a metre) and every angle (65536 to a turn,
whole numbers), spins and other speeds included; times, masses, forces and percentages are the same,
and so are the few angles that USARSim itself has in degrees.
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
"""Dialect → simulated seconds between two STA (reference: rates of the old servers)."""


@dataclass(frozen=True)
class PortProfile:
    """Dialect, axes and units of a port; the methods named ``from_…`` go from the wire to us."""

    dialect: Dialect = UT2004
    axes: Axes = Axes.Z_DOWN
    unreal: bool = False
    """True: Unreal units; False: metres and radians."""

    def __post_init__(self) -> None:
        if self.unreal and self.dialect.unsigned:
            # The dialect would turn radians into [0, 2 pi); Unreal units keep turns as they are.
            object.__setattr__(self, "dialect", replace(self.dialect, unsigned=frozenset()))

    def length(self, metres: float) -> float:
        """Return a length in the wire's unit."""
        return to_unreal(metres) if self.unreal else metres + 0.0  # no -0.0: it would be written

    def lengths(self, metres: npt.ArrayLike) -> tuple[float, ...]:
        """Return many lengths (n,) in the wire's unit, each as `length` does it."""
        given = np.asarray(metres, float)
        return tuple((given * UNREAL_PER_METRE if self.unreal else given + 0.0).tolist())

    def from_length(self, value: float) -> float:
        """Return a length of the wire in m."""
        return from_unreal(value) if self.unreal else value

    def angle(self, radians: float) -> float:
        """Return an angle, or an angular speed, in the wire's unit; its sign stays."""
        return float(to_unreal_angle(radians)) if self.unreal else radians + 0.0

    def from_angle(self, value: float) -> float:
        """Return an angle, or an angular speed, of the wire in rad; its sign stays."""
        return from_unreal_angle(value) if self.unreal else value

    def heading(self, yaw: float) -> float:
        """Return a turn to the left (rad) as the wire's turn to the right."""
        return self.angle(-yaw)

    def place(self, xyz: Vector) -> Vector:
        """Return a position, a velocity or an acceleration in the wire's axes and unit."""
        x, y, z = self.axes.place(xyz)
        if self.unreal:
            return to_unreal(x), to_unreal(y), to_unreal(z)
        return x + 0.0, y + 0.0, z + 0.0

    def from_place(self, xyz: Vector) -> Vector:
        """Return a position of the wire in our axes, m."""
        x, y, z = xyz
        return self.axes.place((self.from_length(x), self.from_length(y), self.from_length(z)))

    def angles(self, rpy: Vector) -> Vector:
        """Return roll, pitch, yaw (rad), or their rates, in the wire's axes and unit."""
        roll, pitch, yaw = self.axes.angles(rpy)
        if self.unreal:
            return self.angle(roll), self.angle(pitch), self.angle(yaw)
        return roll + 0.0, pitch + 0.0, yaw + 0.0

    def from_angles(self, rpy: Vector) -> Vector:
        """Return roll, pitch, yaw of the wire in our axes, rad."""
        roll, pitch, yaw = rpy
        return self.axes.angles(
            (self.from_angle(roll), self.from_angle(pitch), self.from_angle(yaw))
        )
