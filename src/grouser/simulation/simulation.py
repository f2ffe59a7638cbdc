"""Simulation: reset, command, step, read.

A simulation has no wall clock, thread or socket; the caller paces the calls of `Simulation.step`.
One seed determines all random numbers of a run: the same seed gives the same bits.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Collection, Mapping
from functools import partial
from pathlib import Path
from typing import Never

import mujoco

from grouser.errors import BadValue, unknown
from grouser.frames import Pose
from grouser.physics.drives import Setpoint
from grouser.rendering.viewpoint import Viewpoint
from grouser.sensors.sensor import Reading
from grouser.simulation.changes import actions, world_changes
from grouser.simulation.changes.actions import Action
from grouser.simulation.changes.motions import Motions, motion_for, place_free_body
from grouser.simulation.changes.restart import restart
from grouser.simulation.changes.scene_builder import SceneBuilder
from grouser.simulation.divergence.watch import CHECK_PERIOD, DivergenceWatch, log_warnings
from grouser.simulation.scene import Scene, compose
from grouser.simulation.scene_state import SceneState, StepPhysics, step_physics
from grouser.simulation.schedule import Agenda, Clock
from grouser.simulation.script.events import EventLog, Events, LogEntry
from grouser.simulation.script.triggers import Triggers
from grouser.simulation.sensing import ActiveSensors
from grouser.simulation.tracking_camera import TrackingCamera
from grouser.world.file import RobotEntry, World

STEP_TOLERANCE = 1e-6
"""Relative rounding error of a duration up to which it is a whole number of steps."""


class Simulation:
    """A running world."""

    def __init__(
        self, world: World, *, seed: int | None = None, crash_folder: Path | str | None = "."
    ) -> None:
        """Compile ``world`` and set its initial state.

        Args:
            world: the description.
            seed: of all random numbers of the run; None: the seed of the world.
            crash_folder: folder for the last second of states if physics diverges; None: none.
        """
        log_warnings()
        self.seed = world.seed if seed is None else seed
        self._crash_folder = None if crash_folder is None else Path(crash_folder)
        self._start = world.with_referee_volumes()
        self._log = EventLog()
        self._rates: dict[tuple[str, str], float] = {}
        """Robot and sensor -> readings per second, where they were changed."""
        self.paused = False
        """Flag of `actions.Pause` for the caller that paces this simulation."""
        self.scene_builder = SceneBuilder()
        """Compiler of scenes with other bodies; a server replaces it by one with a thread."""
        self.reset()

    def reset(self) -> None:
        """Return to the start: the given world, time zero, the same random numbers."""
        self._agenda: Agenda[Action] = Agenda()
        self._sensors = ActiveSensors(self.seed, self._rates)
        self._triggers = Triggers(self._start)
        self.events = Events(self._start, self.seed, self._log)
        self._motions = Motions()
        self._steps = 0
        scene = compose(self._start)
        self._rebind(SceneState.begin(scene, scene.initial()))
        for entry in scene.world.robots:
            self.state.initialize_robot(entry)
        self._sense()
        self.events.start(self)

    # -- the world ---------------------------------------------------------------------------

    @property
    def world(self) -> World:
        """Present description of the world, with all added and without all removed bodies."""
        return self._world

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
        """MuJoCo's state of the present world."""
        return self.state.data

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return float(self.state.data.time)

    def apply(self, action: Action) -> None:
        """Carry out ``action`` now.

        Raises:
            BadValue: ``action`` is not an action, or cannot be carried out.
        """
        match action:
            case actions.Command(robot, command):
                self.command(robot, command)
            case actions.Join(RobotEntry() as entry):
                self.commit_join(entry, self.prepare_join(entry))
            case actions.Join(member):
                self._recompose(world_changes.with_member(self._start, self.world, member))
            case actions.Leave(name):
                self.remove([name])
            case actions.Equip(robot, sensors):
                self._recompose(world_changes.with_sensors(self.world, robot, sensors))
                self._sense()
            case actions.SetSensorRate(robot, sensor, rate_hz):
                self._set_sensor_rate(robot, sensor, rate_hz)
            case actions.SetGaitParameters(robot, numbers):
                self._recompose(world_changes.with_gait(self.world, robot, numbers))
            case actions.SetPose(name, X_WB):
                self._place(name, X_WB)
            case actions.Move() | actions.Shift() | actions.Glide() | actions.Spin():
                self._move(action)
            case actions.StopMotion(name):
                self.state.body(name)
                self._motions.stop(self.state, name)
            case actions.SwitchMotors(robot, on, drives):
                self.command(robot, world_changes.motor_command(self.state, robot, on, drives))
            case actions.SetDoor(name, share):
                door = world_changes.door_named(self.world, name)
                world_changes.set_door(self.state, door, share)
            case actions.SwitchLamp() | actions.SetFriction() | actions.SetGravity():
                self._world = world_changes.change_model(self.model, self.world, action)
            case actions.SetDaylight(value):
                self._recompose(world_changes.with_daylight(self.world, value))
            case actions.FireEvent() | actions.RunEvent() | actions.ClockTick():
                self.events.apply(self, action)
            case actions.CallRoutine() | actions.RefereeCall():
                self.events.apply(self, action)
            case actions.Delayed(seconds, then):
                self.schedule(self.time + seconds, then)
            case actions.SendMessage(text, by):
                self._log.add(LogEntry(self.time, "message", by=by, text=text))
            case actions.Pause(on):
                self.paused = on
            case actions.Restart(name):
                self._restart(name)
            case actions.Reset():
                self._log.add(LogEntry(self.time, "reset"))
                self.reset()
            case _:
                raise _unknown_action(action)

    def remove(self, names: Collection[str]) -> None:
        """Remove robots and objects from the world, with a single recompilation."""
        for name in names:
            self.state.body(name)  # raises UnknownName
        if names:
            self._recompose(world_changes.without_members(self.world, names))
            for key in [key for key in self._rates if key[0] in names]:
                del self._rates[key]

    def prepare_join(self, entry: RobotEntry) -> SceneState:
        """Return the present state with robot ``entry`` added; the simulation does not change."""
        return self._prepare(world_changes.with_member(self._start, self.world, entry))

    def commit_join(self, entry: RobotEntry, prepared: SceneState) -> None:
        """Add robot ``entry`` with the state that `prepare_join` has just returned."""
        self._rebind(prepared)
        prepared.initialize_robot(entry)
        if not self._steps:  # later, its sensors wait for their phase or for `read`
            self._sense()

    def schedule(self, time: float, action: Action) -> None:
        """Carry out ``action`` when simulated time reaches ``time`` (s)."""
        if not time >= self.time:
            raise BadValue(
                f"schedule: time is {time} s, must be at least the present {self.time:.3f} s"
            )
        self._agenda.add(time, action)

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
        state = self.state
        state.stepper.command(
            state.arrays, state.memory, robot, {**(command or {}), **more}, which=0
        )

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

        Args:
            seconds: a whole number of time steps (see `round_to_steps`); None: one step.
            physics: advances physics; `DivergenceRecovery` passes another function.

        Raises:
            BadValue: ``seconds`` is negative or not a whole number of time steps.
        """
        missing = 1 if seconds is None else self._whole_steps(seconds)
        while missing > 0:  # counted down, since an action may reset the simulation
            while (action := self._agenda.pop_due(self.time)) is not None:  # 1
                self.apply(action)
            state, begin = self.state, self._steps
            steps = min(missing, self._next_due() - begin)
            missing -= steps
            advance = state.stepper.advance(
                state.arrays, state.memory, begin, steps, partial(physics, state)
            )
            for now in advance:  # 2; stored at once, so that the count is right after an exception
                self._steps = now
            if self._motions.due <= self._steps:  # 3
                self._motions.advance(self.state, self._steps)
            self._sense()  # 4
            if self._watch_clock.due <= self._steps:  # 5
                self._watch.check(self.data)
                self._watch_clock.tick()
            if self._triggers.due <= self._steps:  # 6
                for crossing in self._triggers.find_crossings(self.model, self.data):
                    self.events.handle_crossing(self, crossing)

    def round_to_steps(self, seconds: float) -> float:
        """Return the multiple of the time step that is nearest to ``seconds``, for `step`."""
        return round(seconds / self.scene.timestep) * self.scene.timestep

    def read(self, robot: str, sensor: str) -> Reading:
        """Return the newest available reading of a sensor; with a delay, it was measured before."""
        if robot not in self.scene.robots:
            raise unknown("read", "robot", robot, self.scene.robots)
        if (robot, sensor) not in self.scene.sensors:
            names = [name for owner, name in self.scene.sensors if owner == robot]
            raise unknown(f"robot '{robot}'", "sensor", sensor, names)
        if self._sensors.has_no_reading(robot, sensor):
            self._sensors.measure_first(robot, sensor, self.state.sensor_context())
        return self._sensors.read(robot, sensor, self.time)

    def measure(self, robot: str, sensor: str) -> Reading:
        """Read a sensor now, in addition to its schedule; return as `read` does."""
        self.read(robot, sensor)  # raises UnknownName
        self._sensors.measure(robot, sensor, self.state.sensor_context())
        return self.read(robot, sensor)

    def drain_readings(self) -> list[tuple[str, Reading]]:
        """Return robot and reading of all readings since the last call.

        The first call starts the collection and returns none.
        """
        return self._sensors.drain_readings(self.time)

    @property
    def event_log(self) -> list[LogEntry]:
        """Log of triggers, events, messages and failures; oldest first."""
        return list(self._log.entries)

    def drain_events(self) -> list[LogEntry]:
        """Return the log entries since the last call."""
        return self._log.drain()

    def inside(self, trigger: str) -> list[str]:
        """Return the names of the robots and objects in a trigger's volume."""
        return self._triggers.inside(trigger)

    def angles(self, robot: str) -> dict[str, float]:
        """Return the position of each of a robot's drives (rad; belts: m), not wrapped."""
        return self.state.angles(robot)

    def energy(self, robot: str) -> dict[str, float]:
        """Return the signed work (J) of each of a robot's drives since the start."""
        return self.state.energy(robot)

    def power(self, robot: str) -> dict[str, float]:
        """Return the mechanical power of each of a robot's drives, torque x speed, W."""
        return self.state.power(robot)

    def pose(self, name: str) -> Pose:
        """Return the pose of a robot's root or of an object, X_WB."""
        return self.state.pose(name)

    def view(self) -> Viewpoint:
        """Return the viewpoint of the world file's camera, which may follow a robot or object.

        The default follows the first robot obliquely from behind.
        """
        return self._camera.viewpoint(self.state)

    def fingerprint(self) -> str:
        """Return a hash of the whole state: equal bits, equal hash."""
        return self.state.fingerprint()

    # -- deprecated --------------------------------------------------------------------------

    def do(self, action: Action) -> None:
        """Call `apply`; deprecated."""
        warnings.warn("Simulation.do is deprecated, use apply", DeprecationWarning, stacklevel=2)
        self.apply(action)

    @property
    def happened(self) -> list[LogEntry]:
        """Alias of `event_log`; deprecated."""
        text = "Simulation.happened is deprecated, use event_log"
        warnings.warn(text, DeprecationWarning, stacklevel=2)
        return self.event_log

    # -- implementation ----------------------------------------------------------------------

    def _rebind(self, state: SceneState) -> None:
        """Make ``state`` the running one."""
        before = getattr(self, "state", None)
        self.state, scene = state, state.scene
        self._camera = TrackingCamera(scene)
        self._world = scene.world
        energy_limit = scene.world.physics.energy_limit
        self._watch = DivergenceWatch(scene.model, energy_limit, self._crash_folder)
        self._watch_clock = Clock(1 / CHECK_PERIOD, scene.timestep)
        self._watch_clock.start(self._steps)
        for follower in (self._sensors, self._triggers, self._motions):
            follower.rebind(scene, self._steps)
        self.scene_builder.forget(before)

    def _prepare(self, world: World) -> SceneState:
        """Return the present state in ``world``."""
        prepared = self.scene_builder.prepare(self.scene, world, self._sensors.prepare)
        return prepared.transfer_state(self.state, started=self._steps > 0)

    def _recompose(self, world: World) -> None:
        """Replace the running world by ``world``; the state of all present bodies is kept."""
        self._rebind(self._prepare(world))

    def _next_due(self) -> int:
        """Return the first step after now at which something is due."""
        due = min(
            self._sensors.due,
            self._watch_clock.due,
            self._triggers.due,
            self._motions.due,
            self._agenda.due(self.scene.timestep),
        )
        return max(self._steps + 1, due)

    def _sense(self) -> None:
        """Read every sensor that is due."""
        if self._sensors.due <= self._steps:
            self._sensors.read_due(self._steps, self.state.sensor_context())

    def _whole_steps(self, seconds: float) -> int:
        if not (math.isfinite(seconds) and seconds >= 0):
            raise BadValue(f"step: {seconds} s, a time of at least 0 is needed")
        timestep = self.scene.timestep
        steps = round(seconds / timestep)
        if abs(seconds / timestep - steps) > STEP_TOLERANCE * max(1.0, seconds / timestep):
            raise BadValue(
                f"step: {seconds:g} s is not a whole number of time steps of {timestep:g} s; "
                f"the nearest is {steps * timestep:g} s"
            )
        return steps

    def _set_sensor_rate(self, robot: str, sensor: str, rate_hz: float) -> None:
        self.read(robot, sensor)  # raises UnknownName
        if not rate_hz > 0:
            raise BadValue(f"sensor '{sensor}': rate_hz is {rate_hz}, must be above 0")
        self._rates[robot, sensor] = rate_hz
        self._sensors.rebind(self.scene, self._steps)

    def _restart(self, name: str) -> None:
        """Return one robot or object to its start."""
        self.state.body(name)  # raises UnknownName
        self._motions.forget(name)
        self._triggers.forget_position(name)
        restart(self.state, name)

    def _place(self, name: str, X_WB: Pose) -> None:
        """Set the pose of a body at rest; a fixed object is rebuilt there."""
        self.state.body(name)  # raises UnknownName
        if (fixed := world_changes.find_fixed(self.world, name)) is not None:
            self._recompose(world_changes.with_object_at(self.world, fixed, X_WB))
            self._triggers.forget_position(name)
            return
        self._motions.stop(self.state, name)
        self._triggers.forget_position(name)
        place_free_body(self.state, name, X_WB)
        mujoco.mj_forward(self.model, self.data)

    def _move(self, action: actions.Move | actions.Shift | actions.Glide | actions.Spin) -> None:
        """Start a motion, or set the pose at once."""
        name, X_WB = action.name, self.pose(action.name)
        robot = self.scene.robots.get(name)
        motion = motion_for(action, X_WB, robot.standing if robot else 0.0)
        if isinstance(motion, Pose):
            self._place(name, motion)
        else:
            self._motions.start(self.state, name, motion, self._steps)


def _unknown_action(value: Never) -> BadValue:
    """Return the error for a value that is no action; `Never`: `Simulation.apply` handles all."""
    return BadValue(f"apply: {value!r} is not an action of grouser.simulation.changes.actions")
