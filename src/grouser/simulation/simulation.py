"""The simulation: reset, command, step, read.

It knows no wall clock, no thread and no socket; whoever wants real time paces the calls of
``step``. One seed decides everything random in a run, and the same seed gives the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from functools import partial
from pathlib import Path

import mujoco

from grouser.errors import BadValue, unknown
from grouser.frames import Pose
from grouser.physics.drives import Setpoint
from grouser.rendering.viewpoint import Viewpoint
from grouser.sensors.sensor import Reading
from grouser.simulation.changes import actions, physics_changes
from grouser.simulation.changes.actions import Action
from grouser.simulation.changes.doors_and_motors import door_named, motor_command, set_door
from grouser.simulation.changes.motions import Motions, motion_for, place_free_body
from grouser.simulation.changes.population import (
    with_gait,
    with_member,
    with_sensors,
    without_members,
)
from grouser.simulation.changes.recompose import Recomposer, Recomposing
from grouser.simulation.changes.restart import restart
from grouser.simulation.divergence.watch import EVERY, DivergenceWatch, log_warnings
from grouser.simulation.live_scene import LiveScene, Physics, plain_physics
from grouser.simulation.scene import Scene, compose
from grouser.simulation.schedule import Agenda, Clock
from grouser.simulation.script.events import EventLog, Events, LogEntry
from grouser.simulation.script.triggers import Triggers
from grouser.simulation.sensing import ActiveSensors
from grouser.simulation.viewing import Viewing
from grouser.world.file import RobotEntry, World


class Simulation:
    """A world in which time passes."""

    def __init__(
        self, world: World, *, seed: int | None = None, crash_folder: Path | str | None = "."
    ) -> None:
        """Compose ``world`` and stand everybody where it says.

        Args:
            world: what is there.
            seed: decides everything random in the run; None: the world's own.
            crash_folder: where the last second is saved if physics blows up; None: nowhere.
        """
        log_warnings()
        self.seed = world.seed if seed is None else seed
        self._crash_folder = None if crash_folder is None else Path(crash_folder)
        self._start = world.with_referee_volumes()
        self._log = EventLog()
        self._rates: dict[tuple[str, str], float] = {}
        """Robot and sensor → readings per second, where somebody asked for another rate."""
        self.paused = False
        """Whether whoever paces this simulation shall wait (`actions.Pause`)."""
        self.recomposer: Recomposing = Recomposer()
        """Makes worlds ready into which somebody joins; whoever serves gives another one."""
        self.reset()

    def reset(self) -> None:
        """Go back to the start: the world as it was given, time zero, the same random numbers."""
        self._agenda: Agenda[Action] = Agenda()
        self._sensors = ActiveSensors(self.seed, self._rates)
        self._triggers = Triggers(self._start)
        self.events = Events(self._start, self.seed, self._log)
        self._motions = Motions()
        self._steps = 0
        scene = compose(self._start)
        self._rebind(LiveScene.begin(scene, scene.initial()))
        for entry in scene.world.robots:
            self.live.settle_in(entry)
        self._sense()
        self.events.start(self)

    # -- who is there ------------------------------------------------------------------------

    @property
    def world(self) -> World:
        """The world as it is now, with everybody who joined and nobody who left."""
        return self._world

    @property
    def scene(self) -> Scene:
        """The compiled world, and what is where in it."""
        return self.live.scene

    @property
    def model(self) -> mujoco.MjModel:
        """MuJoCo's model of the world as it is now."""
        return self.live.scene.model

    @property
    def data(self) -> mujoco.MjData:
        """MuJoCo's state of the world now."""
        return self.live.data

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return float(self.live.data.time)

    def do(self, action: Action) -> None:
        """Carry out ``action`` now."""
        match action:
            case actions.Command(robot, command):
                self.command(robot, command)
            case actions.Join(RobotEntry() as who):
                self.accept(who, self.try_out(who))
            case actions.Join(who):
                self._recompose(with_member(self._start, self.world, who))
            case actions.Leave(name):
                self.remove([name])
            case actions.Equip(robot, sensors):
                self._recompose(with_sensors(self.world, robot, sensors))
                self._sense()
            case actions.SetSensorRate(robot, sensor, rate_hz):
                self.read(robot, sensor)  # raises when there is none of this name
                if not rate_hz > 0:
                    raise BadValue(f"sensor '{sensor}': rate_hz is {rate_hz}, must be above 0")
                self._rates[robot, sensor] = rate_hz
                self._sensors.rebind(self.scene, self._steps)
            case actions.Retune(robot, numbers):
                self._recompose(with_gait(self.world, robot, numbers))
            case actions.SetPose(name, X_WB):
                self._place(name, X_WB)
            case actions.Move() | actions.Shift() | actions.Glide() | actions.Spin():
                self._move(action)
            case actions.StopMotion(name):
                self.live.body(name)
                self._motions.stop(self.live, name)
            case actions.SwitchMotors(robot, on, drives):
                self.command(robot, motor_command(self.live, robot, on, drives))
            case actions.SetDoor(name, share):
                set_door(self.live, door_named(self.world, name), share)
            case actions.SwitchLamp() | actions.SetFriction() | actions.SetGravity():
                self._world = physics_changes.apply(self.model, self.world, action)
            case actions.SetDaylight(value):
                self._recompose(physics_changes.with_daylight(self.world, value))
            case actions.FireEvent() | actions.RunEvent() | actions.ClockTick():
                self.events.do(self, action)
            case actions.CallRoutine() | actions.RefereeCall():
                self.events.do(self, action)
            case actions.Delayed(seconds, then):
                self.schedule(self.time + seconds, then)
            case actions.Say(text, by):
                self._log.add(LogEntry(self.time, "said", by=by, text=text))
            case actions.Pause(on):
                self.paused = on
            case actions.Restart(name):
                self.live.body(name)
                self._motions.forget(name)
                self._triggers.forget_position(name)
                restart(self.live, name)
            case actions.Reset():
                self._log.add(LogEntry(self.time, "reset"))
                self.reset()

    def remove(self, names: Collection[str]) -> None:
        """Take robots and objects out of the world, all at once: it is composed only once."""
        for name in names:
            self.live.body(name)  # raises when there is nobody of this name
        if names:
            self._recompose(without_members(self.world, names))
            for key in [key for key in self._rates if key[0] in names]:
                del self._rates[key]

    def try_out(self, who: RobotEntry) -> LiveScene:
        """Return how everything would be now if ``who`` had joined; nothing changes."""
        return self._prepare(with_member(self._start, self.world, who))

    def accept(self, who: RobotEntry, tried: LiveScene) -> None:
        """Let ``who`` join in the world that was tried out with it, just now."""
        self._rebind(tried)
        tried.settle_in(who)
        if not self._steps:  # else its sensors are read soon, or when somebody asks
            self._sense()

    def schedule(self, time: float, action: Action) -> None:
        """Carry out ``action`` when simulated time reaches ``time`` (s)."""
        if not time >= self.time:
            raise BadValue(f"schedule: {time} s is past, the simulation is at {self.time:.3f} s")
        self._agenda.add(time, action)

    # -- command, step, read -----------------------------------------------------------------

    def command(
        self,
        robot: str,
        command: Mapping[str, float | Setpoint] | None = None,
        **more: float | Setpoint,
    ) -> None:
        """Command a robot; it goes on so until its next command.

        ``sim.command("quince", forward=0.1, front=angle(0.8))``; see `Robot.setpoints` for names.
        """
        self.live.command(robot, {**(command or {}), **more})

    def step(self, seconds: float | None = None, *, physics: Physics = plain_physics) -> None:
        """Let one step pass, or as many as fit into ``seconds``.

        The order, always the same:

        1. actions that are due, and their commands reach the drives
        2. what happens between actions, in a batch of simulations as here (`Stepper.advance`):
           moving surfaces, physics, roll-backs, drives settle, work is counted, legs walk
        3. what glides or spins is put where it must be
        4. sensors that are due
        5. the watch looks for divergence
        6. triggers that are due, and what they set off

        Args:
            seconds: how much time passes; None: one step.
            physics: lets steps of physics pass; whoever guards the simulation gives another one.
        """
        missing = 1 if seconds is None else self._whole_steps(seconds)
        while missing > 0:  # counted down: an action may start the world over
            while (action := self._agenda.pop_due(self.time)) is not None:  # 1
                self.do(action)
            live, begin = self.live, self._steps
            steps = min(missing, self._next_due() - begin)
            missing -= steps
            advance = live.stepper.advance(
                live.arrays, live.memory, begin, steps, partial(physics, live)
            )
            for now in advance:  # 2; kept at once: who gives up in the middle has come this far
                self._steps = now
            if self._motions.due <= self._steps:  # 3
                self._motions.advance(self.live, self._steps)
            self._sense()  # 4
            if self._watch_clock.due <= self._steps:  # 5
                self._watch.check(self.data)
                self._watch_clock.tick()
            if self._triggers.due <= self._steps:  # 6
                for crossing in self._triggers.find_crossings(self.model, self.data):
                    self.events.handle_crossing(self, crossing)

    def read(self, robot: str, sensor: str) -> Reading:
        """Return a robot's sensor's newest reading; one with a delay was measured before now."""
        if robot not in self.scene.robots:
            raise unknown("read", "robot", robot, self.scene.robots)
        if (robot, sensor) not in self.scene.sensors:
            names = [name for owner, name in self.scene.sensors if owner == robot]
            raise unknown(f"robot '{robot}'", "sensor", sensor, names)
        if self._sensors.is_silent(robot, sensor):
            self._sensors.measure_silent(robot, sensor, self.live.sensor_context())
        return self._sensors.read(robot, sensor, self.time)

    def measure(self, robot: str, sensor: str) -> Reading:
        """Read a robot's sensor now, out of turn; return its newest reading, as `read` does."""
        self.read(robot, sensor)  # raises when there is none of this name
        self._sensors.measure(robot, sensor, self.live.sensor_context())
        return self.read(robot, sensor)

    def drain_readings(self) -> list[tuple[str, Reading]]:
        """Return what sensors have said since this was last called, with their robots' names.

        The first call begins to keep readings, and returns none.
        """
        return self._sensors.drain_readings(self.time)

    @property
    def happened(self) -> list[LogEntry]:
        """What has happened so far: who came and went, which events, what was said."""
        return list(self._log.happened)

    def drain_events(self) -> list[LogEntry]:
        """Return what has happened since this was last called."""
        return self._log.drain()

    def inside(self, trigger: str) -> list[str]:
        """Return the names of those who are in a trigger's volume."""
        return self._triggers.inside(trigger)

    def angles(self, robot: str) -> dict[str, float]:
        """Return where each of a robot's drives is now (rad; belts: m), counted through turns."""
        return self.live.angles(robot)

    def energy(self, robot: str) -> dict[str, float]:
        """Return the signed work (J) each of a robot's drives has done since the start."""
        return self.live.energy(robot)

    def power(self, robot: str) -> dict[str, float]:
        """Return what each of a robot's drives puts into the world now, torque x speed, W."""
        return self.live.power(robot)

    def pose(self, name: str) -> Pose:
        """Return where a robot's root or an object is now, X_WB."""
        return self.live.pose(name)

    def view(self) -> Viewpoint:
        """Return the world file's camera, moved along with whomever it follows.

        A world that names none gets one that follows its first robot from behind and aside.
        """
        return self._viewing.viewpoint(self.live)

    def fingerprint(self) -> str:
        """Return a hash of the whole state: equal bits, equal hash."""
        return self.live.fingerprint()

    # -- how it works ------------------------------------------------------------------------

    def _rebind(self, live: LiveScene) -> None:
        """Make ``live`` the one that runs."""
        before = getattr(self, "live", None)
        self.live, scene = live, live.scene
        self._viewing = Viewing(scene)
        self._world = scene.world
        energy_limit = scene.world.physics.energy_limit
        self._watch = DivergenceWatch(scene.model, energy_limit, self._crash_folder)
        self._watch_clock = Clock(1 / EVERY, scene.timestep)
        self._watch_clock.start(self._steps)
        for follower in (self._sensors, self._triggers, self._motions):
            follower.rebind(scene, self._steps)
        self.recomposer.forget(before)

    def _prepare(self, world: World) -> LiveScene:
        """Return ``world`` as it would be now: everybody who is here goes on in it."""
        ready = self.recomposer.prepare(self.scene, world, self._sensors.look_ahead)
        return ready.carry_over(self.live, started=self._steps > 0)

    def _recompose(self, world: World) -> None:
        """Rebind to another world, in which everybody who was here before notices nothing."""
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
            self._sensors.read_due(self._steps, self.live.sensor_context())

    def _whole_steps(self, seconds: float) -> int:
        if not (math.isfinite(seconds) and seconds >= 0):
            raise BadValue(f"step: {seconds} s, a time of at least 0 is needed")
        return round(seconds / self.scene.timestep)

    def _place(self, name: str, X_WB: Pose) -> None:
        """Put ``name`` somewhere, at rest; what is fixed is built there."""
        self.live.body(name)  # raises when there is nobody of this name
        if (fixed := physics_changes.find_fixed(self.world, name)) is not None:
            self._recompose(physics_changes.with_object_at(self.world, fixed, X_WB))
            self._triggers.forget_position(name)
            return
        self._motions.stop(self.live, name)
        self._triggers.forget_position(name)
        place_free_body(self.live, name, X_WB)
        mujoco.mj_forward(self.model, self.data)

    def _move(self, action: actions.Move | actions.Shift | actions.Glide | actions.Spin) -> None:
        """Begin a motion, or put something there at once."""
        name, X_WB = action.name, self.pose(action.name)
        robot = self.scene.robots.get(name)
        motion = motion_for(action, X_WB, robot.standing if robot else 0.0)
        if isinstance(motion, Pose):
            self._place(name, motion)
        else:
            self._motions.start(self.live, name, motion, self._steps)
