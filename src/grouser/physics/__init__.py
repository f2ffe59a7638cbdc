"""What MuJoCo needs to know: drives, state arrays, contact classes, labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.physics.drives import Drive, Setpoint, angle, speed, torque
    from grouser.physics.state import StateArrays

_PLACES = {
    "Drive": "grouser.physics.drives",
    "Setpoint": "grouser.physics.drives",
    "StateArrays": "grouser.physics.state",
    "angle": "grouser.physics.drives",
    "speed": "grouser.physics.drives",
    "torque": "grouser.physics.drives",
}

__all__ = [
    "Drive",
    "Setpoint",
    "StateArrays",
    "angle",
    "speed",
    "torque",
]

__getattr__ = lazily(__name__, _PLACES)
