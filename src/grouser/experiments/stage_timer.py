"""Shares of the stages in the time of a physics step, from MuJoCo's timers."""

from __future__ import annotations

import time

import mujoco

from grouser.simulation.simulation import Simulation

STAGES = {
    "share_collision": mujoco.mjtTimer.mjTIMER_POS_COLLISION,
    "share_constraint_rows": mujoco.mjtTimer.mjTIMER_POS_MAKE,
    "share_solver": mujoco.mjtTimer.mjTIMER_CONSTRAINT,
    "share_kinematics": mujoco.mjtTimer.mjTIMER_POS_KINEMATICS,
}
"""Name of a figure → timer of the stage."""


class StageTimer:
    """Accumulates the processor time of each stage over selected steps.

    MuJoCo calls a Python function for the time, which slows the step. So the shares and ratios are
    valid, but absolute speeds are not. Processor time is independent of other programs.
    """

    def __init__(self) -> None:
        self._steps = 0
        self._spent = dict.fromkeys((*STAGES.values(), mujoco.mjtTimer.mjTIMER_STEP), 0.0)

    def step(self, simulation: Simulation, seconds: float) -> None:
        """Step by ``seconds`` of simulated time and accumulate the time of each stage."""
        timers = simulation.data.timer
        before = {timer: float(timers[timer].duration) for timer in self._spent}
        steps = timers[mujoco.mjtTimer.mjTIMER_STEP].number
        mujoco.set_mjcb_time(lambda: time.thread_time() * 1e6)
        try:
            simulation.step(simulation.round_to_steps(seconds))
        finally:
            mujoco.set_mjcb_time(None)
        for timer, start in before.items():
            self._spent[timer] += float(timers[timer].duration) - start
        self._steps += int(timers[mujoco.mjtTimer.mjTIMER_STEP].number - steps)

    @property
    def step_time(self) -> float | None:
        """Mean time of a step, µs; None if no step was timed."""
        return self._spent[mujoco.mjtTimer.mjTIMER_STEP] / self._steps if self._steps else None

    def shares(self) -> dict[str, float]:
        """Return each stage's share of the total time, 0 to 1; empty if no step was timed."""
        whole = self._spent[mujoco.mjtTimer.mjTIMER_STEP]
        return {name: self._spent[timer] / whole for name, timer in STAGES.items()} if whole else {}
