"""Everything that may change a running world, as small dataclasses.

Python calls, schedules and, later, console lines, world-file events and buttons on a page all
become these; `Simulation.do` is the only place that carries them out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grouser.drives import Setpoint
from grouser.frames import Pose
from grouser.world.file import RobotEntry
from grouser.world.objects import Object


@dataclass(frozen=True)
class Command:
    """Tell a robot's drives what to do."""

    robot: str
    command: Mapping[str, float | Setpoint]


@dataclass(frozen=True)
class Join:
    """Let a robot or an object join the world."""

    who: RobotEntry | Object


@dataclass(frozen=True)
class Leave:
    """Take a robot or an object out of the world."""

    name: str


@dataclass(frozen=True)
class Place:
    """Put a robot's root or an object somewhere, at rest."""

    name: str
    X_WB: Pose


@dataclass(frozen=True)
class Reset:
    """Start over."""


Action = Command | Join | Leave | Place | Reset
