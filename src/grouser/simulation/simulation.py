"""The simulation: reset, command, step, read.

It knows no wall clock, no thread and no socket; whoever wants real time paces the calls of
``step``. One seed decides everything random in a run, and the same seed gives the same bits.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Mapping
from itertools import count
from pathlib import Path

import mujoco
import numpy as np

from grouser.drives import Setpoint
from grouser.errors import BadValue, unknown
from grouser.frames import Array, Pose
from grouser.rows import Rows
from grouser.sensors.render import View
from grouser.sensors.sensor import Moment, Reading
from grouser.simulation.actions import Action, Command, Join, Leave, Place, Reset
from grouser.simulation.carry import carry_memory, carry_state
from grouser.simulation.parts import Parts
from grouser.simulation.scene import Scene, compose
from grouser.simulation.schedule import Clock
from grouser.simulation.senses import Senses
from grouser.simulation.watch import EVERY, Watch, log_warnings
from grouser.world.file import RobotEntry, World
from grouser.world.objects import Object

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
        self._start = world
        self.reset()

    def reset(self) -> None:
        """Go back to the start: the world as it was given, time zero, the same random numbers."""
        self._agenda: list[tuple[float, int, Action]] = []
        self._order = count()
        self._senses = Senses(self.seed)
        self._steps = 0
        scene = compose(self._start)
        self._take(scene, scene.initial())
        self.memory = self.parts.memory(1)
        for entry in scene.world.robots:
            self._settle_in(entry)
        self._sense()

    # -- who is there ------------------------------------------------------------------------

    @property
    def world(self) -> World:
        """The world as it is now, with everybody who joined and nobody who left."""
        return self.scene.world

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
            case Command(robot, command):
                self.command(robot, command)
            case Join(who):
                self._join(who)
            case Leave(name):
                self._leave(name)
            case Place(name, X_WB):
                self._place(name, X_WB)
            case Reset():
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
        self.parts.command(self.rows, self.memory, robot, {**(command or {}), **more})

    def step(self, seconds: float | None = None) -> None:
        """Let one step pass, or as many as fit into ``seconds``.

        The order, always the same:

        1. actions that are due
        2. their commands reach the drives
        3. parts before physics (moving surfaces)
        4. physics
        5. parts after physics (roll-backs, drives settle, work is counted)
        6. sensors that are due
        7. the watch looks for divergence
        """
        steps = 1 if seconds is None else self._whole_steps(seconds)
        end = self._steps + steps
        while self._steps < end:
            self._act()  # 1, 2
            self._advance(min(end, self._next_due()) - self._steps)  # 3, 4, 5
            self._sense()  # 6
            if self._watch_clock.due <= self._steps:  # 7
                self._watch.look(self.data)
                self._watch_clock.tick()

    def read(self, robot: str, sensor: str) -> Reading:
        """Return a robot's sensor's newest reading; one with a delay was measured before now."""
        if robot not in self.scene.robots:
            raise unknown("read", "robot", robot, self.scene.robots)
        if (robot, sensor) not in self.scene.sensors:
            names = [name for owner, name in self.scene.sensors if owner == robot]
            raise unknown(f"robot '{robot}'", "sensor", sensor, names)
        return self._senses.read(robot, sensor, self.time)

    def fresh(self) -> list[tuple[str, Reading]]:
        """Return what sensors have said since this was last called, with their robots' names.

        The first call begins to keep readings, and returns none.
        """
        return self._senses.fresh(self.time)

    def angles(self, robot: str) -> dict[str, float]:
        """Return where each of a robot's drives is now (rad; belts: m), counted through turns."""
        return self._by_drive("angles", robot, self.parts.odometer(self.rows, self.memory)())

    def energy(self, robot: str) -> dict[str, float]:
        """Return the signed work (J) each of a robot's drives has done since the start."""
        return self._by_drive("energy", robot, self.memory.work[0])

    def power(self, robot: str) -> dict[str, float]:
        """Return what each of a robot's drives puts into the world now, torque x speed, W."""
        return self._by_drive("power", robot, self.parts.drives.power(self.rows)[0])

    def _by_drive(self, where: str, robot: str, values: Array) -> dict[str, float]:
        """Return the part of ``values`` (drives,) that is a robot's, by its drives' own names."""
        if robot not in self.scene.robots:
            raise unknown(where, "robot", robot, self.scene.robots)
        prefix = f"{robot}/"
        return {
            name.removeprefix(prefix): float(value)
            for name, value in zip(self.parts.drives.names, values, strict=True)
            if name.startswith(prefix)
        }

    def pose(self, name: str) -> Pose:
        """Return where a robot's root or an object is now, X_WB."""
        mujoco.mj_kinematics(self.model, self.data)
        body = self.model.body(self._body(name)).id
        return Pose(self.data.xpos[body].copy(), self.data.xquat[body].copy())

    def view(self) -> View:
        """Return the world file's camera, moved along with whomever it follows."""
        told = self.world.view
        lookat = np.array(told.lookat)
        if told.follow in self._names():
            lookat = lookat + self.pose(str(told.follow)).position
        x, y, z = lookat.tolist()
        return View((x, y, z), told.distance, told.azimuth_deg, told.elevation_deg)

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
        self.scene, self.data = scene, data
        self.rows = Rows.one(scene.model, data)
        self.parts = Parts(scene)
        timestep = float(scene.model.opt.timestep)
        self._watch = Watch(scene.model, scene.world.physics.energy_limit, self._crash_folder)
        self._watch_clock = Clock(1 / EVERY, timestep)
        self._watch_clock.start(self._steps)
        self._senses.take(scene, self._steps)

    def _settle_in(self, entry: RobotEntry) -> None:
        """Make a new robot hold its posture and start on its standing command."""
        try:
            self.parts.settle_in(self.rows, self.memory, entry.name, entry.command)
        except (BadValue, LookupError) as error:
            number = self.world.robots.index(entry)
            raise BadValue(f"{self.world.where('robots', number, 'command')}: {error}") from error

    def _act(self) -> None:
        while self._agenda and self._agenda[0][0] <= self.time + 1e-9:
            self.do(heapq.heappop(self._agenda)[2])

    def _advance(self, steps: int) -> None:
        """Let ``steps`` pass; parts are looked after at whole multiples of the stride."""
        model, data, rows = self.model, self.data, self.rows
        parts, memory, stride = self.parts, self.memory, self.scene.stride
        moving = parts.moving  # asked once: most scenes have no moving surfaces
        now, end = self._steps, self._steps + steps
        while now < end:
            into = now % stride
            if moving and not into:
                parts.before(rows)
            run = min(stride - into, end - now)
            mujoco.mj_step(model, data, run)
            now += run
            if into + run == stride:
                parts.after(rows, memory, now // stride)
        self._steps = now

    def _next_due(self) -> int:
        """Return the first step after now at which something is due."""
        due = min(self._senses.due, self._watch_clock.due)
        if self._agenda:
            due = min(due, round(self._agenda[0][0] / self.model.opt.timestep))
        return max(self._steps + 1, due)

    def _sense(self) -> None:
        """Read every sensor that is due."""
        if self._senses.due <= self._steps:
            names, effort = self.parts.drives.names, self.memory.effort[0]
            travel = self.parts.odometer(self.rows, self.memory)
            self._senses.look(self._steps, Moment(self.model, self.data, names, travel, effort))

    def _whole_steps(self, seconds: float) -> int:
        if not (np.isfinite(seconds) and seconds >= 0):
            raise BadValue(f"step: {seconds} s, a time of at least 0 is needed")
        return round(seconds / float(self.model.opt.timestep))

    def _body(self, name: str) -> str:
        if name in self.scene.robots:
            return f"{name}/{self.scene.robots[name].root}"
        if name in self._names():
            return name
        raise unknown("world", "robot or object", name, self._names())

    def _names(self) -> list[str]:
        return [*self.scene.robots, *(thing.name for thing in self.world.objects)]

    def _join(self, who: RobotEntry | Object) -> None:
        if who.name in self._names():
            raise BadValue(f"world: there is already somebody called '{who.name}'")
        if isinstance(who, RobotEntry):
            self._recompose(self.world.changed(robots=self._lined_up(who)))
            self._settle_in(who)
        else:
            self._recompose(self.world.changed(objects=(*self.world.objects, who)))
        self._sense()

    def _lined_up(self, who: RobotEntry) -> tuple[RobotEntry, ...]:
        """Return all robots and ``who``: the world's own, then those who joined, by name.

        Then the same crowd is the same bits, in whatever order it came.
        """
        own = {entry.name for entry in self._start.robots}
        all_of_them = (*self.world.robots, who)
        return tuple(sorted(all_of_them, key=lambda one: "" if one.name in own else one.name))

    def _leave(self, name: str) -> None:
        self._body(name)  # raises when there is nobody of this name
        robots = tuple(entry for entry in self.world.robots if entry.name != name)
        objects = tuple(thing for thing in self.world.objects if thing.name != name)
        self._recompose(self.world.changed(robots=robots, objects=objects))

    def _recompose(self, world: World) -> None:
        """Go on in another world, in which everybody who was here before notices nothing."""
        scene = compose(world)
        data = scene.initial()
        carry_state(self.model, self.data, scene.model, data)
        if not self._steps:  # nothing has moved yet: nobody's order of coming may leave a trace
            data.qacc_warmstart[:] = 0.0
        before, was = self.parts, self.memory
        self._take(scene, data)
        self.memory = self.parts.memory(1)
        carry_memory(before, was, self.parts, self.memory)

    def _place(self, name: str, X_WB: Pose) -> None:
        body = self.model.body(self._body(name)).id
        joint = int(self.model.body_jntadr[body])
        free = mujoco.mjtJoint.mjJNT_FREE
        if joint < 0 or self.model.jnt_type[joint] != free:
            raise BadValue(f"world: '{name}' is fixed, it cannot be placed elsewhere")
        position, dof = self.model.jnt_qposadr[joint], self.model.jnt_dofadr[joint]
        self.data.qpos[position : position + 7] = [*X_WB.position, *X_WB.wxyz]
        self.data.qvel[dof : dof + 6] = 0.0
        mujoco.mj_forward(self.model, self.data)
