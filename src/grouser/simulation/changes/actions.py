"""Everything that may change a running world, as small dataclasses.

Python calls, schedules, console lines, world-file events and buttons on a page all become these;
`Simulation.do` is the only place that carries them out. Angles are in rad, places in m, in the
world's frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from grouser.frames import Pose
from grouser.physics.drives import Setpoint
from grouser.world.file import RobotEntry
from grouser.world.world_object import WorldObject

# -- who is there --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Join:
    """Let a robot or an object join the world."""

    who: RobotEntry | WorldObject


@dataclass(frozen=True)
class Leave:
    """Take a robot or an object out of the world."""

    name: str


@dataclass(frozen=True)
class Equip:
    """Let a robot carry other sensors beside its own; those it keeps notice nothing."""

    robot: str
    sensors: tuple[Mapping[str, Any], ...]
    """As a robot's ``sensors`` in a world file."""


@dataclass(frozen=True)
class SetSensorRate:
    """Let one of a robot's sensors measure at another rate, until the robot leaves."""

    robot: str
    sensor: str
    rate_hz: float
    """Readings per simulated second; above what steps allow, every step."""


@dataclass(frozen=True)
class Retune:
    """Let a robot walk by other numbers from now on; the rest of it notices nothing."""

    robot: str
    numbers: Mapping[str, Any]
    """Options of its kind that say how it walks (`gait_options`), SI or as their names say."""


@dataclass(frozen=True)
class Reset:
    """Start the whole world over."""


@dataclass(frozen=True)
class Restart:
    """Put one robot or object back where and how it started; the others go on."""

    name: str


# -- where it is ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class SetPose:
    """Put a robot's root or an object somewhere, at rest."""

    name: str
    X_WB: Pose


@dataclass(frozen=True)
class Move:
    """Move a robot or an object to a place on the ground, at once or gliding."""

    name: str
    x: float
    y: float
    """m."""
    z: float | None = None
    """m; of a robot's ground, of an object's middle; None: as high as it is."""
    yaw: float | None = None
    """Heading there, rad; None: as it is."""
    seconds: float = 0.0
    """How long it takes, s; 0: at once."""


@dataclass(frozen=True)
class Shift:
    """Move a robot or an object by so much, at once or gliding."""

    name: str
    by: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """m, along the world's axes."""
    turn: float = 0.0
    """rad about the world's z, on the spot."""
    seconds: float = 0.0
    """How long it takes, s; 0: at once."""


@dataclass(frozen=True)
class Glide:
    """Move something along a path at one speed; it pushes what it meets, nothing holds it up."""

    name: str
    through: tuple[tuple[float, float, float], ...]
    """Where its root or middle goes, m; the way begins where it is."""
    speed: float
    """m/s; above 0."""
    loop: bool = False
    """True: from the last place back to the first, again and again."""


@dataclass(frozen=True)
class Spin:
    """Turn something about the vertical where it is, at one rate, without end."""

    name: str
    rate: float
    """rad/s, positive to the left."""


@dataclass(frozen=True)
class StopMotion:
    """Stop something that glides or spins; it is an ordinary body at rest then."""

    name: str


# -- what it does --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Command:
    """Command a robot: its gait or its drives, by the words of `Robot.setpoints`."""

    robot: str
    command: Mapping[str, float | Setpoint]


@dataclass(frozen=True)
class SwitchMotors:
    """Switch a robot's drives off, so that they swing free, or on, so that they hold still."""

    robot: str
    on: bool
    drives: tuple[str, ...] = ()
    """Names of drives or groups; none: all of them."""


@dataclass(frozen=True)
class SetDoor:
    """Open or close a door."""

    door: str
    share: float
    """How far, 0 (closed) to 1 (open)."""


@dataclass(frozen=True)
class SwitchLamp:
    """Switch a lamp on or off."""

    lamp: str
    on: bool


# -- the world's physics and light ---------------------------------------------------------------


@dataclass(frozen=True)
class SetDaylight:
    """Set how bright it is without lamps."""

    value: float
    """0 (night) to 1 (day)."""


@dataclass(frozen=True)
class SetFriction:
    """Set the friction of a piece of ground, of an object or of everything."""

    what: str
    """An object, a piece of terrain (``terrain/0``), or ``everywhere``."""
    friction: float


@dataclass(frozen=True)
class SetGravity:
    """Set gravity."""

    value: float
    """m/s², downwards."""


# -- what happens --------------------------------------------------------------------------------


@dataclass(frozen=True)
class FireEvent:
    """Fire an event; its own delay and chance count."""

    event: str
    by: str = ""
    """The robot or object that is the reason."""


@dataclass(frozen=True)
class RunEvent:
    """Run an event now, whatever its delay and chance: what a fired one waits as."""

    event: str
    by: str = ""


@dataclass(frozen=True)
class ClockTick:
    """Fire an event because its own clock says so, and set the clock again."""

    event: str


@dataclass(frozen=True)
class Delayed:
    """Do something after some time."""

    seconds: float
    action: Action


@dataclass(frozen=True)
class Say:
    """Tell everybody something."""

    text: str
    by: str = ""
    """Who says so: ``referee``, or nobody in particular."""


@dataclass(frozen=True)
class CallRoutine:
    """Call a routine of the user's, ``module:function``, with the simulation and what happened."""

    routine: str
    event: str = ""
    by: str = ""


Order = Literal[
    "start", "stop", "kickoff", "goal", "penalty", "pardon", "half", "finish",
    "ball", "next", "look",
]  # fmt: skip
"""What a referee can be told; the last three are what volumes and clocks say."""


@dataclass(frozen=True)
class RefereeCall:
    """Call something to the match's referee; what comes of it is the referee's to say."""

    order: Order
    who: str = ""
    """A team (kickoff, goal), a robot (penalty, pardon), or where the ball went: a goal, or out."""
    seconds: float | None = None
    """How long a penalty is, s; None: as the match says."""
    number: int | None = None
    """Which call of the referee's a clock belongs to; None: somebody says so now."""


@dataclass(frozen=True)
class Pause:
    """Let whoever paces the simulation wait, or go on."""

    on: bool


Action = (
    Join
    | Leave
    | Equip
    | SetSensorRate
    | Retune
    | Reset
    | Restart
    | SetPose
    | Move
    | Shift
    | Glide
    | Spin
    | StopMotion
    | Command
    | SwitchMotors
    | SetDoor
    | SwitchLamp
    | SetDaylight
    | SetFriction
    | SetGravity
    | FireEvent
    | RunEvent
    | ClockTick
    | Delayed
    | Say
    | CallRoutine
    | RefereeCall
    | Pause
)
