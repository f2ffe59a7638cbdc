"""What a step's time is spent on, by MuJoCo's own timers."""

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
"""Name of a figure → the stage of physics it stands for."""


class StageTimer:
    """Adds up the time of each stage over those steps that are asked for.

    MuJoCo calls Python for the time, which costs something itself: good for shares, not for speeds.
    """

    def __init__(self) -> None:
        self._spent = dict.fromkeys((*STAGES.values(), mujoco.mjtTimer.mjTIMER_STEP), 0.0)

    def step(self, simulation: Simulation, seconds: float) -> None:
        """Let ``seconds`` of simulated time pass and add up what was spent on what."""
        timers = simulation.data.timer
        before = {timer: float(timers[timer].duration) for timer in self._spent}
        mujoco.set_mjcb_time(lambda: time.perf_counter() * 1e6)
        try:
            simulation.step(seconds)
        finally:
            mujoco.set_mjcb_time(None)
        for timer, was in before.items():
            self._spent[timer] += float(timers[timer].duration) - was

    def shares(self) -> dict[str, float]:
        """Return each stage's part of all the time, 0 to 1; nothing when no step was timed."""
        whole = self._spent[mujoco.mjtTimer.mjTIMER_STEP]
        return {name: self._spent[timer] / whole for name, timer in STAGES.items()} if whole else {}
