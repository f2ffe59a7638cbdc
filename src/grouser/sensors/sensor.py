"""The sensor contract: a frozen description, bound to a model, that measures, then corrupts.

A sensor has three methods: ``add`` puts what it needs into a robot's spec, ``bind`` looks it up in
the compiled model once, ``read`` measures the true value and then corrupts it with the sensor's
own generator. A sensor does not know who reads it, nor when: its rate and its delay are kept by
the simulation (`grouser.simulation.sensing`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntFlag
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import mujoco
import numpy as np
import numpy.typing as npt

from grouser import plugins
from grouser.errors import BadValue, UnknownName, nearest, unknown
from grouser.frames import Array, Pose, radians

Value = float | npt.NDArray[Any]
"""A number, or an array whose shape the sensor's ``read`` says."""

Values = Mapping[str, Value]
"""What a sensor says, by name; SI and radians."""


class LazyValues(Mapping[str, Value]):
    """Values that are worked out at their first use: most readings nobody reads."""

    def __init__(self, work: Callable[[], dict[str, Value]]) -> None:
        """Keep how to work them out; ``work`` must not depend on when it is called."""
        self._work: Callable[[], dict[str, Value]] | None = work
        self._values: dict[str, Value] = {}

    def _known(self) -> dict[str, Value]:
        if self._work:
            self._values, self._work = self._work(), None
        return self._values

    def __getitem__(self, name: str) -> Value:
        return self._known()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known())

    def __len__(self) -> int:
        return len(self._known())

    def __repr__(self) -> str:
        return repr(self._known())


@dataclass(frozen=True)
class Reading:
    """What a sensor said at one time."""

    sensor: str
    """Name of the sensor on its robot."""
    time: float
    """Simulated time of the measurement, s: with a delay, earlier than it could be read."""
    values: Values
    """Named numbers and arrays, SI and radians."""

    def __getitem__(self, name: str) -> float:
        """Return the number called ``name``."""
        try:
            value = self.values[name]
        except KeyError:
            raise self._unknown(name) from None
        if isinstance(value, np.ndarray):
            raise BadValue(f"sensor '{self.sensor}': '{name}' is an array, ask array('{name}')")
        return value

    def array(self, name: str) -> npt.NDArray[Any]:
        """Return the array called ``name``; a number is an array of one."""
        try:
            return np.atleast_1d(self.values[name])
        except KeyError:
            raise self._unknown(name) from None

    def _unknown(self, name: str) -> UnknownName:
        return unknown(f"sensor '{self.sensor}'", "value", name, self.values)


@dataclass(frozen=True)
class SensorContext:
    """The world at one instant, as a sensor may see it."""

    model: mujoco.MjModel
    data: mujoco.MjData
    drives: tuple[str, ...]
    """Full names of all drives."""
    travel: Callable[[], Array]
    """Returns each drive's position then (drives,), m or rad, counted through roll-backs; it may be
    called later."""
    effort: Array
    """What each drive has spent since the start, (drives,), J: sum of |force x speed| x dt."""

    @cached_property
    def time(self) -> float:
        """Simulated, s."""
        return float(self.data.time)

    @cached_property
    def travelled(self) -> list[float]:
        """Each drive's position as plain numbers; worked out once, whoever asks."""
        listed: list[float] = self.travel().tolist()
        return listed

    @cached_property
    def contact_forces(self) -> dict[int, list[tuple[int, float]]]:
        """Contacts by geom, each with its normal force (N); a robot's own parts do not count.

        Worked out once, whoever asks: every paw of every robot does.
        """
        model, data = self.model, self.data
        pairs = data.contact.geom
        roots = model.body_rootid[model.geom_bodyid[pairs]]
        forces: dict[int, list[tuple[int, float]]] = {}
        wrench = np.zeros(6)
        for contact in np.flatnonzero(roots[:, 0] != roots[:, 1]).tolist():
            mujoco.mj_contactForce(model, data, contact, wrench)
            force = float(wrench[0])
            for geom in pairs[contact].tolist():
                forces.setdefault(geom, []).append((contact, force))
        return forces

    def drive_indices(self, names: tuple[str, ...]) -> list[int]:
        """Return where the drives ``names`` are in `drives`."""
        return [self.drives.index(name) for name in names]


class Needs(IntFlag):
    """What must be derived from the state before a sensor can read; it is done for all at once.

    After a step, MuJoCo's derived numbers are still those of the state before it. Contacts and
    their forces always are: they belong to the step that has just been made.
    """

    STATE = 0
    """Nothing but joint positions and speeds, or contacts."""
    POSES = 1
    """Where bodies, geoms and sites are."""
    VELOCITIES = 2
    """How fast bodies move."""
    ACCELERATIONS = 4
    """How bodies are accelerated, gravity included (``cacc``)."""


class BoundSensor(Protocol):
    """A sensor that knows where it is in a compiled model."""

    @property
    def needs(self) -> Needs:
        """What must be derived from the state before it reads."""
        ...

    def read(self, context: SensorContext, rng: np.random.Generator) -> Values:
        """Measure, then corrupt with ``rng``; return named numbers and arrays."""
        ...


@runtime_checkable
class StatefulSensor(Protocol):
    """A bound sensor whose reading depends on earlier ones.

    When somebody joins or leaves, the scene is composed anew, and ``memory`` is handed on.
    """

    memory: Any
    """All it remembers; None before the first reading."""


class TimedSensor(Protocol):
    """The name and the timing of a sensor."""

    @property
    def name(self) -> str:
        """Name on its robot."""
        ...

    @property
    def rate_hz(self) -> float:
        """Readings per simulated second, > 0."""
        ...

    @property
    def delay_s(self) -> float:
        """How long after it was measured a reading can be read, s, >= 0."""
        ...


class Sensor(TimedSensor, Protocol):
    """The description every sensor gives."""

    def add(self, spec: mujoco.MjSpec) -> None:
        """Put into the robot's spec what ``read`` will need."""
        ...

    def bind(self, model: mujoco.MjModel, prefix: str) -> BoundSensor:
        """Look everything up in ``model``, where the robot's names begin with ``prefix``."""
        ...


def check_numbers(sensor: TimedSensor, **at_least_zero: float) -> None:
    """Refuse a rate, a delay or an error model that no sensor can have.

    Args:
        sensor: the description.
        at_least_zero: its other numbers that may not be negative, by name.
    """
    if not sensor.rate_hz > 0:
        raise BadValue(f"sensor '{sensor.name}': rate_hz is {sensor.rate_hz}, must be above 0")
    for name, value in ({"delay_s": sensor.delay_s} | at_least_zero).items():
        if not 0 <= value < np.inf:
            raise BadValue(f"sensor '{sensor.name}': {name} is {value}, must be at least 0")


def check_drives(sensor: TimedSensor, spec: mujoco.MjSpec, drives: Iterable[str]) -> None:
    """Refuse drives that the robot of ``spec`` does not have."""
    for drive in drives:
        if spec.actuator(drive) is None:
            names = [actuator.name for actuator in spec.actuators]
            raise unknown(f"sensor '{sensor.name}'", "drive", drive, names)


SENSORS: dict[str, str] = {
    "encoder": "grouser.sensors.encoder:Encoder",
    "truth": "grouser.sensors.truth:Truth",
    "accelerometer": "grouser.sensors.inertial:Accelerometer",
    "gyroscope": "grouser.sensors.inertial:Gyroscope",
    "touch": "grouser.sensors.touch:Touch",
    "pressure": "grouser.sensors.pressure:Pressure",
    "infrared": "grouser.sensors.range:Infrared",
    "sonar": "grouser.sensors.range:Sonar",
    "laser": "grouser.sensors.laser:Laser",
    "tachometer": "grouser.sensors.tachometer:Tachometer",
    "odometry": "grouser.sensors.odometry:Odometry",
    "ins": "grouser.sensors.ins:Ins",
    "gps": "grouser.sensors.gps:Gps",
    "compass": "grouser.sensors.compass:Compass",
    "battery": "grouser.sensors.battery:Battery",
    "mocap": "grouser.sensors.mocap:MotionCapture",
    "camera": "grouser.sensors.camera:Camera",
    "depth": "grouser.sensors.depth:DepthCamera",
    "victims": "grouser.sensors.victims:VictimSensor",
    "rfid": "grouser.sensors.rfid:RfidReader",
}
"""Kind of sensor → where it is described; imported on use."""


def sensor_kinds() -> dict[str, str]:
    """Return every kind of sensor, of installed packages as well: kind → ``module:attribute``."""
    return SENSORS | plugins.entry_point_targets(plugins.SENSORS, SENSORS)


POSE_KEYS = ("at", "roll_deg", "pitch_deg", "yaw_deg")
"""How a world file says X_MS: a place in the mount (m), and turns taken in this order."""


def describe_sensor(options: Mapping[str, Any], where: str) -> Sensor:
    """Return the sensor that a world file describes, its options checked.

    Args:
        options: ``kind`` (a key of `sensor_kinds`) and fields of that sensor's dataclass; its pose
            in its mount as `POSE_KEYS`.
        where: the place to name in an error, e.g. ``"step.yaml line 12"``.
    """
    kind = options.get("kind")
    if kind not in sensor_kinds():
        raise unknown(where, "sensor", str(kind), sensor_kinds())
    description = plugins.load(str(kind), SENSORS, plugins.SENSORS, where)
    given = {key: _as_tuples(value) for key, value in options.items() if key != "kind"}
    allowed = [entry.name for entry in dataclasses.fields(description)]
    try:
        if "X_MS" in allowed:
            allowed += POSE_KEYS
            given["X_MS"] = _place(given)
        for key in given:
            if key not in allowed:
                listing = ", ".join(name for name in allowed if name != "X_MS")
                hint = nearest(key, allowed)
                raise BadValue(f"there is no option '{key}' (there are: {listing}){hint}")
        made: Sensor = description(**given)
        return made
    except (BadValue, TypeError) as error:
        raise BadValue(f"{where}: sensor '{kind}': {error}") from error


def _place(given: dict[str, Any]) -> Pose:
    """Take the keys that say where the sensor is out of ``given``; return the pose."""
    at = given.pop("at", (0.0, 0.0, 0.0))
    turns = {key.removesuffix("_deg"): given.pop(key, 0.0) for key in POSE_KEYS[1:]}
    try:
        x, y, z = at
        return Pose.at(x, y, z, **{key: radians(turn) for key, turn in turns.items()})
    except (TypeError, ValueError):
        raise BadValue(f"at is {at!r} and turns are {turns}, numbers are needed") from None


def _as_tuples(value: Any) -> Any:
    """Return lists as tuples, all the way down."""
    return tuple(map(_as_tuples, value)) if isinstance(value, list | tuple) else value
