"""Time passes: scene, stepping, sensing, gaits and schedule; no wall clock, thread or socket."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.simulation.changes.actions import (
        Command,
        Delayed,
        Equip,
        FireEvent,
        Glide,
        Join,
        Leave,
        Move,
        Pause,
        Reset,
        Restart,
        Retune,
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
    from grouser.simulation.ground import Ground, GroundPoints
    from grouser.simulation.live_scene import LiveScene
    from grouser.simulation.run_log import RunLog
    from grouser.simulation.scene import Scene
    from grouser.simulation.script.events import LogEntry
    from grouser.simulation.simulation import Simulation

_PLACES = {
    "Command": "grouser.simulation.changes.actions",
    "Delayed": "grouser.simulation.changes.actions",
    "Equip": "grouser.simulation.changes.actions",
    "Retune": "grouser.simulation.changes.actions",
    "FireEvent": "grouser.simulation.changes.actions",
    "Glide": "grouser.simulation.changes.actions",
    "Ground": "grouser.simulation.ground",
    "GroundPoints": "grouser.simulation.ground",
    "Join": "grouser.simulation.changes.actions",
    "Leave": "grouser.simulation.changes.actions",
    "LiveScene": "grouser.simulation.live_scene",
    "LogEntry": "grouser.simulation.script.events",
    "Move": "grouser.simulation.changes.actions",
    "Pause": "grouser.simulation.changes.actions",
    "Reset": "grouser.simulation.changes.actions",
    "Restart": "grouser.simulation.changes.actions",
    "RunLog": "grouser.simulation.run_log",
    "Say": "grouser.simulation.changes.actions",
    "Scene": "grouser.simulation.scene",
    "SetDaylight": "grouser.simulation.changes.actions",
    "SetDoor": "grouser.simulation.changes.actions",
    "SetFriction": "grouser.simulation.changes.actions",
    "SetGravity": "grouser.simulation.changes.actions",
    "SetPose": "grouser.simulation.changes.actions",
    "Shift": "grouser.simulation.changes.actions",
    "Simulation": "grouser.simulation.simulation",
    "Spin": "grouser.simulation.changes.actions",
    "StopMotion": "grouser.simulation.changes.actions",
    "SwitchLamp": "grouser.simulation.changes.actions",
    "SwitchMotors": "grouser.simulation.changes.actions",
}

__all__ = [
    "Command",
    "Delayed",
    "Equip",
    "FireEvent",
    "Glide",
    "Ground",
    "GroundPoints",
    "Join",
    "Leave",
    "LiveScene",
    "LogEntry",
    "Move",
    "Pause",
    "Reset",
    "Restart",
    "Retune",
    "RunLog",
    "Say",
    "Scene",
    "SetDaylight",
    "SetDoor",
    "SetFriction",
    "SetGravity",
    "SetPose",
    "Shift",
    "Simulation",
    "Spin",
    "StopMotion",
    "SwitchLamp",
    "SwitchMotors",
]

__getattr__ = lazily(__name__, _PLACES)
