"""World + robots + sensors → one MjSpec → one model: the only attach and the only compile.

Every robot's names begin with its own name and a slash: ``quince/body``, ``quince/left``. A scene
is made anew, from the same descriptions, whenever somebody joins or leaves; `Simulation` then
carries the state of everybody who stays over by name.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import pickle
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mujoco

from grouser.errors import BadValue, GrouserError
from grouser.frames import Pose
from grouser.physics import compliance
from grouser.physics.drives import Drive
from grouser.physics.height_fields import HeightFieldData
from grouser.physics.spring_timing import take_at_start
from grouser.robots.kinds import describe
from grouser.robots.robot import Gait, Robot, RobotDescription
from grouser.sensors.sensor import BoundSensor, Sensor, describe_sensor
from grouser.tracks.track import Belt
from grouser.world.door import Door
from grouser.world.file import STANDARD_EQUIPMENT, RobotEntry, World
from grouser.world.looks import add_looks

HOOK_TRAVEL = 0.3
"""Part of a pitch that the fastest belt may go between two looks at whether it must roll back."""
HOOK_TIME = 0.005
"""Longest time (s) between two looks at belts."""
SETTLE_TIME = 0.02
"""Longest time (s) between two looks at drives: setpoints are reined in, belts' work counted."""
SURFACE_TIME = 0.002
"""Longest time (s) between two looks when belts have moving surfaces."""
SHELF = 64
"""Robots that are kept to be copied."""


def no_need() -> None:
    """Give way to nobody: there is no need."""


@dataclass(frozen=True, eq=False)
class Scene:
    """A compiled world and what is where in it, by name."""

    world: World
    model: mujoco.MjModel
    robots: Mapping[str, Robot]
    drives: Mapping[str, Drive]
    """Every drive by its full name, ``robot/drive``; doors' as well."""
    belts: tuple[Belt, ...]
    sensors: Mapping[tuple[str, str], tuple[Sensor, BoundSensor]]
    """By robot and sensor name."""
    stride: int
    """Physics steps between two looks at belts, drives and gaits."""

    @functools.cached_property
    def timestep(self) -> float:
        """Simulated seconds of one step; asked every beat, and MuJoCo's options are slow to ask."""
        return float(self.model.opt.timestep)

    def initial(self) -> mujoco.MjData:
        """Return the state in which everybody stands in posture where the world file says."""
        data = mujoco.MjData(self.model)
        for name, robot in self.robots.items():
            for joint, value in robot.posture.items():
                data.qpos[self.model.joint(f"{name}/{joint}").qposadr[0]] = value
        for thing in self.world.objects:
            if isinstance(thing, Door):
                _set_door_start(self.model, data, thing)
        mujoco.mj_forward(self.model, data)
        return data


def _set_door_start(model: mujoco.MjModel, data: mujoco.MjData, door: Door) -> None:
    """Put a door where it starts, its motor holding it there."""
    place, drive = door.ajar * door.travel, model.actuator(door.joint).id
    data.qpos[model.joint(door.joint).qposadr[0]] = place
    data.act[model.actuator_actadr[drive]] = place
    data.ctrl[model.actuator_ctrladr[drive]] = place


def compose(
    world: World,
    height_fields: Sequence[HeightFieldData] = (),
    shelf: RobotShelf | None = None,
    give_way: Callable[[], None] = no_need,
) -> Scene:
    """Attach everything in ``world`` to one spec and compile it.

    Args:
        world: what is there.
        height_fields: that no geom shows yet; in the model they come after the world's own.
        shelf: robots to be copied, of a thread that composes beside others; None: the common one.
        give_way: called after every bit of work: such a thread may let others go first.
    """
    spec = mujoco.MjSpec()
    world.physics.apply(spec)
    add_looks(spec, world.daylight)
    contact = world.physics.ground
    for number, terrain in enumerate(world.terrain):
        terrain.add(spec, contact, f"terrain/{number}")
    for number, field in enumerate(height_fields):
        field.add(spec, f"spare/{number}")
    for thing in world.objects:
        thing.add(spec, contact)
    robots = {}
    for number, entry in enumerate(world.robots):
        give_way()
        robots[entry.name] = _attach(spec, entry, world, number, shelf or _SHELF)
    give_way()
    _hasten(spec, alone=sum(robot.free for robot in robots.values()) + len(world.objects) <= 1)
    try:
        model = spec.compile()
    except ValueError as error:
        reason = str(error).splitlines()[0]
        raise BadValue(f"{world.where()}: MuJoCo cannot build this world: {reason}") from error
    give_way()
    if world.physics.solver_contact is None:
        compliance.apply(
            model,
            world.physics.contact.compliance,
            {
                f"{entry.name}/{robots[entry.name].root}": entry.contact.compliance
                for entry in world.robots
                if entry.contact
            },
        )
    else:
        compliance.remove_buffers(model)
    belts = tuple(
        belt.prefixed(f"{name}/") for name, robot in robots.items() for belt in robot.belts
    )
    drives = {
        f"{name}/{drive}": description
        for name, robot in robots.items()
        for drive, description in robot.drives.items()
    } | {thing.joint: thing.drive for thing in world.objects if isinstance(thing, Door)}
    if world.physics.springs == "start":
        drives = take_at_start(model, drives)
    sensors = {}
    for name, robot in robots.items():
        give_way()
        for sensor in robot.sensors:
            sensors[name, sensor.name] = sensor, sensor.bind(model, f"{name}/")
    gaits = [robot.gait for robot in robots.values() if robot.gait]
    stride = _stride(belts, drives, gaits, model.opt.timestep)
    return Scene(world, model, robots, drives, belts, sensors, stride)


def _hasten(spec: mujoco.MjSpec, *, alone: bool) -> None:
    """Choose how MuJoCo solves, by who is there: the same physics in less time."""
    off = mujoco.mjtDisableBit
    if alone:
        # A single robot has nothing to be split into: looking for islands would cost 5 %.
        spec.option.disableflags |= int(off.mjDSBL_ISLAND)
        if all(geom.type == mujoco.mjtGeom.mjGEOM_PLANE for geom in spec.worldbody.geoms):
            # Nor do boxes about boxes sort out what may touch a plane: 6 % for nothing.
            spec.option.disableflags |= int(off.mjDSBL_MIDPHASE)
    # A point of a belt moves with 7 of a robot's 14 to 34 degrees of freedom, and there are 50 to
    # 80 of them: Kenaf 1.3 times as fast, turning 3 times, PackBot 0.95 and 2. A foot moves with
    # as few: the roach on bumps 1.08, QRIO 1.07, ERS-7 0.98.
    spec.option.jacobian = mujoco.mjtJacobian.mjJAC_SPARSE


def _attach(
    spec: mujoco.MjSpec, entry: RobotEntry, world: World, number: int, shelf: RobotShelf
) -> Robot:
    """Build the robot that ``entry``, the world's ``number``-th, names; attach it at its start."""
    where = world.where("robots", number, "kind")
    description = describe(entry.kind, entry.options, where)

    def make() -> Robot:
        try:
            robot = description.build()
        except GrouserError as error:
            raise BadValue(f"{where}: robot '{entry.name}': {error}") from error
        return _equip(robot, entry, world, number)

    robot = shelf.take((description, entry.sensors), make)
    start = entry.ground @ Pose.at(z=robot.standing, pitch=robot.standing_pitch)
    frame = spec.worldbody.add_frame(pos=start.position, quat=start.wxyz)
    spec.attach(robot.spec, frame=frame, prefix=f"{entry.name}/")
    if robot.free:
        spec.body(f"{entry.name}/{robot.root}").add_freejoint(name=f"{entry.name}/free")
    return robot


class RobotShelf:
    """Robots that were made before, to be copied, which takes a twentieth of the time.

    MuJoCo copies a spec while other threads run, so a robot is off the shelf while it is copied:
    who comes meanwhile makes another one.
    """

    def __init__(self) -> None:
        """Start with none."""
        self._robots: dict[Hashable, Robot] = {}

    def take(
        self,
        what: tuple[RobotDescription, tuple[Mapping[str, Any], ...]],
        make: Callable[[], Robot],
    ) -> Robot:
        """Return a robot of its own: a copy of one that was made of the same.

        Args:
            what: decides all about it: the robot, and what it carries beside its own sensors.
            make: makes one.
        """
        description, sensors = what
        try:
            key = description, pickle.dumps(sensors)
            hash(key)
        except (TypeError, AttributeError, pickle.PicklingError):
            return make()  # it has options in lists or mappings, or something that has no bytes
        robot = self._robots.pop(key, None) or make()
        copied = dataclasses.replace(robot, spec=robot.spec.copy())
        self._robots[key] = robot  # the newest is last; it is never attached itself
        for oldest in list(self._robots)[:-SHELF]:
            self._robots.pop(oldest, None)
        return copied


_SHELF = RobotShelf()
"""Of whoever has none of its own."""


def _equip(robot: Robot, entry: RobotEntry, world: World, number: int) -> Robot:
    """Give the robot the world file's sensors; let every sensor put what it needs into the spec."""
    own = world.where("robots", number, "kind")
    carried = [(sensor, own) for sensor in robot.sensors]
    for index, options in enumerate(entry.sensors):
        where = world.where("robots", number, "sensors", index)
        if options == STANDARD_EQUIPMENT:
            carried += [(sensor, where) for sensor in robot.equipment]
        else:
            carried.append((describe_sensor(options, where), where))
    robot = dataclasses.replace(robot, sensors=tuple(sensor for sensor, _ in carried))
    names: set[str] = set()
    for sensor, where in carried:
        if sensor.name in names:
            raise BadValue(f"{where}: '{entry.name}' has two sensors called '{sensor.name}'")
        names.add(sensor.name)
        try:
            sensor.add(robot.spec)
        except LookupError as error:
            raise BadValue(f"{where}: {error}") from error
    return robot


def _stride(
    belts: tuple[Belt, ...], drives: Mapping[str, Drive], gaits: Sequence[Gait], timestep: float
) -> int:
    """Return how many steps may pass before belts and gaits must be looked at again."""
    times = [SETTLE_TIME, *(gait.period for gait in gaits)]
    times += [HOOK_TIME for belt in belts]
    times += [SURFACE_TIME for belt in belts if belt.moving]
    times += [HOOK_TRAVEL * belt.pitch / drives[belt.drive].speed for belt in belts if belt.links]
    return max(1, math.floor(round(min(times) / timestep, 6)))
