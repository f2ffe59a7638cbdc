"""Simulation: reset, command, step, read.

A simulation has no wall clock, thread or socket; the caller paces the calls of `Simulation.step`.
One seed determines all random numbers of a run: the same seed gives the same bits.
"""

from __future__ import annotations

import importlib
import os
import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Self

import mujoco

from grouser.errors import BadValue, unknown
from grouser.frames import Pose
from grouser.physics.drives import Setpoint
from grouser.rendering.viewpoint import Viewpoint
from grouser.sensors.sensor import Reading
from grouser.simulation import schedule
from grouser.simulation.changes import actions, world_changes
from grouser.simulation.changes.actions import Action
from grouser.simulation.changes.command_limits import CommandLimits
from grouser.simulation.changes.execution import carry_out
from grouser.simulation.changes.motions import Motions
from grouser.simulation.changes.scene_builder import SceneBuilder
from grouser.simulation.divergence.watch import CHECK_PERIOD, DivergenceWatch, log_warnings
from grouser.simulation.observers import STEP_RATE_HZ, ClosableObserver, Observers, Subscription
from grouser.simulation.robot_handle import Handles, RobotHandle
from grouser.simulation.scene import Scene
from grouser.simulation.scene_state import SceneState, StepPhysics, step_physics
from grouser.simulation.script.events import EventLog, Events, LogEntry
from grouser.simulation.script.triggers import Triggers
from grouser.simulation.sensing import ActiveSensors
from grouser.simulation.snapshot import Snapshot, StartState, check_snapshot
from grouser.simulation.state_queries import StateQueries
from grouser.simulation.tracking_camera import TrackingCamera
from grouser.world.file import RobotEntry, World, as_world
from grouser.world.world_object import WorldObject


class Simulation(StateQueries):
    """A running world; ``sim.robots`` has handles of its robots, `step` lets time pass.

    Users call `command`, `step`, `read`, `pose`; `add`, `remove`, `apply`, `schedule`; `save`,
    `restore`, `reset`, `fork`; `subscribe`: see docs/how-to/python.md. The methods ``…_now`` and
    `carry_out_due`, `prepare_join`, `commit_join`, `recompose`, `read_due_sensors` are for servers
    and for the execution of actions.
    """

    def __init__(
        self,
        world: World | str | os.PathLike[str] | Mapping[str, Any],
        *,
        seed: int | None = None,
        crash_folder: Path | str | None = ".",
    ) -> None:
        """Compile ``world`` and set its initial state.

        Args:
            world: a description, the name of a shipped world, the path of a world file, or the
                contents of one as a mapping.
            seed: of all random numbers of the run; None: the seed of the world.
            crash_folder: folder for the last second of states if physics diverges; None: none.

        Raises:
            WorldFileError: the world is invalid.
            BadValue: an argument has an impossible type or value.
        """
        world = as_world(world)
        seed = schedule.check_seed(world.seed if seed is None else seed)
        self._create(world.with_referee_volumes(), seed, crash_folder)
        self._clear()  # raises for invalid events and triggers before the world is compiled
        self.reset_now()

    def _create(
        self, start: World, seed: int, crash_folder: Path | str | None, steps: int = 0
    ) -> None:
        """Set what lasts from one reset to the next."""
        log_warnings()
        self.seed = seed
        self._crash_folder = None if crash_folder is None else Path(crash_folder)
        self.start_world = start
        """Description of the world at the start."""
        self.first: StartState | None = None
        """Compiled start; None: not compiled yet."""
        self.log = EventLog()
        """Log of triggers, events, messages and failures."""
        self.paused = False
        """Flag of `actions.Pause` for the caller that paces this simulation."""
        self.resets = 0
        """Number of times that the world was reset."""
        self.generation = 0
        """Number of times that the scene was replaced or reset."""
        self._observers = Observers()
        self.log.notify = self._observers.event
        self._drained: list[tuple[str, Reading]] | None = None
        """Readings since the last call of `drain_readings`; None: it was never called."""
        self.steps = steps
        """Steps since the start."""
        self.passed = steps
        """Steps since this simulation was created; unlike ``steps`` it never goes back."""
        self.scheduled = 0
        """Scheduled actions that were carried out since this simulation was created."""
        self._posed: tuple[int, int, bytes] | None = None
        """Generation, step and joint positions of the poses in MuJoCo's data."""
        self.scene_builder = SceneBuilder()
        """Compiler of scenes with other bodies; a server replaces it by one with a thread."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Leave a ``with`` block; the simulation can still be read."""

    def reset(self, *, seed: int | None = None) -> None:
        """Return to the start: the given world, time zero; the scene is not compiled again.

        Args:
            seed: new seed of all random numbers; None: the same ones again.
        """
        self.apply(actions.Reset(seed))

    def reset_now(
        self, seed: int | None = None, prepare: Callable[[SceneState], None] | None = None
    ) -> None:
        """Return to the start; ``prepare`` changes the initial state before the first readings."""
        if seed is not None:
            self.seed = schedule.check_seed(seed)
        if self.first is None:
            self.first = StartState.of(self.start_world)
        self._clear()
        self.resets += 1
        self._rebind(self.first.begin_again())
        if prepare is not None:
            prepare(self.state)
        self.read_due_sensors()
        self.events.start(self)

    def _clear(self) -> None:
        """Empty schedule, sensors, triggers, events and motions."""
        self.agenda: schedule.Agenda[Action] = schedule.Agenda()
        self.sensor_rates: dict[tuple[str, str], float] = {}
        """Robot and sensor -> readings per second, where they were changed."""
        self.link_faults: dict[str, actions.SetLinkFaults] = {}
        """Robot -> faults of the link to its driver, if it has any."""
        self.active_sensors = ActiveSensors(self.seed, self.sensor_rates)
        self.command_limits = CommandLimits()
        self.triggers = Triggers(self.start_world)
        self.events = Events(self.start_world, self.seed, self.log)
        self.motions = Motions()
        self.steps = 0

    # -- snapshots ---------------------------------------------------------------------------

    def save(self) -> Snapshot:
        """Return a snapshot: all that decides the future of this simulation; can be pickled."""
        return Snapshot.of(self)

    def restore(self, snapshot: Snapshot) -> None:
        """Continue from ``snapshot``; the scene is compiled only if it has other bodies.

        Raises:
            BadValue: it is no snapshot, or its meshes and robots have changed since.
        """
        self.apply(actions.Restore(snapshot))

    def restore_now(self, snapshot: Snapshot) -> None:
        """Continue from ``snapshot``."""
        before = getattr(self, "state", None)
        check_snapshot(snapshot)
        self._observers.actions += 1
        snapshot.copy_to(self)
        if self.state is not before:
            self._camera = TrackingCamera(self.scene)
        self._watch = self._new_watch(self.scene)
        self.log.notify = self._observers.event
        self._drained = None if self._drained is None else []
        self._scene_changed()

    def _scene_changed(self) -> None:
        """Inform the observers that the scene was replaced, reset or restored."""
        self.generation += 1
        self._collect_readings()
        self._observers.start_clocks(self.scene.timestep, self.steps)
        self._observers.scene(self.scene)

    @classmethod
    def from_snapshot(cls, snapshot: Snapshot, *, crash_folder: Path | str | None = ".") -> Self:
        """Return a simulation that continues from ``snapshot``."""
        simulation = cls.__new__(cls)
        simulation.__setstate__({"snapshot": snapshot, "crash_folder": crash_folder})
        return simulation

    def fork(self, count: int) -> list[Simulation]:
        """Return ``count`` independent simulations that continue from the present state."""
        snapshot, first = self.save(), self.first
        forks = []
        for _ in range(schedule.whole_number(count, "fork: count")):
            fork = type(self).__new__(type(self))
            fork._create(self.start_world, self.seed, self._crash_folder, self.steps)
            fork.state = SceneState.of(self.scene.copy())
            fork._camera = TrackingCamera(fork.scene)
            if first is not None and first.state is self.state:
                fork.first = replace(first, state=fork.state)
            fork.restore_now(snapshot)
            forks.append(fork)
        return forks

    def __deepcopy__(self, memo: dict[int, Any]) -> Simulation:
        return self.fork(1)[0]

    def __getstate__(self) -> dict[str, object]:
        return {"snapshot": self.save(), "crash_folder": self._crash_folder}

    def __setstate__(self, state: dict[str, Any]) -> None:
        snapshot: Snapshot = state["snapshot"]
        self._create(snapshot.start, snapshot.seed, state["crash_folder"], snapshot.steps)
        self.restore_now(snapshot)

    # -- the world ---------------------------------------------------------------------------

    @property
    def world(self) -> World:
        """Present description of the world, with all added and without all removed bodies."""
        return self._world

    @world.setter
    def world(self, world: World) -> None:
        self._world = world  # after the same change of the compiled model

    @property
    def scene(self) -> Scene:
        """The compiled world."""
        return self.state.scene

    @property
    def model(self) -> mujoco.MjModel:
        """MuJoCo's model of the present world."""
        return self.state.scene.model

    @property
    def data(self) -> mujoco.MjData:
        """MuJoCo's state of the present world, with up-to-date poses of all bodies.

        To continue from another state use `restore`: encoders, gaits and energies have a state of
        their own, which writing to this object does not change.
        """
        self._update_poses()
        return self.state.data

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self.steps * self.scene.timestep

    @property
    def elapsed(self) -> float:
        """Simulated time since this simulation was created, s: a reset does not set it back."""
        return self.passed * self.scene.timestep

    def apply(self, action: Action, *, source: str = "python") -> None:
        """Carry out ``action`` now; every change of a running world passes through here.

        Args:
            action: the change.
            source: its cause, for observers: the address of a client, ``console`` and so on.

        Raises:
            BadValue: ``action`` is not an action, or cannot be carried out.
        """
        with self._observers.record(self, source, action):
            carry_out(self, action)

    def add(self, member: RobotEntry | WorldObject) -> None:
        """Add a robot or an object."""
        self.apply(actions.Join(member))

    def remove(self, names: str | Collection[str], *, source: str = "python") -> None:
        """Remove robots and objects from the world, with a single compilation."""
        gone = [names] if isinstance(names, str) else list(names)
        with self._observers.record(self, source, *map(actions.Leave, gone)):
            self.remove_now(gone)

    def remove_now(self, names: Collection[str]) -> None:
        """Remove robots and objects."""
        for name in names:
            self.state.body(name)  # raises UnknownName
        if names:
            self.recompose(world_changes.without_members(self.world, names))
            for by_robot in (self.sensor_rates, self.command_limits.present):
                for key in [key for key in by_robot if key[0] in names]:
                    by_robot.pop(key)
            for name in names:
                self.link_faults.pop(name, None)

    def prepare_join(self, entry: RobotEntry) -> SceneState:
        """Return the present state with robot ``entry`` added; the simulation does not change."""
        return self._prepare(world_changes.with_member(self.start_world, self.world, entry))

    def commit_join(
        self, entry: RobotEntry, prepared: SceneState, *, source: str = "python"
    ) -> None:
        """Add robot ``entry`` with the state that `prepare_join` has just returned."""
        with self._observers.record(self, source, actions.Join(entry)):
            self.join_now(entry, prepared)

    def join_now(self, entry: RobotEntry, prepared: SceneState) -> None:
        """Add a robot with its prepared state."""
        prepared.initialize_robot(entry)  # first: it may raise
        self._rebind(prepared)
        if not self.steps:  # later, its sensors wait for their phase or for `read`
            self.read_due_sensors()

    def schedule(self, time: float, action: Action, *, source: str = "python") -> None:
        """Carry out ``action`` when simulated time reaches ``time`` (s)."""
        delayed = actions.Delayed(schedule.as_number(time, "schedule: time") - self.time, action)
        with self._observers.record(self, source, delayed):
            self.schedule_now(time, action)

    def schedule_now(self, time: float, action: Action) -> None:
        """Add ``action`` to the schedule."""
        actions.check_action(action, "schedule")
        time = schedule.as_number(time, "schedule: time")
        if not time >= self.time:
            raise BadValue(
                f"schedule: time is {time} s, must be at least the present {self.time:.3f} s"
            )
        self.agenda.add(time, action)

    def carry_out_due(self, until: int | None = None) -> None:
        """Carry out the scheduled actions that are due.

        Args:
            until: number of scheduled actions since this simulation was created up to which they
                are carried out; None: all that are due.
        """
        while until is None or self.scheduled < until:
            if (action := self.agenda.pop_due(self.time)) is None:
                return
            self.scheduled += 1
            with self._observers.hold():
                self.apply(action, source="schedule")

    # -- observers ---------------------------------------------------------------------------

    def subscribe(
        self, observer: object, *, robot: str | None = None, rate_hz: float = STEP_RATE_HZ
    ) -> Subscription:
        """Call the methods of ``observer`` from now on: see `Observer`.

        Args:
            observer: object with some of the methods ``on_reading``, ``on_event``, ``on_action``,
                ``on_scene``, ``on_step``. They are called in the thread that steps the simulation;
                a `Mailbox` passes messages to another thread.
            robot: only what concerns this robot or object; None: the whole world.
            rate_hz: calls of ``on_step`` per simulated second.

        Returns:
            The subscription; its ``close`` ends it.
        """
        if robot is not None:
            self.state.body(robot)  # raises UnknownName
        subscription = self._observers.add(observer, robot, rate_hz)
        subscription.start_clock(self.scene.timestep, self.steps)
        self._collect_readings()
        return subscription

    def record(self, folder: Path | str, **options: Any) -> ClosableObserver:
        """Record everything from now on to an MCAP file in a new ``folder``, until ``close``.

        Args:
            folder: of the recording; other tools and `grouser replay` open it.
            options: fields of `grouser.recording.items.RecordOptions`, such as ``hz=50.0``.
        """
        # Loaded by name: recordings are a layer above this one.
        recorder = importlib.import_module("grouser.recording.recorder")
        made: ClosableObserver = recorder.record(self, folder, options)
        return made

    @property
    def is_untouched(self) -> bool:
        """True if no action was applied since the start of the world."""
        return not self._observers.actions

    def _collect_readings(self) -> None:
        """Store readings from now on if anything receives them, else do not."""
        wanted = self._drained is not None or self._observers.want("on_reading")
        self.active_sensors.collect(wanted)

    # -- command, step, read -----------------------------------------------------------------

    def command(
        self,
        robot: str,
        command: Mapping[str, float | Setpoint] | None = None,
        **more: float | Setpoint,
    ) -> None:
        """Command a robot; a command is valid until the next one.

        ``sim.command("quince", forward=0.1, front=angle(0.8))``; keys: see `Robot.setpoints`.
        """
        self.apply(actions.command_of(robot, command, more))

    def step(self, seconds: float | None = None, *, physics: StepPhysics = step_physics) -> None:
        """Advance by one step, or by ``seconds``.

        The order is always the same:

        1. due actions; their commands reach the drives
        2. the control loop, as in a batch of simulations (`Stepper.advance`): moving surfaces,
           physics, roll-backs, drives, work, gaits
        3. poses of gliding and spinning bodies
        4. due sensors
        5. check for divergence
        6. due triggers and their events
        7. observers

        Args:
            seconds: a whole number of time steps (see `round_to_steps`); None: one step.
            physics: advances physics; `DivergenceRecovery` passes another function.

        Raises:
            BadValue: ``seconds`` is negative or not a whole number of time steps.
        """
        missing = 1 if seconds is None else schedule.whole_steps(seconds, self.scene.timestep)
        while missing > 0:  # counted down, since an action may reset the simulation
            self.carry_out_due()  # 1
            state, begin = self.state, self.steps
            steps = min(missing, self._next_due() - begin)
            missing -= steps
            rows, memory, run = state.arrays, state.memory, partial(physics, state)
            sense = state.enable_sensors
            advance = state.stepper.advance(rows, memory, begin, steps, run, sense=sense)
            for now in advance:  # 2; stored at once, so that the count is right after an exception
                self.passed += now - self.steps
                self.steps = now
            self._watch.check_numbers(state.data, self.time)
            if self.motions.due <= self.steps:  # 3
                self.motions.advance(self.state, self.steps)
            self.read_due_sensors()  # 4
            if self.watch_clock.due <= self.steps:  # 5
                self._watch.check(self.state.data)
                self.watch_clock.tick()
            if self.triggers.due <= self.steps:  # 6
                crossings = self.triggers.find_crossings(self.model, self.state.data)
                with self._observers.hold():
                    for crossing in crossings:
                        self.events.handle_crossing(self, crossing)
            if self._observers.want("on_reading"):  # 7
                self._distribute_readings()
            if self._observers.due <= self.steps:
                self._observers.step(self.steps, self.time)

    def round_to_steps(self, seconds: float) -> float:
        """Return the multiple of the time step that is nearest to ``seconds``, for `step`."""
        duration = schedule.as_number(seconds, "round_to_steps: seconds")
        return round(duration / self.scene.timestep) * self.scene.timestep

    def read(self, robot: str, sensor: str) -> Reading:
        """Return the newest available reading of a sensor; with a delay, it was measured before."""
        self.check_sensor(robot, sensor)
        if self.active_sensors.has_no_reading(robot, sensor):
            self.apply(actions.MeasureSensor(robot, sensor, published=False))
        return self.active_sensors.read(robot, sensor, self.time)

    def check_sensor(self, robot: str, sensor: str) -> None:
        """Raise `UnknownName` if there is no such robot or sensor."""
        if robot not in self.scene.robots:
            raise unknown("read", "robot", robot, self.scene.robots)
        if (robot, sensor) not in self.scene.sensors:
            names = [name for owner, name in self.scene.sensors if owner == robot]
            raise unknown(f"robot '{robot}'", "sensor", sensor, names)

    def measure(self, robot: str, sensor: str) -> Reading:
        """Read a sensor now, in addition to its schedule; return as `read` does."""
        self.read(robot, sensor)  # raises UnknownName; measures a first time
        self.apply(actions.MeasureSensor(robot, sensor))
        return self.read(robot, sensor)

    def measure_now(self, robot: str, sensor: str, *, published: bool) -> None:
        """Read a sensor; ``published``: for `drain_readings`, too."""
        self.check_sensor(robot, sensor)
        sensors = self.active_sensors
        measure = sensors.measure if published else sensors.measure_first
        measure(robot, sensor, self.state.sensor_context())

    def drain_readings(self) -> list[tuple[str, Reading]]:
        """Return robot and reading of all readings since the last call.

        The first call starts the collection and returns none.
        """
        if self._drained is not None:
            self._distribute_readings()
        drained, self._drained = self._drained or [], []
        self._collect_readings()
        return drained

    def _distribute_readings(self) -> None:
        """Pass on the readings that have become available."""
        for robot, reading in self.active_sensors.drain_readings(self.time):
            if self._drained is not None:
                self._drained.append((robot, reading))
            self._observers.reading(robot, reading)

    @property
    def event_log(self) -> list[LogEntry]:
        """Log of triggers, events, messages and failures; oldest first."""
        return list(self.log.entries)

    def drain_events(self) -> list[LogEntry]:
        """Return the log entries since the last call."""
        return self.log.drain()

    def inside(self, trigger: str) -> list[str]:
        """Return the names of the robots and objects in a trigger's volume."""
        return self.triggers.inside(trigger)

    def pose(self, name: str) -> Pose:
        """Return the pose of a robot's root or of an object, X_WB."""
        self._update_poses()
        return self.state.pose(name)

    @property
    def robots(self) -> Mapping[str, RobotHandle]:
        """Handle of every robot, by name."""
        return Handles("robot", lambda: list(self.scene.robots), partial(RobotHandle, self))

    def view(self) -> Viewpoint:
        """Return the viewpoint of the world file's camera, which may follow a robot or object."""
        self._update_poses()
        return self._camera.viewpoint(self.state)

    # -- deprecated --------------------------------------------------------------------------

    def do(self, action: Action) -> None:
        """Call `apply`; deprecated."""
        warnings.warn("Simulation.do is deprecated, use apply", DeprecationWarning, stacklevel=2)
        self.apply(action)

    @property
    def happened(self) -> list[LogEntry]:
        """Alias of `event_log`; deprecated."""
        warnings.warn("happened is deprecated, use event_log", DeprecationWarning, stacklevel=2)
        return self.event_log

    def _update_poses(self) -> None:
        """Compute the poses of all bodies, once per step: after a step they are one step old."""
        now = self.generation, self.steps, self.state.data.qpos.tobytes()
        if self._posed != now:
            self._posed = now
            self.state.update_kinematics()

    def _rebind(self, state: SceneState) -> None:
        """Make ``state`` the running one, and bind everything that has indices into its model.

        All is bound before the first is replaced: if an exception is raised, nothing has changed.
        """
        before, scene = getattr(self, "state", None), state.scene
        watch_clock = schedule.Clock(1 / CHECK_PERIOD, scene.timestep)
        watch_clock.start(self.steps)
        active_sensors = self.active_sensors.rebound(scene, self.steps)
        triggers = self.triggers.rebound(scene, self.steps)
        motions = self.motions.rebound(scene, self.steps)
        camera, watch = TrackingCamera(scene), self._new_watch(scene)
        self.state, self._world, self._camera = state, scene.world, camera
        self._watch, self.watch_clock = watch, watch_clock
        self.active_sensors, self.triggers, self.motions = active_sensors, triggers, motions
        self._scene_changed()
        if before is not state:
            self.scene_builder.forget(before)

    def _new_watch(self, scene: Scene) -> DivergenceWatch:
        return DivergenceWatch(scene.model, scene.world.physics.energy_limit, self._crash_folder)

    def _prepare(self, world: World) -> SceneState:
        """Return the present state in ``world``."""
        prepared = self.scene_builder.prepare(self.scene, world, self.active_sensors.prepare)
        return prepared.transfer_state(self.state, started=self.steps > 0)

    def recompose(self, world: World) -> None:
        """Replace the running world by ``world``; the state of all present bodies is kept."""
        self._rebind(self._prepare(world))

    def _next_due(self) -> int:
        """Return the first step after now at which something is due."""
        due = min(self.active_sensors.due, self.watch_clock.due, self.triggers.due)
        due = min(due, self.motions.due, self.agenda.due(self.scene.timestep), self._observers.due)
        return max(self.steps + 1, due)

    def read_due_sensors(self) -> None:
        """Read every sensor that is due."""
        if self.active_sensors.due <= self.steps:
            self.active_sensors.read_due(self.steps, self.state.sensor_context())
