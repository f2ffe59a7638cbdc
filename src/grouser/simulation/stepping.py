"""What happens between physics steps: belts roll, drives settle, work is counted, legs walk.

Written on `StateArrays`, so that one simulation and a batch of thousands share it to the bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from grouser.errors import unknown
from grouser.frames import Array
from grouser.physics.drives import Drives, Setpoint
from grouser.physics.state import StateArrays, Which
from grouser.simulation.gaits import Gaits, RunningGait
from grouser.simulation.scene import SETTLE_TIME, Scene
from grouser.tracks.segments import RollBack
from grouser.tracks.surface import MovingSurface

MODEL_FIELDS = (
    "actuator_gear",
    "actuator_trnid",
    "actuator_ctrladr",
    "actuator_actadr",
    "actuator_outadr",
    "jnt_qposadr",
    "jnt_dofadr",
    "sensor_adr",
)
"""What a stepper looks up in the model once: simulations that share a stepper agree in these."""


@dataclass(frozen=True)
class StepMemory:
    """State beside MuJoCo's: roll-backs, work, gaits; arrays with one row per simulation."""

    turns: Array
    """Pitches each segment belt was rolled back by, (n, belts)."""
    work: Array
    """Signed work of each drive, J, (n, drives): what it took back counts against it."""
    effort: Array
    """Sum of |force x speed| x dt of each drive, J, (n, drives): braking costs as well."""
    running_gaits: tuple[RunningGait, ...]
    """What walking robots are doing, one for each kind of gait."""

    def arrays(self) -> list[Array]:
        """Return all that is remembered."""
        running_gaits = [
            array for gait in self.running_gaits for array in (gait.state, gait.inputs, gait.awake)
        ]
        return [self.turns, self.work, self.effort, *running_gaits]


def settle_strides(every: float) -> int:
    """Return after how many strides of ``every`` seconds drives settle."""
    return max(1, round(SETTLE_TIME / every))


class Stepper:
    """Looks after all belts, drives and gaits of a scene, in one simulation or in many."""

    def __init__(self, scene: Scene) -> None:
        """Look everything up once."""
        self.drives = Drives(scene.model, scene.drives, {belt.name for belt in scene.belts})
        self.gaits = Gaits(scene.robots, self.drives)
        self._robots = scene.robots
        index = {name: place for place, name in enumerate(self.drives.names)}
        self.places = {
            name: {drive: index[f"{name}/{drive}"] for drive in robot.drives}
            for name, robot in scene.robots.items()
        }
        """Robot → its drives' places in `Drives.names`."""
        self._stride = scene.stride
        every = self._every = scene.stride * float(scene.model.opt.timestep)
        self._settle_strides = settle_strides(every)
        self._settle_time = self._settle_strides * every
        self._roll_back = RollBack(scene.model, scene.belts)
        self._surface = MovingSurface(scene.model, scene.belts, every)
        self._has_roll_back, self._has_surfaces = bool(self._roll_back), bool(self._surface)
        self._has_gaits, self._has_drives = bool(self.gaits), bool(self.drives.names)
        pitches = {belt.name: belt.pitch for belt in scene.belts if belt.drive == belt.name}
        self._per_turn = np.zeros((len(self.belts), len(self.drives.names)))
        for row, name in enumerate(self.belts):
            if name in pitches:
                self._per_turn[row, self.drives.names.index(name)] = pitches[name]

    @property
    def belts(self) -> tuple[str, ...]:
        """Names of the belts that are rolled back, in the order of `StepMemory.turns`."""
        return self._roll_back.names

    def memory(self, simulations: int) -> StepMemory:
        """Return the memory of as many simulations that have not begun."""
        belts, drives = len(self._roll_back.names), len(self.drives.names)
        turns, work, effort = (np.zeros((simulations, size)) for size in (belts, drives, drives))
        return StepMemory(turns, work, effort, self.gaits.start(simulations))

    def clear(self, memory: StepMemory, which: Which) -> None:
        """Forget everything about the simulations ``which``."""
        for array in (memory.turns, memory.work, memory.effort):
            array[which] = 0.0
        self.gaits.clear(memory.running_gaits, which)

    def settle_in(
        self,
        rows: StateArrays,
        memory: StepMemory,
        name: str,
        command: Mapping[str, float],
        which: Which = slice(None),
        *,
        phase: float = 0.0,
    ) -> None:
        """Make the drives of a new robot hold its posture, then give it its standing command.

        Legs that stand at a ``phase`` (rad) are held there.
        """
        robot = self._robots[name]
        for joint, value in robot.posture_at(phase).items():
            if joint in robot.drives:
                self.drives.hold(rows, f"{name}/{joint}", value, which)
        self.command(rows, memory, name, command, which)

    def command(
        self,
        rows: StateArrays,
        memory: StepMemory,
        name: str,
        command: Mapping[str, float | Setpoint],
        which: Which = slice(None),
    ) -> None:
        """Command robot ``name`` of the simulations ``which``; see `Robot.setpoints` for words."""
        if name not in self._robots:
            raise unknown("command", "robot", name, self._robots)
        robot = self._robots[name]
        gait_inputs, setpoints = robot.gait_inputs(command), robot.setpoints(command)
        if robot.gait and not setpoints.keys().isdisjoint(robot.gait.drives):
            self.gaits.sleep(memory.running_gaits, name, which)
        if gait_inputs:
            self.gaits.command(rows, memory.running_gaits, name, gait_inputs, which)
        for drive, setpoint in setpoints.items():
            self.drives.command(rows, f"{name}/{drive}", setpoint, which)

    def advance(
        self,
        rows: StateArrays,
        memory: StepMemory,
        now: int,
        steps: int,
        physics: Callable[[int], None],
        count: Callable[[], None] | None = None,
    ) -> Iterator[int]:
        """Let ``steps`` pass; yield how many have passed since the start, after every stride.

        The order, of one simulation and of a batch alike: moving surfaces, physics, roll-backs,
        drives settle, work is counted, legs walk. All but physics is done at whole strides.

        Args:
            rows: the simulations.
            memory: what their parts remember.
            now: steps that had passed before.
            steps: how many shall pass.
            physics: lets so many steps of physics pass.
            count: counts the work of a stride of legs; None: it is added at once.
        """
        add = partial(self.drives.work.add, rows, self._every, memory.work, memory.effort)
        stride, end = self._stride, now + steps
        while now < end:
            into = now % stride
            if self._has_surfaces and not into:
                self._surface.apply(rows)
            run = min(stride - into, end - now)
            physics(run)
            now += run
            if into + run == stride:
                self._after(rows, memory, now // stride, count or add)
            yield now

    def run(
        self, rows: StateArrays, memory: StepMemory, steps: int, physics: Callable[[int], None]
    ) -> None:
        """Let ``steps`` pass as `advance` does, from 0 on, while nobody looks: the same, sooner."""
        samples = self.drives.work.samples(rows, self._every)

        def count() -> None:
            samples.take()
            if samples.full:
                samples.add(memory.work, memory.effort)

        for _ in self.advance(rows, memory, 0, steps, physics, count):
            pass
        samples.add(memory.work, memory.effort)

    def _after(
        self, rows: StateArrays, memory: StepMemory, stride: int, count: Callable[[], None]
    ) -> None:
        """Do what must happen after the ``stride``-th stride of physics."""
        if self._has_roll_back:
            self._roll_back.apply(rows, memory.turns)
        if stride % self._settle_strides == 0 and self._has_drives:
            self.drives.settle(rows, self._settle_time)
            if not self._has_gaits:
                self.drives.work.add(rows, self._settle_time, memory.work, memory.effort)
        if self._has_gaits:
            # Legs swing within a settling time, and to and fro: their work is counted more often.
            count()
            # After settling, which would tell their drives to stop between two targets.
            self.gaits.apply(rows, memory.running_gaits, self._every)

    def travel(self, rows: StateArrays, memory: StepMemory) -> Array:
        """Return every drive's position (m or rad), counted through roll-backs, (n, drives)."""
        return self.drives.positions(rows) + memory.turns @ self._per_turn

    def odometer(self, rows: StateArrays, memory: StepMemory) -> Callable[[], Array]:
        """Return what gives the first simulation's `travel` of now, (drives,), whenever asked."""
        return partial(self._travelled, self.drives.joints(rows), memory.turns.copy())

    def _travelled(self, joints: Array, turns: Array) -> Array:
        return np.asarray((self.drives.geared(joints) + turns @ self._per_turn)[0])
