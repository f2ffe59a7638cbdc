"""The simulation: reset, command, step, read.

It knows no wall clock, no thread and no socket; whoever wants real time paces the calls of
``step``. One seed decides everything random in a run, and the same seed gives the same bits.
"""

from __future__ import annotations

import hashlib
import heapq
import math
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path

import mujoco
import numpy as np

from grouser.errors import BadValue, unknown
from grouser.frames import Array, Pose
from grouser.physics.drives import Setpoint
from grouser.physics.state import StateArrays
from grouser.rendering.viewpoint import Viewpoint
from grouser.sensors.sensor import Reading, SensorContext
from grouser.simulation.changes import actions, physics_changes
from grouser.simulation.changes.actions import Action, Join, Leave, Reset, SetPose
from grouser.simulation.changes.doors_and_motors import doors, motor_command, set_door
from grouser.simulation.changes.motions import Motions, motion_for, place_free_body
from grouser.simulation.changes.population import member_names, with_member, without_member
from grouser.simulation.changes.restart import restart
from grouser.simulation.divergence.watch import EVERY, Watch, log_warnings
from grouser.simulation.scene import Scene, compose
from grouser.simulation.schedule import Clock
from grouser.simulation.script.events import EventLog, Events, LogEntry
from grouser.simulation.script.triggers import Triggers
from grouser.simulation.sensing import ActiveSensors
from grouser.simulation.stepping import Stepper
from grouser.simulation.transfer import transfer_memory, transfer_state
from grouser.world.file import RobotEntry, World
from grouser.world.object import Object

_STATE = mujoco.mjtState.mjSTATE_INTEGRATION


class Simulation:
    """A world in which time passes."""

    def __init__(
        self, world: World, *, seed: int | None = None, crash_folder: Path | str = "."
    ) -> None:
        """Compose ``world`` and stand everybody where it says.

        Args:
            world: what is there.
            seed: decides everything random in the run; None: the world's own.
            crash_folder: where the last second is saved if physics blows up.
        """
        log_warnings()
        self.seed = world.seed if seed is None else seed
        self._crash_folder = Path(crash_folder)
        self._start = world.refereed()
        self._log = EventLog()
        self.paused = False
        """Whether whoever paces this simulation shall wait (`actions.Pause`)."""
        self.physics: Callable[[mujoco.MjModel, mujoco.MjData, int], None] = mujoco.mj_step
        """Lets so many steps of physics pass; whoever wants to guard it puts itself here."""
        self.reset()

    def reset(self) -> None:
        """Go back to the start: the world as it was given, time zero, the same random numbers."""
        self._agenda: list[tuple[float, int, Action]] = []
        self._order = count()
        self._sensors = ActiveSensors(self.seed)
        self._triggers = Triggers(self._start)
        self.events = Events(self._start, self.seed, self._log)
        self._motions = Motions()
        self._steps = 0
        scene = compose(self._start)
        self._take(scene, scene.initial())
        self.memory = self.stepper.memory(1)
        for entry in scene.world.robots:
            self._settle_in(entry)
        self._sense()
        self.events.start(self)

    # -- who is there ------------------------------------------------------------------------

    @property
    def world(self) -> World:
        """The world as it is now, with everybody who joined and nobody who left."""
        return self._world

    @property
    def model(self) -> mujoco.MjModel:
        """MuJoCo's model of the world as it is now."""
        return self.scene.model

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return float(self.data.time)

    def do(self, action: Action) -> None:
        """Carry out ``action`` now."""
        match action:
            case actions.Command(robot, command):
                self.command(robot, command)
            case Join(who):
                self._join(who)
            case Leave(name):
                self._leave(name)
            case SetPose(name, X_WB):
                self._place(name, X_WB)
            case actions.Move() | actions.Shift() | actions.Glide() | actions.Spin():
                self._carry(action)
            case actions.StopMotion(name):
                self._body(name)  # raises when there is nobody of this name
                self._motions.stop(name, self.model, self.data)
            case actions.SwitchMotors(robot, on, drives):
                self.command(
                    robot, motor_command(self.scene, self.angles(robot), robot, on, drives)
                )
            case actions.SetDoor(name, share):
                set_door(self.stepper, self.rows, doors(self.world, name)[name], share)
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
                self._restart(name)
            case Reset():
                self._log.add(LogEntry(self.time, "reset"))
                self.reset()

    def schedule(self, time: float, action: Action) -> None:
        """Carry out ``action`` when simulated time reaches ``time`` (s)."""
        if not time >= self.time:
            raise BadValue(f"schedule: {time} s is past, the simulation is at {self.time:.3f} s")
        heapq.heappush(self._agenda, (time, next(self._order), action))

    # -- command, step, read -----------------------------------------------------------------

    def command(
        self,
        robot: str,
        command: Mapping[str, float | Setpoint] | None = None,
        **more: float | Setpoint,
    ) -> None:
        """Tell a robot what to do until it is told something else.

        ``sim.command("quince", forward=0.1, front=angle(0.8))``; see `Robot.setpoints` for names.
        """
        told = {**(command or {}), **more}
        self.stepper.command(self.rows, self.memory, robot, told, which=0)

    def step(self, seconds: float | None = None) -> None:
        """Let one step pass, or as many as fit into ``seconds``.

        The order, always the same:

        1. actions that are due
        2. their commands reach the drives
        3. parts before physics (moving surfaces)
        4. physics
        5. parts after physics (roll-backs, drives settle, work is counted)
        6. what is carried about is put where it must be
        7. sensors that are due
        8. the watch looks for divergence
        9. triggers that are due, and what they set off
        """
        missing = 1 if seconds is None else self._whole_steps(seconds)
        while missing > 0:  # counted down: an action may start the world over
            self._act()  # 1, 2
            steps = min(missing, self._next_due() - self._steps)
            self._advance(steps)  # 3, 4, 5
            missing -= steps
            if self._motions.due <= self._steps:  # 6
                self._motions.advance(self.model, self.data, self._steps)
            self._sense()  # 7
            if self._watch_clock.due <= self._steps:  # 8
                self._watch.look(self.data)
                self._watch_clock.tick()
            if self._triggers.due <= self._steps:  # 9
                for crossing in self._triggers.look(self.model, self.data):
                    self.events.cross(self, crossing)

    def read(self, robot: str, sensor: str) -> Reading:
        """Return a robot's sensor's newest reading; one with a delay was measured before now."""
        if robot not in self.scene.robots:
            raise unknown("read", "robot", robot, self.scene.robots)
        if (robot, sensor) not in self.scene.sensors:
            names = [name for owner, name in self.scene.sensors if owner == robot]
            raise unknown(f"robot '{robot}'", "sensor", sensor, names)
        return self._sensors.read(robot, sensor, self.time)

    def measure(self, robot: str, sensor: str) -> Reading:
        """Read a robot's sensor now, out of turn; return its newest reading, as `read` does."""
        self.read(robot, sensor)  # raises when there is none of this name
        self._sensors.measure(robot, sensor, self._moment())
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
        return self._by_drive("angles", robot, self.stepper.odometer(self.rows, self.memory)())

    def energy(self, robot: str) -> dict[str, float]:
        """Return the signed work (J) each of a robot's drives has done since the start."""
        return self._by_drive("energy", robot, self.memory.work[0])

    def power(self, robot: str) -> dict[str, float]:
        """Return what each of a robot's drives puts into the world now, torque x speed, W."""
        return self._by_drive("power", robot, self.stepper.drives.power(self.rows)[0])

    def _by_drive(self, where: str, robot: str, values: Array) -> dict[str, float]:
        """Return the part of ``values`` (drives,) that is a robot's, by its drives' own names."""
        if robot not in self.scene.robots:
            raise unknown(where, "robot", robot, self.scene.robots)
        return {name: float(values[place]) for name, place in self.stepper.places[robot].items()}

    def pose(self, name: str) -> Pose:
        """Return where a robot's root or an object is now, X_WB."""
        mujoco.mj_kinematics(self.model, self.data)
        body = self.model.body(self._body(name)).id
        return Pose(self.data.xpos[body].copy(), self.data.xquat[body].copy())

    def view(self) -> Viewpoint:
        """Return the world file's camera, moved along with whomever it follows."""
        told = self.world.view
        lookat = np.array(told.lookat)
        if told.follow in member_names(self.world):
            lookat = lookat + self.pose(str(told.follow)).position
        x, y, z = lookat.tolist()
        return Viewpoint((x, y, z), told.distance, told.azimuth_deg, told.elevation_deg)

    def fingerprint(self) -> str:
        """Return a hash of the whole state: equal bits, equal hash."""
        state = np.empty(mujoco.mj_stateSize(self.model, int(_STATE)))
        mujoco.mj_getState(self.model, self.data, state, int(_STATE))
        digest = hashlib.sha256(state.tobytes())
        for array in self.memory.arrays():
            digest.update(array.tobytes())
        return digest.hexdigest()

    # -- how it works ------------------------------------------------------------------------

    def _take(self, scene: Scene, data: mujoco.MjData) -> None:
        """Make ``scene`` in state ``data`` the one that runs."""
        self.scene, self.data, self._world = scene, data, scene.world
        self.rows: StateArrays = StateArrays.one(scene.model, data)
        self.stepper: Stepper = Stepper(scene)
        timestep = float(scene.model.opt.timestep)
        self._watch = Watch(scene.model, scene.world.physics.energy_limit, self._crash_folder)
        self._watch_clock = Clock(1 / EVERY, timestep)
        self._watch_clock.start(self._steps)
        self._sensors.rebind(scene, self._steps)
        self._triggers.rebind(scene, self._steps)
        self._motions.rebind(scene, self._steps)

    def _settle_in(self, entry: RobotEntry) -> None:
        """Make a new robot hold its posture and start on its standing command."""
        try:
            self.stepper.settle_in(self.rows, self.memory, entry.name, entry.command)
        except (BadValue, LookupError) as error:
            number = self.world.robots.index(entry)
            raise BadValue(f"{self.world.where('robots', number, 'command')}: {error}") from error

    def _act(self) -> None:
        while self._agenda and self._agenda[0][0] <= self.time + 1e-9:
            self.do(heapq.heappop(self._agenda)[2])

    def _advance(self, steps: int) -> None:
        """Let ``steps`` pass; parts are looked after at whole multiples of the stride."""
        model, data, rows = self.model, self.data, self.rows
        stepper, memory, stride = self.stepper, self.memory, self.scene.stride
        moving = stepper.moving  # asked once: most scenes have no moving surfaces
        now, end = self._steps, self._steps + steps
        try:
            while now < end:
                into = now % stride
                if moving and not into:
                    stepper.before(rows)
                run = min(stride - into, end - now)
                self.physics(model, data, run)
                now += run
                if into + run == stride:
                    stepper.after(rows, memory, now // stride)
        finally:  # who gives up in the middle has still come this far
            self._steps = now

    def _next_due(self) -> int:
        """Return the first step after now at which something is due."""
        due = min(self._sensors.due, self._watch_clock.due, self._triggers.due, self._motions.due)
        if self._agenda:
            due = min(due, round(self._agenda[0][0] / self.scene.timestep))
        return max(self._steps + 1, due)

    def _sense(self) -> None:
        """Read every sensor that is due."""
        if self._sensors.due <= self._steps:
            self._sensors.look(self._steps, self._moment())

    def _moment(self) -> SensorContext:
        names, effort = self.stepper.drives.names, self.memory.effort[0]
        travel = self.stepper.odometer(self.rows, self.memory)
        return SensorContext(self.model, self.data, names, travel, effort)

    def _whole_steps(self, seconds: float) -> int:
        if not (math.isfinite(seconds) and seconds >= 0):
            raise BadValue(f"step: {seconds} s, a time of at least 0 is needed")
        return round(seconds / self.scene.timestep)

    def _body(self, name: str) -> str:
        if name in self.scene.robots:
            return f"{name}/{self.scene.robots[name].root}"
        if name in member_names(self.world):
            return name
        raise unknown("world", "robot or object", name, member_names(self.world))

    def _join(self, who: RobotEntry | Object) -> None:
        self._recompose(with_member(self._start, self.world, who))
        if isinstance(who, RobotEntry):
            self._settle_in(who)
        self._sense()

    def _leave(self, name: str) -> None:
        self._body(name)  # raises when there is nobody of this name
        self._recompose(without_member(self.world, name))

    def _recompose(self, world: World) -> None:
        """Go on in another world, in which everybody who was here before notices nothing."""
        scene = compose(world)
        data = scene.initial()
        transfer_state(self.model, self.data, scene.model, data)
        if not self._steps:  # nothing has moved yet: nobody's order of coming may leave a trace
            data.qacc_warmstart[:] = 0.0
        before, was = self.stepper, self.memory
        self._take(scene, data)
        self.memory = self.stepper.memory(1)
        transfer_memory(before, was, self.stepper, self.memory)

    def _place(self, name: str, X_WB: Pose) -> None:
        """Put ``name`` somewhere, at rest; what is fixed is built there."""
        body = self._body(name)
        self._motions.stop(name, self.model, self.data)
        self._triggers.jumped(name)
        if (fixed := physics_changes.find_fixed(self.world, name)) is not None:
            self._recompose(physics_changes.with_object_at(self.world, fixed, X_WB))
            return
        place_free_body(self.model, self.data, body, name, X_WB)
        mujoco.mj_forward(self.model, self.data)

    def _carry(self, action: actions.Move | actions.Shift | actions.Glide | actions.Spin) -> None:
        """Begin to carry something about, or put it there at once."""
        name, X_WB = action.name, self.pose(action.name)
        robot = self.scene.robots.get(name)
        made = motion_for(action, X_WB, robot.standing if robot else 0.0)
        if isinstance(made, Pose):
            self._place(name, made)
        else:
            self._motions.start(name, self._body(name), made, self.model, self._steps)

    def _restart(self, name: str) -> None:
        """Put ``name`` back to its start; the others go on."""
        self._body(name)  # raises when there is nobody of this name
        self._motions.forget(name)
        self._triggers.jumped(name)
        restart(self.scene, self.data, self.stepper, self.rows, self.memory, name)
