"""Command state of a client's robot, kept between commands."""

from __future__ import annotations

from dataclasses import dataclass, field

from grouser.physics.drives import Setpoint


@dataclass
class DriveState:
    """Command state of a client's robot, kept between commands."""

    normalized: bool = False
    """Speeds are percentages until a command changes it (UDK)."""
    light: bool = False
    """Head lights are on."""
    left: float = 0.0
    """Last angular speed of the left side, rad/s."""
    right: float = 0.0
    kicks: int = 0
    """Number of kicks commanded."""
    setpoints: dict[str, Setpoint] = field(default_factory=dict)
    """Drive → last set point commanded by joint name."""

    def stop(self) -> None:
        """Clear all motion commands."""
        self.left = self.right = 0.0
        self.setpoints.clear()
