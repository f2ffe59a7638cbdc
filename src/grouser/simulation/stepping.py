"""Stepper: belts, drives, work and gaits, updated between physics steps.

Written on `StateArrays`, so that one simulation and a batch of thousands give the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue, unknown
from grouser.frames import Array
from grouser.physics.drive_work import Advance, WorkSamples
from grouser.physics.drives import Drives, DriveTargets, Number, Setpoint
from grouser.physics.losses import DriveLosses, LossMemory
from grouser.physics.slip_friction import SlipFriction
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
"""Model fields that a stepper reads once: simulations that share a stepper must agree in these."""


@dataclass(frozen=True)
class StepMemory:
    """State beside MuJoCo's: targets of drives, roll-backs, work, gaits; a row per simulation."""

    turns: Array
    """Pitches each segment belt was rolled back by, (n, belts)."""
    work: Array
    """Signed work of each drive, J, (n, drives): recovered energy is subtracted."""
    effort: Array
    """Sum of |force x speed| x dt of each drive, J, (n, drives): braking is added."""
    targets: DriveTargets
    running_gaits: tuple[RunningGait, ...]
    """State of walking robots, one per kind of gait."""
    losses: LossMemory
    """Energies of drives with losses or a motor."""

    def arrays(self) -> list[Array]:
        """Return all arrays."""
        running_gaits = [
            array for gait in self.running_gaits for array in (gait.state, gait.inputs, gait.active)
        ]
        targets = self.targets.positions, self.targets.speeds
        own = [self.turns, self.work, self.effort, *targets, *self.targets.pending.arrays()]
        return [*own, *running_gaits, *self.losses.arrays()]

    def take(self, which: npt.NDArray[np.integer]) -> StepMemory:
        """Return a copy of the rows ``which``; see `store`."""
        return StepMemory(
            self.turns[which],
            self.work[which],
            self.effort[which],
            self.targets.take(which),
            tuple(
                RunningGait(gait.state[which], gait.inputs[which], gait.active[which])
                for gait in self.running_gaits
            ),
            self.losses.take(which),
        )

    def store(self, whole: StepMemory, which: npt.NDArray[np.integer]) -> None:
        """Write this copy to the rows ``which`` of ``whole``."""
        for part, array in zip(self.arrays(), whole.arrays(), strict=True):
            array[which] = part


def shared_numbers(scene: Scene) -> list[Array]:
    """Return numbers that a stepper computes once from fields that a batch holds per simulation.

    Simulations that share a stepper must agree in these, too.
    """
    losses = DriveLosses(scene.model, scene.drives, scene.batteries)
    return [*losses.shared_numbers, *SlipFriction(scene.model).shared_numbers]


def settle_intervals(every: float) -> int:
    """Return the number of control intervals of ``every`` seconds between calls of `settle`."""
    return max(1, round(SETTLE_TIME / every))


class Stepper:
    """Controller of all belts, drives and gaits of a scene, in one simulation or in many."""

    def __init__(self, scene: Scene) -> None:
        """Look up all addresses."""
        self._interval = scene.control_interval
        every = self._every = scene.control_interval * float(scene.model.opt.timestep)
        self._settle_intervals = settle_intervals(every)
        self._settle_time = self._settle_intervals * every
        self.drives = Drives(scene.model, scene.drives, self._settle_time)
        self.losses = DriveLosses(scene.model, scene.drives, scene.batteries)
        """Losses and motors of the drives."""
        self.slip = SlipFriction(scene.model)
        """Friction by slip speed."""
        self.gaits = Gaits(scene.robots, self.drives)
        self._robots = scene.robots
        index = {name: place for place, name in enumerate(self.drives.names)}
        self.places = {
            name: {drive: index[f"{name}/{drive}"] for drive in robot.drives}
            for name, robot in scene.robots.items()
        }
        """Robot -> indices of its drives in `Drives.names`."""
        self._roll_back = RollBack(scene.model, scene.belts, self.drives, every)
        self._surface = MovingSurface(scene.model, scene.belts, every)
        self._has_roll_back, self._has_surfaces = bool(self._roll_back), bool(self._surface)
        self._has_losses, self._has_slip = bool(self.losses), bool(self.slip)
        self._has_gaits, self._has_drives = bool(self.gaits), bool(self.drives.names)
        self._has_delays = bool(self.drives.delay)
        legs = self._has_gaits and self._has_losses
        self._reads_always = self._has_surfaces or self._has_slip or legs
        """True if sensors are read after every control interval."""
        pitches = {belt.name: belt.pitch for belt in scene.belts if belt.drive == belt.name}
        self._per_turn = np.zeros((len(self.belts), len(self.drives.names)))
        for row, name in enumerate(self.belts):
            if name in pitches:
                self._per_turn[row, self.drives.names.index(name)] = pitches[name]

    @property
    def belts(self) -> tuple[str, ...]:
        """Names of the belts with roll-back, in the order of `StepMemory.turns`."""
        return self._roll_back.names

    def memory(self, rows: StateArrays) -> StepMemory:
        """Return the memory of simulations before their first step and command."""
        simulations = len(rows.qpos)
        belts, drives = len(self._roll_back.names), len(self.drives.names)
        turns, work, effort = (np.zeros((simulations, size)) for size in (belts, drives, drives))
        targets = self.drives.targets(rows)
        gaits, losses = self.gaits.start(simulations), self.losses.start(rows)
        return StepMemory(turns, work, effort, targets, gaits, losses)

    def clear(self, rows: StateArrays, memory: StepMemory, which: Which) -> None:
        """Clear the memory of the simulations ``which``, which are at their start."""
        for array in (memory.turns, memory.work, memory.effort):
            array[which] = 0.0
        self.losses.clear(rows, memory.losses, which)
        self.drives.clear(rows, memory.targets, which)
        self.gaits.clear(memory.running_gaits, which)

    def initialize_robot(
        self,
        rows: StateArrays,
        memory: StepMemory,
        name: str,
        command: Mapping[str, float],
        which: Which = slice(None),
        *,
        phase: float = 0.0,
    ) -> None:
        """Hold the drives of a new robot in its posture, then apply its initial command.

        Legs are held at gait ``phase`` (rad).
        """
        robot = self._robots[name]
        for joint, value in robot.posture_at(phase).items():
            if joint in robot.drives:
                self.drives.hold(rows, memory.targets, f"{name}/{joint}", value, which)
        self.command(rows, memory, name, command, which)

    def command(
        self,
        rows: StateArrays,
        memory: StepMemory,
        name: str,
        command: Mapping[str, Number | Setpoint],
        which: Which = slice(None),
    ) -> None:
        """Command robot ``name`` of the simulations ``which``; keys: see `Robot.setpoints`.

        An array has a value for each of them.
        """
        if name not in self._robots:
            raise unknown("command", "robot", name, self._robots)
        _check_shapes(command, rows, which)
        robot = self._robots[name]
        gait_inputs, setpoints = robot.gait_inputs(command), robot.setpoints(command)
        if robot.gait and not setpoints.keys().isdisjoint(robot.gait.drives):
            self.gaits.deactivate(memory.running_gaits, name, which)
        if gait_inputs:
            self.gaits.command(rows, memory.targets, memory.running_gaits, name, gait_inputs, which)
        for drive, setpoint in setpoints.items():
            self.drives.command(rows, memory.targets, f"{name}/{drive}", setpoint, which)

    @property
    def cycle(self) -> int:
        """Number of steps after which the order of updates repeats."""
        return self._interval * self._settle_intervals

    def advance(
        self,
        rows: StateArrays,
        memory: StepMemory,
        now: int,
        steps: int,
        physics: Advance,
        samples: WorkSamples | None = None,
        sense: Callable[[bool], None] | None = None,
    ) -> Iterator[int]:
        """Advance by ``steps``; yield the number of steps since the start, after each interval.

        The order, of one simulation and of a batch: moving surfaces and grousers, physics, friction
        by slip, roll-backs, work, `settle`, losses, gaits, delayed commands. All but physics and
        delayed commands is done at multiples of the control interval.

        Args:
            rows: the simulations.
            memory: their step memory.
            now: number of steps since the start.
            steps: number of steps to advance.
            physics: advances physics by a number of steps.
            samples: accumulates the work of legs; None: it is added after every interval.
            sense: switches MuJoCo's sensors on or off; None: they stay on. They are off in
                intervals after which nothing reads them.
        """
        own = self.drives.work.samples(rows) if samples is None and self._has_gaits else None
        counted = own or samples
        interval, end, cycle = self._interval, now + steps, self.cycle
        sense = None if self._reads_always else sense
        try:
            while now < end:
                into = now % interval
                if not into:
                    if self._has_surfaces:
                        self._surface.apply(rows)
                    if self._has_roll_back:  # a restart may have moved a belt
                        self._roll_back.switch(rows)
                run = min(interval - into, end - now)
                if self._has_delays:
                    run = min(run, self.drives.delay.wait(memory.targets.pending))
                if sense:
                    sense(now + run == end or (now + run) % cycle == 0)
                if counted:
                    counted.step(physics, run, memory.work, memory.effort)
                else:
                    physics(run)
                now += run
                if self._has_delays:
                    self.drives.delay.elapse(memory.targets.pending, run)
                if into + run == interval:
                    self._after(rows, memory, now // interval)
                if self._has_delays:
                    self.drives.release(rows, memory.targets, self._every)
                if own:
                    own.add(memory.work, memory.effort)
                yield now
        finally:
            if sense:
                sense(True)

    def run(
        self, rows: StateArrays, memory: StepMemory, steps: int, physics: Advance, now: int = 0
    ) -> None:
        """Advance by ``steps`` without intermediate results; same bits as `advance`."""
        samples = self.drives.work.samples(rows) if self._has_gaits else None
        for _ in self.advance(rows, memory, now, steps, physics, samples):
            pass
        if samples:
            samples.add(memory.work, memory.effort)

    def _after(self, rows: StateArrays, memory: StepMemory, interval: int) -> None:
        """Update belts, drives, work and gaits after control interval number ``interval``."""
        if self._has_slip:
            self.slip.apply(rows)
        if self._has_roll_back:
            self._roll_back.apply(rows, memory.targets, memory.turns)
            self._roll_back.switch(rows)  # poses that are read between two intervals agree
        if self._has_drives and not self._has_gaits:
            self.drives.work.add(rows, self._every, memory.work, memory.effort)
        if interval % self._settle_intervals == 0 and self._has_drives:
            self.drives.settle(rows, memory.targets)
            if self._has_losses and not self._has_gaits:
                self.losses.apply(rows, memory.losses, self._settle_time)
        if self._has_gaits:
            if self._has_losses:
                self.losses.apply(rows, memory.losses, self._every)
            # After `settle`, which would stop their drives between two targets.
            self.gaits.apply(rows, memory.targets, memory.running_gaits, self._every)

    def travel(self, rows: StateArrays, memory: StepMemory) -> Array:
        """Return every drive's position (m or rad), including roll-backs, (n, drives)."""
        return self.drives.positions(rows) + memory.turns @ self._per_turn

    def odometer(self, rows: StateArrays, memory: StepMemory) -> Callable[[], Array]:
        """Return a function for the first simulation's present `travel`, (drives,)."""
        return self.odometers(rows, memory)(0)

    def odometers(
        self, rows: StateArrays, memory: StepMemory
    ) -> Callable[[int], Callable[[], Array]]:
        """Return `odometer` as a function of the index of the simulation."""
        return partial(partial, self._travelled, self.drives.joints(rows), memory.turns.copy())

    def _travelled(self, joints: Array, turns: Array, row: int) -> Array:
        # Row by row: the summation order of a matrix product depends on the number of rows.
        geared = self.drives.geared(joints[row])
        return np.asarray(geared + (turns[row : row + 1] @ self._per_turn)[0])


def _check_shapes(
    command: Mapping[str, Number | Setpoint], rows: StateArrays, which: Which
) -> None:
    """Raise `BadValue` unless each value is a number, or an array of one per simulation."""
    for key, given in command.items():
        value = given.value if isinstance(given, Setpoint) else given
        if isinstance(value, np.ndarray):
            count = 0 if isinstance(which, int) else len(np.arange(len(rows.qpos))[which])
            if value.shape != (count,):
                allowed = f"a number or {count} numbers" if count else "a number"
                raise BadValue(
                    f"command: {key} is an array of shape {value.shape}, {allowed} is needed"
                )
