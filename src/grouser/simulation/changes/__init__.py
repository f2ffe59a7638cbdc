"""Everything that may change a running world, as small dataclasses, and who carries it out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.simulation.changes.actions import (
        Action,
        CallRoutine,
        ClockTick,
        Command,
        Delayed,
        FireEvent,
        Glide,
        Join,
        Leave,
        Move,
        Pause,
        RefereeCall,
        Reset,
        Restart,
        RunEvent,
        Say,
        SetDaylight,
        SetDoor,
        SetFriction,
        SetGravity,
        SetPose,
        Shift,
        Spin,
        StopMotion,
        SwitchLamp,
        SwitchMotors,
    )

_PLACES = {
    "Action": "grouser.simulation.changes.actions",
    "CallRoutine": "grouser.simulation.changes.actions",
    "ClockTick": "grouser.simulation.changes.actions",
    "Command": "grouser.simulation.changes.actions",
    "Delayed": "grouser.simulation.changes.actions",
    "FireEvent": "grouser.simulation.changes.actions",
    "Glide": "grouser.simulation.changes.actions",
    "Join": "grouser.simulation.changes.actions",
    "Leave": "grouser.simulation.changes.actions",
    "Move": "grouser.simulation.changes.actions",
    "Pause": "grouser.simulation.changes.actions",
    "RefereeCall": "grouser.simulation.changes.actions",
    "Reset": "grouser.simulation.changes.actions",
    "Restart": "grouser.simulation.changes.actions",
    "RunEvent": "grouser.simulation.changes.actions",
    "Say": "grouser.simulation.changes.actions",
    "SetDaylight": "grouser.simulation.changes.actions",
    "SetDoor": "grouser.simulation.changes.actions",
    "SetFriction": "grouser.simulation.changes.actions",
    "SetGravity": "grouser.simulation.changes.actions",
    "SetPose": "grouser.simulation.changes.actions",
    "Shift": "grouser.simulation.changes.actions",
    "Spin": "grouser.simulation.changes.actions",
    "StopMotion": "grouser.simulation.changes.actions",
    "SwitchLamp": "grouser.simulation.changes.actions",
    "SwitchMotors": "grouser.simulation.changes.actions",
}

__all__ = [
    "Action",
    "CallRoutine",
    "ClockTick",
    "Command",
    "Delayed",
    "FireEvent",
    "Glide",
    "Join",
    "Leave",
    "Move",
    "Pause",
    "RefereeCall",
    "Reset",
    "Restart",
    "RunEvent",
    "Say",
    "SetDaylight",
    "SetDoor",
    "SetFriction",
    "SetGravity",
    "SetPose",
    "Shift",
    "Spin",
    "StopMotion",
    "SwitchLamp",
    "SwitchMotors",
]

__getattr__ = lazily(__name__, _PLACES)
