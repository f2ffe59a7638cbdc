"""Scene composition: attach world, robots and sensors to one MjSpec and compile one model.

The names of a robot's elements begin with its name and a slash: ``quince/body``, ``quince/left``. A
scene is recompiled from the descriptions whenever a robot or object is added or removed; the state
of all others is then transferred by name (`changes.scene_builder`).
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import math
import pickle
import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mujoco

from grouser.errors import BadValue, GrouserError, unknown
from grouser.frames import Pose
from grouser.physics import compliance, losses, slip_friction
from grouser.physics.drives import Drive, apply_spring_timing
from grouser.physics.height_fields import HeightFieldData
from grouser.physics.losses import BatteryPack
from grouser.robots.kinds import describe
from grouser.robots.robot import Gait, Robot, RobotDescription
from grouser.sensors.battery import Battery
from grouser.sensors.sensor import BoundSensor, Sensor, describe_sensor
from grouser.tracks.drive_defaults import step_damping_errors
from grouser.tracks.segments import initialize_switches
from grouser.tracks.track import Belt
from grouser.world.door import Door
from grouser.world.file import REMOVE, STANDARD_EQUIPMENT, RobotEntry, World
from grouser.world.visuals import add_visuals

HOOK_TRAVEL = 0.3
"""Fraction of a pitch that the fastest belt may travel between two roll-back checks."""
HOOK_TIME = 0.005
"""Longest time between two belt updates, s."""
SETTLE_TIME = 0.02
"""Longest time between two drive updates, s: setpoints are clamped, friction is updated."""
SURFACE_TIME = 0.002
"""Longest time between two updates of belts with moving surfaces, s."""
CACHED_ROBOTS = 64
"""Capacity of a `RobotSpecCache`."""


def no_yield() -> None:
    """Do nothing: the caller runs in the only thread."""


@dataclass(frozen=True, eq=False)
class Scene:
    """A compiled world and its robots, drives, belts and sensors by name."""

    world: World
    model: mujoco.MjModel
    robots: Mapping[str, Robot]
    drives: Mapping[str, Drive]
    """Every drive by its full name, ``robot/drive``; includes those of doors."""
    belts: tuple[Belt, ...]
    sensors: Mapping[tuple[str, str], tuple[Sensor, BoundSensor]]
    """By robot and sensor name."""
    control_interval: int
    """Physics steps between two updates of belts, drives and gaits."""

    @property
    def batteries(self) -> dict[str, BatteryPack]:
        """Battery of every robot that has one, by robot; none without losses."""
        if not self.world.physics.losses:
            return {}
        return {name: robot.battery for name, robot in self.robots.items() if robot.battery}

    @functools.cached_property
    def timestep(self) -> float:
        """Length of one step, s; cached, since reading MuJoCo's options is slow."""
        return float(self.model.opt.timestep)

    def initial(self) -> mujoco.MjData:
        """Return the initial state: robots in their posture at the poses of the world file."""
        data = mujoco.MjData(self.model)
        self.initialize(data)
        return data

    def initialize(self, data: mujoco.MjData) -> None:
        """Set ``data``, in any state before, to the initial state."""
        mujoco.mj_resetData(self.model, data)
        for name, robot in self.robots.items():
            for joint, value in robot.posture.items():
                data.qpos[self.model.joint(f"{name}/{joint}").qposadr[0]] = value
        for thing in self.world.objects:
            if isinstance(thing, Door):
                _set_door_start(self.model, data, thing)
        mujoco.mj_forward(self.model, data)

    def copy(self) -> Scene:
        """Return an independent scene with a copied model."""
        model = copy.copy(self.model)
        sensors = {
            (robot, name): (sensor, sensor.bind(model, f"{robot}/"))
            for (robot, name), (sensor, _) in self.sensors.items()
        }
        return dataclasses.replace(self, model=model, sensors=sensors)


def _set_door_start(model: mujoco.MjModel, data: mujoco.MjData, door: Door) -> None:
    """Set a door to its initial opening, held by its motor."""
    place, drive = door.ajar * door.travel, model.actuator(door.joint).id
    data.qpos[model.joint(door.joint).qposadr[0]] = place
    data.act[model.actuator_actadr[drive]] = place


def compose(
    world: World,
    height_fields: Sequence[HeightFieldData] = (),
    robot_cache: RobotSpecCache | None = None,
    yield_control: Callable[[], None] = no_yield,
) -> Scene:
    """Attach all parts of ``world`` to one spec and compile it.

    Args:
        world: the description.
        height_fields: additional ones that no geom refers to yet; placed after the world's own.
        robot_cache: a background thread has its own; None: the common one.
        yield_control: called between units of work; a background thread may wait in it.
    """
    spec = mujoco.MjSpec()
    world.physics.apply(spec)
    add_visuals(spec, world.daylight, world.light_k)
    contact = world.physics.ground
    for number, terrain in enumerate(world.terrain):
        terrain.add(spec, contact, f"terrain/{number}")
    for number, field in enumerate(height_fields):
        field.add(spec, f"spare/{number}")
    for thing in world.objects:
        thing.add(spec, contact)
    robots = {}
    for number, entry in enumerate(world.robots):
        yield_control()
        robots[entry.name] = _attach(spec, entry, world, number, robot_cache or _ROBOT_CACHE)
    yield_control()
    movable = sum(robot.free for robot in robots.values()) + len(world.objects)
    _set_solver_flags(spec, single_tree=movable <= 1)
    slips = slip_friction.add_sensors(spec)
    try:
        model = spec.compile()
    except (ValueError, RuntimeError) as error:  # the second: without memory
        reason = str(error).splitlines()[0]
        raise BadValue(f"{world.where()}: MuJoCo cannot compile this world: {reason}") from error
    yield_control()
    if world.physics.solver_contact is None:
        compliance.apply(
            model,
            world.physics.contact,
            {
                f"{entry.name}/{robots[entry.name].root}": entry.contact
                for entry in world.robots
                if entry.contact
            },
        )
    else:
        compliance.remove_buffers(model)
    belts = tuple(
        belt.with_prefix(f"{name}/") for name, robot in robots.items() for belt in robot.belts
    )
    initialize_switches(model, belts)
    drives = {
        f"{name}/{drive}": description
        for name, robot in robots.items()
        for drive, description in robot.drives.items()
    } | {thing.joint: thing.drive for thing in world.objects if isinstance(thing, Door)}
    if stiff := list(step_damping_errors(model, belts, drives)):
        text = f"{world.where()}: {'; '.join(stiff)} (docs/explanation/drives.md)"
        warnings.warn(text, UserWarning, stacklevel=2)
    if world.physics.springs == "start":
        drives = apply_spring_timing(model, drives)
    set_losses = losses.apply_constants if world.physics.losses else losses.without_losses
    drives = set_losses(model, drives)
    sensors = {}
    for name, robot in robots.items():
        yield_control()
        for sensor in robot.sensors:
            sensors[name, sensor.name] = sensor, sensor.bind(model, f"{name}/")
    gaits = [robot.gait for robot in robots.values() if robot.gait]
    interval = _control_interval(belts, drives, gaits, model.opt.timestep, slips=slips)
    return Scene(world, model, robots, drives, belts, sensors, interval)


def _set_solver_flags(spec: mujoco.MjSpec, *, single_tree: bool) -> None:
    """Set MuJoCo's solver options for speed; the physics stays the same."""
    if single_tree:
        # A single kinematic tree has one constraint island: the search would cost 5 %.
        spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ISLAND)
        if [geom.type for geom in spec.worldbody.geoms] == [mujoco.mjtGeom.mjGEOM_PLANE]:
            # A tree of boxes rejects nothing that a plane's test would not: 1 to 5 %.
            spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_MIDPHASE)
    # Sparse Jacobian: a contact of a belt depends on 7 of a robot's 14 to 34 degrees of freedom,
    # and there are 50 to 80 contacts. Speed-up: Kenaf 1.3 (turning 3), PackBot 0.95 (2), the roach
    # on bumps 1.08, QRIO 1.07, ERS-7 0.98.
    spec.option.jacobian = mujoco.mjtJacobian.mjJAC_SPARSE


def _attach(
    spec: mujoco.MjSpec, entry: RobotEntry, world: World, number: int, cache: RobotSpecCache
) -> Robot:
    """Build the robot of ``entry``, the world's ``number``-th; attach it at its start pose."""
    where = world.where("robots", number, "kind")
    description = describe(entry.kind, entry.options, where)

    def make() -> Robot:
        try:
            robot = description.build()
        except GrouserError as error:
            raise BadValue(f"{where}: robot '{entry.name}': {error}") from error
        return _equip(robot, entry, world, number)

    robot = cache.get((description, entry.sensors), make)
    if world.physics.losses:
        _add_load_sensors(robot)
    start = entry.ground @ Pose.at(z=robot.standing, pitch=robot.standing_pitch)
    frame = spec.worldbody.add_frame(pos=start.position, quat=start.wxyz)
    spec.attach(robot.spec, frame=frame, prefix=f"{entry.name}/")
    if robot.free:
        spec.body(f"{entry.name}/{robot.root}").add_freejoint(name=f"{entry.name}/free")
    return robot


def _add_load_sensors(robot: Robot) -> None:
    """Add sensors of the normal loads that rolling resistance depends on."""
    rolling = {
        name for name, drive in robot.drives.items() if drive.losses and drive.losses.rolling
    }
    if not rolling:
        return
    # Pins and rails inside a chain of plates would count as load.
    belts = [belt for belt in robot.belts if belt.drive in rolling and belt.method != "plates"]
    rims = {f"{belt.name}/": belt.drive for belt in belts}
    wheels = rolling - {belt.drive for belt in robot.belts}
    for body in robot.spec.bodies:
        drive = body.name if body.name in wheels else None
        for start in rims:
            drive = rims[start] if body.name.startswith(start) else drive
        if drive is not None:
            losses.add_load_sensor(robot.spec, body, drive)


class RobotSpecCache:
    """LRU cache of built robots; copying a spec takes a twentieth of the time of building it.

    MuJoCo releases the interpreter lock while it copies a spec, so an entry is removed while it is
    copied; another thread that needs it meanwhile builds its own.
    """

    def __init__(self) -> None:
        """Start empty."""
        self._robots: dict[Hashable, Robot] = {}

    def get(
        self,
        what: tuple[RobotDescription, tuple[Mapping[str, Any], ...]],
        make: Callable[[], Robot],
    ) -> Robot:
        """Return a robot with a spec of its own, copied from the cache if possible.

        Args:
            what: key of the cache: description of the robot, and its additional sensors.
            make: builds the robot.
        """
        description, sensors = what
        try:
            key = description, pickle.dumps(sensors)
            hash(key)
        except (TypeError, AttributeError, pickle.PicklingError):
            return make()  # options in lists or mappings are not hashable
        robot = self._robots.pop(key, None) or make()
        copied = dataclasses.replace(robot, spec=robot.spec.copy())
        self._robots[key] = robot  # the newest is last; the original is never attached
        for oldest in list(self._robots)[:-CACHED_ROBOTS]:
            self._robots.pop(oldest, None)
        return copied


_ROBOT_CACHE = RobotSpecCache()
"""Default of `compose`."""


def _equip(robot: Robot, entry: RobotEntry, world: World, number: int) -> Robot:
    """Add the sensors of the world file; add every sensor's elements to the spec."""
    own = world.where("robots", number, "kind")
    carried = [(sensor, own) for sensor in robot.sensors]
    for index, options in enumerate(entry.sensors):
        where = world.where("robots", number, "sensors", index)
        if options == STANDARD_EQUIPMENT:
            carried += [(sensor, where) for sensor in robot.equipment]
        elif REMOVE in options:
            carried = _without(carried, options, where)
        else:
            carried.append((describe_sensor(options, where), where))
    robot = dataclasses.replace(robot, sensors=tuple(sensor for sensor, _ in carried))
    names: set[str] = set()
    for sensor, where in carried:
        if sensor.name in names:
            raise BadValue(f"{where}: robot '{entry.name}' has two sensors named '{sensor.name}'")
        names.add(sensor.name)
        if isinstance(sensor, Battery) and sensor.capacity is None and robot.battery is None:
            raise BadValue(
                f"{where}: robot '{entry.name}' has no battery of its own; give its sensor "
                f"'{sensor.name}' capacity and idle"
            )
        try:
            sensor.add(robot.spec)
        except LookupError as error:
            raise BadValue(f"{where}: {error}") from error
    return robot


def _without(
    carried: list[tuple[Sensor, str]], options: Mapping[str, Any], where: str
) -> list[tuple[Sensor, str]]:
    """Return the sensors without those named by ``remove``: a name, a list of names, or all."""
    removed = options[REMOVE]
    names = [sensor.name for sensor, _ in carried]
    if len(options) > 1 or not (isinstance(removed, str) or _is_list_of_text(removed)):
        raise BadValue(f"{where}: {REMOVE} must be alone, and a name, a list of names, or all")
    if removed == "all":
        return []
    wanted = {removed} if isinstance(removed, str) else set(removed)
    for name in sorted(wanted - set(names)):
        raise unknown(where, "sensor to remove", name, names)
    return [(sensor, place) for sensor, place in carried if sensor.name not in wanted]


def _is_list_of_text(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)


def _control_interval(
    belts: tuple[Belt, ...],
    drives: Mapping[str, Drive],
    gaits: Sequence[Gait],
    timestep: float,
    *,
    slips: bool,
) -> int:
    """Return the number of steps between two updates of belts, drives and gaits."""
    times = [SETTLE_TIME, *(gait.period for gait in gaits)]
    times += [HOOK_TIME for belt in belts]
    times += [slip_friction.UPDATE_TIME] * slips
    times += [SURFACE_TIME for belt in belts if belt.moving]
    times += [belt.switch_travel / drives[belt.drive].speed for belt in belts if belt.switched]
    times += [HOOK_TRAVEL * belt.pitch / drives[belt.drive].speed for belt in belts if belt.links]
    return max(1, math.floor(round(min(times) / timestep, 6)))
