"""Actions: all changes of a running world, as dataclasses.

Python calls, schedules, console lines, world-file events and buttons of a page are translated to
actions; only `Simulation.apply` carries them out. Angles are in rad, positions in m, in the world
frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from grouser.errors import BadValue
from grouser.frames import Pose
from grouser.physics.drives import Setpoint
from grouser.world.file import RobotEntry
from grouser.world.world_object import WorldObject

if TYPE_CHECKING:
    from grouser.simulation.snapshot import Snapshot

# -- members -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Join:
    """Add a robot or an object to the world."""

    member: RobotEntry | WorldObject


@dataclass(frozen=True)
class Leave:
    """Remove a robot or an object from the world."""

    name: str


@dataclass(frozen=True)
class Equip:
    """Replace a robot's additional sensors; sensors that stay keep their readings and phases."""

    robot: str
    sensors: tuple[Mapping[str, Any], ...]
    """As a robot's ``sensors`` in a world file."""


@dataclass(frozen=True)
class SetSensorRate:
    """Set the rate of a robot's sensor, until the robot is removed or the world is reset."""

    robot: str
    sensor: str
    rate_hz: float
    """Readings per simulated second; at most one per step."""


@dataclass(frozen=True)
class ResetSensor:
    """Restart a sensor that accumulates: an encoder's count, an odometry's or INS's estimate."""

    robot: str
    sensor: str
    X_WI: Pose | None = None
    """Pose from which an INS continues; None: as at the start."""


@dataclass(frozen=True)
class MeasureSensor:
    """Read a sensor now, in addition to its schedule: it draws random errors and may accumulate."""

    robot: str
    sensor: str
    published: bool = True
    """True: observers and clients receive the reading, as a scheduled one."""


@dataclass(frozen=True)
class AimCamera:
    """Aim and zoom a camera; None keeps a value."""

    robot: str
    sensor: str
    pan: float | None = None
    """rad, left positive."""
    tilt: float | None = None
    """rad, down positive."""
    zoom: float | None = None
    """Focal length relative to the lens' own."""


@dataclass(frozen=True)
class SetGaitParameters:
    """Set parameters of a robot's gait; its other state is kept."""

    robot: str
    numbers: Mapping[str, Any]
    """Gait options of its kind (`gait_options`), in SI units or those of their names."""


@dataclass(frozen=True)
class Reset:
    """Reset the whole world to its start."""

    seed: int | None = None
    """New seed of all random numbers; None: the same ones again."""


@dataclass(frozen=True)
class Restore:
    """Continue from a snapshot."""

    snapshot: Snapshot


@dataclass(frozen=True)
class Restart:
    """Return one robot or object to its start; all others are unchanged."""

    name: str


# -- poses ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SetPose:
    """Set the pose of a robot's root or of an object, at rest."""

    name: str
    X_WB: Pose


@dataclass(frozen=True)
class Move:
    """Move a robot or an object to a position on the ground, at once or in a given time."""

    name: str
    x: float
    y: float
    """m."""
    z: float | None = None
    """m; of the ground under a robot, of an object's centre; None: unchanged."""
    yaw: float | None = None
    """Heading, rad; None: unchanged."""
    seconds: float = 0.0
    """Duration, s; 0: at once."""


@dataclass(frozen=True)
class Shift:
    """Move a robot or an object by an offset, at once or in a given time."""

    name: str
    by: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """m, along the world's axes."""
    turn: float = 0.0
    """Rotation about the world's z through its origin, rad."""
    seconds: float = 0.0
    """Duration, s; 0: at once."""


@dataclass(frozen=True)
class Glide:
    """Move a body along a path at constant speed; it pushes other bodies and is not held up."""

    name: str
    through: tuple[tuple[float, float, float], ...]
    """Waypoints of its root or centre, m; the path begins at its present position."""
    speed: float
    """m/s; above 0."""
    loop: bool = False
    """True: continue from the last waypoint to the first, without end."""
    hold: bool = False
    """True: stay at the last waypoint; False: be a free body at rest there."""


@dataclass(frozen=True)
class Spin:
    """Turn a body about the vertical at constant rate, without end."""

    name: str
    rate: float
    """rad/s, positive to the left."""


@dataclass(frozen=True)
class StopMotion:
    """Stop a gliding or spinning body; it is a free body at rest then."""

    name: str


@dataclass(frozen=True)
class SetFixed:
    """Fix an object to the world where it is, or make a fixed one movable, with its own mass."""

    name: str
    fixed: bool


@dataclass(frozen=True)
class SetSurfaceVelocity:
    """Move the surface of a box, which itself stays where it is: a conveyor."""

    name: str
    velocity: tuple[float, float, float]
    """In the box's axes, m/s."""


# -- commands ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Command:
    """Command a robot: its gait or its drives, by the keys of `Robot.setpoints`."""

    robot: str
    command: Mapping[str, float | Setpoint]


@dataclass(frozen=True)
class SwitchMotors:
    """Switch a robot's drives off (no torque) or on (hold the present position)."""

    robot: str
    on: bool
    drives: tuple[str, ...] = ()
    """Names of drives or groups; empty: all drives."""


@dataclass(frozen=True)
class SetLinkFaults:
    """Set the faults of the link between a robot and its driver on the page; zeros: no faults."""

    robot: str
    delay: float = 0.0
    """Latency of a message in each direction, s."""
    jitter: float = 0.0
    """Half-width of the variation of the delay, s."""
    loss: float = 0.0
    """Share of the messages that are lost, 0 to 1."""


@dataclass(frozen=True)
class SetDoor:
    """Open or close a door."""

    door: str
    share: float
    """Opening, 0 (closed) to 1 (open)."""


@dataclass(frozen=True)
class SwitchLamp:
    """Switch a lamp on or off."""

    lamp: str
    on: bool


# -- physics and light ----------------------------------------------------------------------------


@dataclass(frozen=True)
class SetDaylight:
    """Set the daylight."""

    value: float
    """0 (night) to 1 (day)."""


@dataclass(frozen=True)
class SetFriction:
    """Set the friction of a piece of terrain, of an object or of all surfaces."""

    what: str
    """An object, a piece of terrain (``terrain/0``), or ``everywhere``."""
    friction: float


@dataclass(frozen=True)
class SetGravity:
    """Set gravity."""

    value: float
    """m/s², downwards."""


# -- events --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FireEvent:
    """Fire an event, with its delay and chance."""

    event: str
    by: str = ""
    """Robot or object that is the cause."""


@dataclass(frozen=True)
class RunEvent:
    """Run an event now, without delay and chance; a fired event is scheduled as this."""

    event: str
    by: str = ""


@dataclass(frozen=True)
class ClockTick:
    """Fire an event at a tick of its clock, and set the clock again."""

    event: str


@dataclass(frozen=True)
class Delayed:
    """Carry out an action after some time."""

    seconds: float
    action: Action


@dataclass(frozen=True)
class SendMessage:
    """Log a message; a server sends it to all clients."""

    text: str
    by: str = ""
    """Sender: ``referee``, or empty."""


@dataclass(frozen=True)
class CallRoutine:
    """Call a user's routine, ``module:function``, with the simulation and a log entry."""

    routine: str
    event: str = ""
    by: str = ""


Order = Literal[
    "start", "stop", "kickoff", "goal", "penalty", "pardon", "half", "finish",
    "control", "score",
    "ball", "next", "look",
]  # fmt: skip
"""Inputs of a referee; ``control`` and ``score`` come from a GameController, the last three from
trigger volumes and clocks."""


@dataclass(frozen=True)
class RefereeCall:
    """Input to the referee of the match, which decides on the actions."""

    order: Order
    subject: str = ""
    """A team (kickoff, goal, score), a robot (penalty, pardon), the ball's new place (a goal, out),
    or a state (control)."""
    seconds: float | None = None
    """Duration of a penalty, s, None: that of the match; remaining time of the half (control)."""
    number: int | None = None
    """Number of the timer that caused this call, None: a person or a program did; the half
    (control); the goals (score)."""
    kicking: str = ""
    """Team that kicks off (control)."""


@dataclass(frozen=True)
class Pause:
    """Pause or resume a paced simulation."""

    on: bool


Action = (
    Join
    | Leave
    | Equip
    | SetSensorRate
    | ResetSensor
    | MeasureSensor
    | AimCamera
    | SetGaitParameters
    | Reset
    | Restore
    | Restart
    | SetPose
    | Move
    | Shift
    | Glide
    | Spin
    | StopMotion
    | SetFixed
    | SetSurfaceVelocity
    | Command
    | SwitchMotors
    | SetLinkFaults
    | SetDoor
    | SwitchLamp
    | SetDaylight
    | SetFriction
    | SetGravity
    | FireEvent
    | RunEvent
    | ClockTick
    | Delayed
    | SendMessage
    | CallRoutine
    | RefereeCall
    | Pause
)


def check_action(value: object, where: str) -> None:
    """Raise `BadValue` unless ``value`` is an action."""
    if not isinstance(value, get_args(Action)):
        raise BadValue(f"{where}: {value!r} is not an action of grouser.simulation.changes.actions")


def command_of(robot: str, command: object, more: Mapping[str, float | Setpoint]) -> Command:
    """Return the command of a mapping and keywords.

    Raises:
        BadValue: ``command`` is neither a mapping nor None.
    """
    if not isinstance(command, Mapping | None):
        raise BadValue(
            f"command: {command!r} is no command; a mapping such as {{'forward': 0.1}} or keywords "
            "are needed"
        )
    return Command(robot, {**(command or {}), **more})
