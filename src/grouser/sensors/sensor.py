"""Sensor interface: description, bound sensor, reading, and the registry of sensor kinds.

A sensor has three methods: ``add`` adds its elements to a robot's spec, ``bind`` looks them up in
the compiled model once, ``read`` measures the true value and applies the error model with the
sensor's own random generator. The simulation schedules rate and delay
(`grouser.simulation.sensing`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntFlag
from functools import cached_property
from typing import Annotated, Any, Protocol, runtime_checkable

import mujoco
import numpy as np
import numpy.typing as npt
from pydantic import Field, GetJsonSchemaHandler, InstanceOf, Strict, model_validator
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import CoreSchema

from grouser import plugins
from grouser.description import Description, mistake
from grouser.errors import BadValue, UnknownName, unknown
from grouser.frames import Array, Pose, radians

Value = float | npt.NDArray[Any]
"""Number, or array of the shape documented in the sensor's ``read``."""

Values = Mapping[str, Value]
"""Values of a reading by name; SI and radians."""


class LazyValues(Mapping[str, Value]):
    """Values that are computed on first access: most readings are never used."""

    def __init__(self, compute: Callable[[], dict[str, Value]]) -> None:
        """Store ``compute``, whose result must not depend on the time of the call."""
        self._compute: Callable[[], dict[str, Value]] | None = compute
        self._values: dict[str, Value] = {}

    def _resolve(self) -> dict[str, Value]:
        if self._compute:
            self._values, self._compute = self._compute(), None
        return self._values

    def __getitem__(self, name: str) -> Value:
        return self._resolve()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._resolve())

    def __len__(self) -> int:
        return len(self._resolve())

    def __repr__(self) -> str:
        return repr(self._resolve())

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (self._resolve(),)


@dataclass(frozen=True)
class Reading:
    """Reading of a sensor at one time."""

    sensor: str
    """Name of the sensor on its robot."""
    time: float
    """Simulated time of the measurement, s; a delayed reading is available later."""
    values: Values
    """Named numbers and arrays, SI and radians."""

    def __getitem__(self, name: str) -> Any:
        """Return the number called ``name``, or the array, read-only."""
        try:
            value = self.values[name]
        except KeyError:
            raise self._unknown(name) from None
        if isinstance(value, np.ndarray):
            value = value.view()
            value.flags.writeable = False
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
class BatteryCharge:
    """Charge of a robot's own battery at one instant."""

    left: float
    """Remaining energy, J."""
    capacity: float
    """Energy of the full battery, J."""
    idle: float
    """Power of electronics, W."""


@dataclass(frozen=True)
class PowerState:
    """Motors and batteries at one instant."""

    temperatures: Mapping[str, float] = field(default_factory=dict)
    """Temperature of motors, degrees Celsius, by full name of the drive."""
    charges: Mapping[str, BatteryCharge] = field(default_factory=dict)
    """By name of the robot."""


@dataclass(frozen=True)
class SensorContext:
    """State of the world at one instant, as input of sensors."""

    model: mujoco.MjModel
    data: mujoco.MjData
    drives: tuple[str, ...]
    """Full names of all drives."""
    travel: Callable[[], Array]
    """Return each drive's position at this instant (drives,), m or rad, with belt roll-backs added;
    may be called later."""
    effort: Array
    """Energy of each drive since the start, (drives,), J: sum of |force x speed| x dt."""
    power: Callable[[], PowerState] = PowerState
    """Return the state of motors and batteries at this instant; to be called at once."""

    @cached_property
    def time(self) -> float:
        """Simulated time, s: a whole number of steps, which MuJoCo's sum of steps is not."""
        timestep = float(self.model.opt.timestep)
        return round(float(self.data.time) / timestep) * timestep

    @cached_property
    def travelled(self) -> list[float]:
        """Each drive's position as a plain number; cached."""
        listed: list[float] = self.travel().tolist()
        return listed

    @cached_property
    def contact_forces(self) -> dict[int, list[tuple[int, float]]]:
        """Contacts by geom, each with its normal force (N), without contacts within a robot.

        Cached: many sensors share it.
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

    def contact_forces_on(self, geoms: Iterable[int]) -> Iterator[tuple[int, float]]:
        """Yield the contacts of ``geoms`` from outside the robot, each with its force (N)."""
        for geom in geoms:
            yield from self.contact_forces.get(geom, ())

    def drive_indices(self, names: tuple[str, ...]) -> list[int]:
        """Return the indices of the drives ``names`` in `drives`."""
        return [self.drives.index(name) for name in names]


class Needs(IntFlag):
    """Derived quantities that a sensor requires; computed once for all sensors.

    After a step, MuJoCo's derived quantities are those of the state before it. Contacts and their
    forces are always those of the last step.
    """

    STATE = 0
    """Joint positions and velocities, or contacts."""
    POSES = 1
    """Poses of bodies, geoms and sites."""
    VELOCITIES = 2
    """Velocities of bodies."""
    ACCELERATIONS = 4
    """Accelerations of bodies, gravity included (``cacc``)."""


class BoundSensor(Protocol):
    """Sensor bound to a compiled model."""

    @property
    def needs(self) -> Needs:
        """Derived quantities that ``read`` requires."""
        ...

    def read(self, context: SensorContext, rng: np.random.Generator) -> Values:
        """Measure and apply the error model with ``rng``; return named numbers and arrays."""
        ...


@runtime_checkable
class StatefulSensor(Protocol):
    """Bound sensor whose reading depends on earlier ones.

    When the scene is recompiled, ``memory`` is transferred to the new bound sensor.
    """

    memory: Any
    """Complete state; None before the first reading."""


@runtime_checkable
class Resettable(Protocol):
    """Bound sensor that accumulates and can be reset."""

    def reset(self) -> None:
        """Restart at the next reading."""
        ...


class TimedSensor(Protocol):
    """Name and timing of a sensor."""

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
        """Delay from measurement to availability of a reading, s, >= 0."""
        ...


class Sensor(TimedSensor, Protocol):
    """Description of a sensor."""

    def add(self, spec: mujoco.MjSpec) -> None:
        """Add the elements that ``read`` needs to the robot's spec."""
        ...

    def bind(self, model: mujoco.MjModel, prefix: str) -> BoundSensor:
        """Look up the elements in ``model``, where the robot's names begin with ``prefix``."""
        ...


LEAST_RATE, MOST_RATE = 0.01, 1000.0
"""Range of sensor rates, 1/s."""
LONGEST_DELAY = 60.0
"""Longest delay of a sensor, s: all readings of this time are stored."""


Rate = Annotated[float, Field(ge=LEAST_RATE, le=MOST_RATE)]
"""Readings per simulated second; 0.01 to 1000."""

Delay = Annotated[float, Field(ge=0, le=LONGEST_DELAY)]
"""A delay, s; 0 to 60."""


def check_rate(where: str, rate_hz: float) -> float:
    """Return ``rate_hz``; raise `BadValue`, which begins with ``where``, if it is out of range."""
    if not LEAST_RATE <= rate_hz <= MOST_RATE:
        raise BadValue(
            f"{where}: rate_hz is {rate_hz:g}, must be {LEAST_RATE:g} to {MOST_RATE:g} per second"
        )
    return rate_hz


class SensorDescription(Description):
    """Base of all descriptions of sensors; a subclass has the field ``kind``, its registered name.

    A subclass is a `Sensor`: it has ``add`` and ``bind``.
    """

    name: str
    """Name on its robot."""
    rate_hz: Rate = 25.0
    """Readings per simulated second; 0.01 to 1000."""
    delay_s: Delay = 0.0
    """Delay from measurement to availability of a reading, s; 0 to 60."""


def check_drives(sensor: TimedSensor, spec: mujoco.MjSpec, drives: Iterable[str]) -> None:
    """Raise `UnknownName` for drives that the robot of ``spec`` does not have."""
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
    "motor_temperature": "grouser.sensors.motor_temperature:MotorTemperature",
    "mocap": "grouser.sensors.mocap:MotionCapture",
    "camera": "grouser.sensors.camera:Camera",
    "depth": "grouser.sensors.depth:DepthCamera",
    "victims": "grouser.sensors.victims:VictimSensor",
    "rfid": "grouser.sensors.rfid:RfidReader",
}
"""Kind of sensor → ``module:attribute`` of its description; imported on use."""


def sensor_kinds() -> dict[str, str]:
    """Return all sensor kinds, including entry points: kind → ``module:attribute``."""
    return SENSORS | plugins.entry_point_targets(plugins.SENSORS, SENSORS)


def load_sensor(kind: str, where: str) -> type[SensorDescription]:
    """Return the class of a registered kind of sensor.

    Raises:
        UnknownName: there is no such kind.
        BadValue: it comes from a package and cannot be used.
    """
    if kind not in sensor_kinds():
        raise unknown(where, "sensor", kind, sensor_kinds())
    return plugins.load_class(kind, SENSORS, plugins.SENSORS, where, _check)


def _check(found: object, kind: str) -> type[SensorDescription]:
    return plugins.check_kind(found, SensorDescription, kind)


def describe_sensor(options: Mapping[str, Any], where: str) -> Sensor:
    """Return the sensor of a world file's options, validated.

    Args:
        options: ``kind`` (a key of `sensor_kinds`) and fields of that sensor; its pose in its
            mount as in `MountKeys`.
        where: location for error messages, e.g. ``"step.yaml line 12"``.
    """
    kind = str(options.get("kind"))
    made: Any = load_sensor(kind, where).from_options(options, where, f"sensor '{kind}'")
    sensor: Sensor = made
    return sensor


SITE_PREFIX = "sensor/"
"""Prefix of the sensors' sites, after the robot's own prefix."""


class MountKeys(Description):
    """Keys of a sensor's pose in its mount, in world and robot files."""

    at: Annotated[tuple[float, float, float], Strict(False)] = (0.0, 0.0, 0.0)
    """Position in the mount, m."""
    roll_deg: float = 0.0
    """Rotation about x, deg, applied first."""
    pitch_deg: float = 0.0
    """Rotation about y, nose down, deg, applied second."""
    yaw_deg: float = 0.0
    """Rotation about z, to the left, deg, applied last."""

    @property
    def pose(self) -> Pose:
        """Pose in the mount."""
        turns = (self.roll_deg, self.pitch_deg, self.yaw_deg)
        roll, pitch, yaw = (radians(turn) for turn in turns)
        return Pose.at(*self.at, roll=roll, pitch=pitch, yaw=yaw)


class MountedSensor(SensorDescription):
    """Base of sensors with a pose on the robot. Sensor frame S: x ahead, y left, z up."""

    mount: str
    """Name of the body or site of the robot that carries it."""
    X_MS: SkipJsonSchema[InstanceOf[Pose]] = Pose()
    """Pose of the sensor in its mount; files have `MountKeys` instead."""

    @classmethod
    def allowed_keys(cls) -> tuple[str, ...]:
        """Return the keys that files may contain."""
        return *(key for key in cls.model_fields if key != "X_MS"), *MountKeys.model_fields

    @model_validator(mode="before")
    @classmethod
    def _read_pose(cls, data: Any) -> Any:
        """Replace the keys of the pose by the pose."""
        if not isinstance(data, dict) or data.keys().isdisjoint(MountKeys.model_fields):
            return data
        pose = {key: value for key, value in data.items() if key in MountKeys.model_fields}
        if "X_MS" in data:
            raise mistake("must not be given together with X_MS", next(iter(pose)))
        rest = {key: value for key, value in data.items() if key not in pose}
        return rest | {"X_MS": MountKeys.model_validate(pose).pose}

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Return the JSON schema, with the keys of the pose."""
        found = handler.resolve_ref_schema(handler(schema))
        found["properties"] |= MountKeys.model_json_schema()["properties"]
        return found

    def add(self, spec: mujoco.MjSpec) -> None:
        """Add a site at the sensor's pose."""
        body, X_BM = _mount(spec, self.mount, self.name)
        X_BS = X_BM @ self.X_MS
        body.add_site(name=SITE_PREFIX + self.name, pos=X_BS.position, quat=X_BS.wxyz)

    def site(self, model: mujoco.MjModel, prefix: str) -> int:
        """Return the id of the site in the compiled model."""
        return int(model.site(prefix + SITE_PREFIX + self.name).id)


def _mount(spec: mujoco.MjSpec, mount: str, sensor: str) -> tuple[mujoco.MjsBody, Pose]:
    """Return the body that carries the mount, and the mount's pose in it."""
    if (body := spec.body(mount)) is not None:
        return body, Pose()
    if (site := spec.site(mount)) is not None:
        return site.parent, Pose(site.pos.copy(), site.quat.copy())
    names = [part.name for part in (*spec.bodies, *spec.sites)]
    raise unknown(f"sensor '{sensor}'", "body or site", mount, names)


def site_pose(data: mujoco.MjData, site: int) -> Pose:
    """Return the pose X_WS of a site."""
    wxyz = np.empty(4)
    mujoco.mju_mat2Quat(wxyz, data.site_xmat[site])
    return Pose(data.site_xpos[site].copy(), wxyz)


def in_site_frame(data: mujoco.MjData, site: int, p_W: Array) -> Array:
    """Return points (n, 3) of the world in a site's frame."""
    R_WS = data.site_xmat[site].reshape(3, 3)
    return np.asarray((p_W - data.site_xpos[site]) @ R_WS)
