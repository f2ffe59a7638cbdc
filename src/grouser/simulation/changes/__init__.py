"""Everything that may change a running world, as small dataclasses, and who carries it out.

`grouser.simulation` lends out the actions that users write; here are those that events, clocks and
the referee make of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.simulation.changes.actions import (
        Action,
        CallRoutine,
        ClockTick,
        RefereeCall,
        RunEvent,
    )

_PLACES = {
    "Action": "grouser.simulation.changes.actions",
    "CallRoutine": "grouser.simulation.changes.actions",
    "ClockTick": "grouser.simulation.changes.actions",
    "RefereeCall": "grouser.simulation.changes.actions",
    "RunEvent": "grouser.simulation.changes.actions",
}

__all__ = [
    "Action",
    "CallRoutine",
    "ClockTick",
    "RefereeCall",
    "RunEvent",
]

__getattr__ = lazily(__name__, _PLACES)
