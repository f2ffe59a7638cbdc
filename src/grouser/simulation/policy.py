"""Policies: controllers of one robot, with equal results in a simulation, in trials, in a server.

A policy is called at a fixed rate of simulated time with an `Observation` and returns a command.
It receives readings of the robot's own sensors only; the true pose and velocity only if it declares
``truth = True``. `RunningPolicy` is one run of a policy, `PolicyControl` connects it to a
`Simulation`.
"""

from __future__ import annotations

import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from grouser.errors import BadValue, GrouserError, PolicyFailed, nearest, unknown
from grouser.frames import Array, Pose
from grouser.physics.drives import Setpoint
from grouser.robots.robot import Robot
from grouser.sensors.camera import Camera
from grouser.sensors.depth import DepthCamera
from grouser.sensors.sensor import Reading
from grouser.sensors.truth import Truth
from grouser.simulation.scene import Scene
from grouser.simulation.stepping import settle_intervals

if TYPE_CHECKING:
    from grouser.simulation.simulation import Simulation

CONTROL_PERIOD = 0.1
"""Simulated time between two calls of a policy without ``rate_hz``, s; also between two samples of
a trial."""


class Readings(dict[str, Reading]):
    """Newest available readings of the requested sensors, by name."""

    def __missing__(self, name: str) -> Reading:
        requested = ", ".join(self) or "none"
        raise BadValue(
            f"reading '{name}' was not requested (requested: {requested}); add it to the policy's "
            f"sensors{nearest(name, self)}"
        )


@dataclass(frozen=True)
class TrueState:
    """True state of a robot's root in the world frame; no sensor measures it without error."""

    position: Array
    """m, (3,)."""
    wxyz: Array
    """Orientation, (4,)."""
    linear: Array = field(default_factory=partial(np.zeros, 3))
    """Velocity of its origin, m/s, (3,)."""
    angular: Array = field(default_factory=partial(np.zeros, 3))
    """rad/s, (3,)."""


@dataclass(frozen=True)
class Observation:
    """Input of a policy."""

    time: float
    """Simulated time, s."""
    readings: Mapping[str, Reading] = field(default_factory=Readings)
    """Newest available reading of each requested sensor, by name."""
    truth: TrueState | None = None
    """True state of the robot, for policies with ``truth = True``."""
    path: Array | None = None
    """Path that the robot should follow, (points, 2), m; None: there is none."""

    @property
    def position(self) -> Array:
        """True position of the root in the world, m, (3,)."""
        return self._true().position

    @property
    def wxyz(self) -> Array:
        """True orientation of the root in the world, (4,)."""
        return self._true().wxyz

    def _true(self) -> TrueState:
        if self.truth is None:
            raise BadValue(
                "the true pose was not requested; declare truth = True, or read a sensor"
            )
        return self.truth


PolicyCommand = Mapping[str, float | Setpoint]
"""Command of a robot by the keys of `Robot.setpoints`, such as ``{"forward": 0.2}``."""

PolicyFunction = Callable[[Observation], PolicyCommand | None]
"""A policy without state: any function of an observation."""


class Policy(ABC):
    """Controller of one robot.

    Subclassing is optional: any callable works, and absent attributes have the defaults below.
    """

    sensors: tuple[str, ...] = ()
    """Names of the robot's sensors that the policy reads; no cameras."""
    equipment: tuple[Mapping[str, Any], ...] = ()
    """Sensors that a robot receives if it lacks one of ``sensors``, as in a world file; used where
    the command line sets up the robot."""
    truth: bool = False
    """True: observations contain the true state of the robot."""
    rate_hz: float | None = None
    """Calls per simulated second, the first after one period; None: every `CONTROL_PERIOD`."""

    def reset(self, seed: int) -> None:  # noqa: B027  (a policy without state needs none)
        """Return to the initial state, before every run; ``seed`` is that of its random numbers."""

    @abstractmethod
    def __call__(self, observation: Observation) -> PolicyCommand | None:
        """Return a command; None: the last one stays in effect."""


PolicyFactory = Callable[[], PolicyFunction]
"""Creates the policy of one run; usually its class."""


def declaration(factory: object, name: str) -> Any:
    """Return the attribute ``name`` of `Policy`, of a policy, its class or a ``partial`` of it."""
    while isinstance(factory, partial):
        factory = factory.func
    return getattr(factory, name, getattr(Policy, name))


def declared_sensors(factory: object) -> tuple[str, ...]:
    """Return the names of the sensors that a policy declares."""
    names = declaration(factory, "sensors")
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise BadValue(
            f"policy {policy_name(factory)}: sensors is {names!r}, must be names, such as ('INS',)"
        )
    return tuple(names)


def policy_name(factory: object) -> str:
    """Return the name of a policy, of its class or of its function, for messages."""
    while isinstance(factory, partial):
        factory = factory.func
    name = getattr(factory, "__name__", None) or type(factory).__name__
    return str(name)


def make_policy(factory: object, where: str = "policy") -> PolicyFunction:
    """Return a new policy.

    Raises:
        BadValue: ``factory`` is not a class or function that returns a policy.
    """
    name = policy_name(factory)
    if not callable(factory):
        raise BadValue(f"{where}: {factory!r} is no factory; pass the class of a policy")
    try:
        policy = factory()
    except GrouserError:
        raise
    except Exception as error:  # user code may raise anything
        place = _place(error)
        if not place:  # raised by the call itself
            raise BadValue(
                f"{where}: {name} cannot be called without arguments ({error}); pass the class of "
                "a policy, or a function that returns one"
            ) from error
        raise BadValue(
            f"{where}: {name} cannot be created: {type(error).__name__}: {error}{place}"
        ) from error
    if not callable(policy):
        raise BadValue(
            f"{where}: {name} makes a value of type {type(policy).__name__}, which cannot be "
            "called with an observation"
        )
    return policy  # type: ignore[no-any-return]


def _place(error: BaseException) -> str:
    """Return file and line of the policy that raised ``error``; empty: the call itself failed."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename != __file__]
    if not own:
        return ""
    lines = [frame.lineno for frame in own if frame.filename == own[0].filename]
    return f" ({Path(own[0].filename).name} line {lines[-1]})"


def check_sensors(scene: Scene, robot: str, names: Iterable[str], *, truth: bool) -> None:
    """Raise an error for sensors that ``robot`` lacks, for cameras, and for truth unrequested."""
    own = {name: sensor for (of, name), (sensor, _) in scene.sensors.items() if of == robot}
    for name in names:
        if name not in own:
            raise unknown(f"policy of robot '{robot}'", "sensor", name, own)
        if isinstance(own[name], Camera | DepthCamera):
            raise BadValue(
                f"policy: sensor '{name}' of '{robot}' is a camera, and policies receive no "
                "pictures; leave it out, or step a Simulation"
            )
        if isinstance(own[name], Truth) and not truth:
            raise BadValue(
                f"policy: sensor '{name}' of '{robot}' is the true pose; declare truth = True"
            )


def sample_steps(scene: Scene, sample_period: float = CONTROL_PERIOD) -> int:
    """Return the number of physics steps between two samples, about ``sample_period`` seconds.

    The result is a multiple of the settling period, so that a trial that enters a batch later
    settles at the same steps.
    """
    every = scene.control_interval * scene.timestep
    settle = settle_intervals(every)
    return scene.control_interval * settle * max(1, round(sample_period / every / settle))


def control_steps(scene: Scene, rate_hz: float | None) -> int:
    """Return the number of physics steps between two calls of a policy."""
    if rate_hz is None:
        return sample_steps(scene)
    if not isinstance(rate_hz, int | float) or not 0 < rate_hz * scene.timestep <= 1 + 1e-9:
        raise BadValue(
            f"policy: rate_hz is {rate_hz!r}, must be above 0 and at most {1 / scene.timestep:g}, "
            "once per physics step"
        )
    return round(1 / (rate_hz * scene.timestep))


class RobotRoot:
    """Root of one robot in the state arrays of its scene."""

    def __init__(self, scene: Scene, robot: str) -> None:
        """Look up its addresses; a look-up by name takes ten times as long as a read."""
        if robot not in scene.robots:
            raise BadValue(f"trial: the watched robot '{robot}' has been removed from the world")
        self.scene, self.robot = scene, scene.robots[robot]
        model = scene.model
        if self.robot.free:
            joint = model.joint(f"{robot}/free")
            self.qpos, self.dof = int(joint.qposadr[0]), int(joint.dofadr[0])
            return
        body = model.body(f"{robot}/{self.robot.root}").id  # fixed to the world
        self._fixed: Array = np.concatenate([model.body_pos[body], model.body_quat[body]])

    def pose(self, qpos: Array) -> Array:
        """Return its pose (x, y, z, wxyz), or those of many simulations, (n, 7)."""
        if not self.robot.free:
            return np.broadcast_to(self._fixed, (*qpos.shape[:-1], 7)).copy()
        return qpos[..., self.qpos : self.qpos + 7].copy()

    def state(self, pose: Array, qvel: Array) -> TrueState:
        """Return its state at ``pose`` (x, y, z, wxyz)."""
        if not self.robot.free:
            return TrueState(pose[:3], pose[3:])
        own = qvel[self.dof : self.dof + 6]  # angular velocity is in the frame of the body
        turn = Pose(wxyz=pose[3:]).apply(own[3:])
        return TrueState(pose[:3], pose[3:], own[:3].copy(), turn)


class PolicyOptions(NamedTuple):
    """Options of one run of a policy."""

    robot: str
    """Name of the robot."""
    seed: int
    """Seed of the run."""
    sensors: tuple[str, ...] = ()
    """Requested sensors, in addition to those that the policy declares."""
    path: Array | None = None
    """Path to follow."""


class RunningPolicy:
    """One run of a policy: observations in, checked commands out."""

    def __init__(self, policy: PolicyFunction, options: PolicyOptions) -> None:
        """Reset ``policy``."""
        self._policy, self._options = policy, options
        self.name = policy_name(policy)
        self.truth = bool(declaration(policy, "truth"))
        """True: observations need the true state."""
        self.sensors = tuple(dict.fromkeys((*options.sensors, *declared_sensors(policy))))
        """Sensors whose readings observations need."""
        self.reset(options.seed)

    def reset(self, seed: int) -> None:
        """Return the policy to its initial state."""
        reset = getattr(self._policy, "reset", None)
        if reset is not None:
            self._attempt(0.0, partial(reset, seed))

    def command(
        self, time: float, robot: Robot, readings: Mapping[str, Reading], truth: TrueState | None
    ) -> PolicyCommand | None:
        """Return the command of the policy; None: the last one stays in effect.

        Raises:
            PolicyFailed: the policy raised an exception, or returned no command of ``robot``.
        """
        observation = Observation(
            time, Readings(readings), truth if self.truth else None, self._options.path
        )
        command = self._attempt(time, partial(self._policy, observation))
        if command is None:
            return None
        if not isinstance(command, Mapping):
            raise self.failure(
                time, f"returned {command!r}, must be a command such as {{'forward': 0.2}}, or None"
            )
        try:
            for key in command:
                if not isinstance(key, str):
                    raise BadValue(f"command: {key!r} is not a name")
            robot.gait_inputs(command)
            robot.setpoints(command)
        except GrouserError as error:
            raise self.failure(time, str(error)) from error
        return command

    def failure(self, time: float, reason: str) -> PolicyFailed:
        """Return the error of a policy that cannot continue."""
        return PolicyFailed(
            f"policy {self.name} of robot '{self._options.robot}' at {time:.3f} s: {reason}"
        )

    def _attempt(self, time: float, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except Exception as error:  # user code may raise anything
            kind = "" if isinstance(error, GrouserError) else f"{type(error).__name__}: "
            raise self.failure(time, f"{kind}{error}{_place(error)}") from error


class PolicyControl:
    """Observer that lets a policy command a robot of a simulation; see `RobotHandle.control`."""

    def __init__(self, simulation: Simulation, policy: PolicyFunction, robot: str) -> None:
        """Check the sensors that the policy declares."""
        scene = simulation.scene
        self._simulation, self._robot = simulation, robot
        self._running = RunningPolicy(policy, PolicyOptions(robot, simulation.seed))
        check_sensors(scene, robot, self._running.sensors, truth=self._running.truth)
        self._root = RobotRoot(scene, robot)

    def on_scene(self, scene: Scene) -> None:
        """Reset the policy if the simulation has returned to its start."""
        if not self._simulation.steps:
            self._running.reset(self._simulation.seed)

    def on_step(self, time: float) -> None:
        """Call the policy and apply its command; a robot that was removed is ignored.

        Raises:
            PolicyFailed: the policy failed; its robot is stopped.
        """
        simulation, name = self._simulation, self._robot
        if name not in simulation.scene.robots:
            return
        if self._root.scene is not simulation.scene:
            self._root = RobotRoot(simulation.scene, name)
        data, running = simulation.state.data, self._running
        truth = None
        if running.truth:
            truth = self._root.state(self._root.pose(data.qpos), data.qvel)
        readings = {sensor: simulation.read(name, sensor) for sensor in running.sensors}
        robot = simulation.scene.robots[name]
        try:
            command = running.command(time, robot, readings, truth)
        except PolicyFailed:
            simulation.command(name, robot.halt())
            raise
        if command:
            simulation.command(name, command)
