"""Trials that need a `Simulation` each: something happens in their worlds beside physics.

A batch steps many simulations at once, so nothing may happen in one of them that does not happen in
the others: an event that lets a robot join would need another model. Such a trial gets a simulation
of its own, with the same looks, verdicts and outcome.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from grouser.errors import BadValue, SimulationDiverged, unknown
from grouser.sensors.camera import Camera
from grouser.sensors.depth import DepthCamera
from grouser.simulation.simulation import Simulation
from grouser.trials.replay import looks
from grouser.trials.trial import Outcome, Trial, Verdict
from grouser.trials.trial_run import BAD_WARNINGS, Entry, Finished, TrialRun


def needs_simulation(trial: Trial) -> str:
    """Return why ``trial`` cannot share a batch; "": it can.

    Sensors alone are no reason: they change nothing, so where nobody reads them they are not read.
    """
    world = trial.world
    if world.events or world.triggers:
        return "its world has events or triggers"
    if world.match:
        return "its world has a match and a referee"
    if trial.sensors:
        return "its policy reads sensors"
    return ""


def check_sensors(entry: Entry) -> None:
    """Refuse sensors that the watched robot has not, or that take pictures."""
    trial = entry.trial
    own = {name: sensor for (who, name), (sensor, _) in entry.scene.sensors.items()
           if who == trial.robot}  # fmt: skip
    for name in trial.sensors:
        if name not in own:
            raise unknown(f"trial: robot '{trial.robot}'", "sensor", name, own)
        if isinstance(own[name], Camera | DepthCamera):
            raise BadValue(
                f"trial: sensor '{name}' of '{trial.robot}' takes pictures, and none are drawn "
                "where many trials run at once; leave it out, or step a Simulation"
            )


class SimulationLane:
    """Trials that are run one after another on the core of whoever calls."""

    def __init__(self, waiting: deque[Entry], *, look_every: float) -> None:
        """Take trials from ``waiting``, as other lanes may as well."""
        self._waiting, self._look_every = waiting, look_every

    def run(self, finished: Finished, given_up: Callable[[], bool]) -> None:
        """Run until nobody waits, or until given up."""
        while not given_up():
            try:
                entry = self._waiting.popleft()
            except IndexError:
                return
            outcome = self._outcome(entry.trial, given_up)
            if outcome is not None:
                finished(entry.number, outcome)

    def _outcome(self, trial: Trial, given_up: Callable[[], bool]) -> Outcome | None:
        """Return how ``trial`` went; None: it was given up."""
        simulation, run = Simulation(trial.world, crash_folder=None), TrialRun(trial)
        verdict: Verdict | None = None
        try:
            for verdict in looks(simulation, run, self._look_every):
                if given_up():
                    return None
                if verdict:
                    break
        except SimulationDiverged:
            verdict = "diverged"
        data, live = simulation.data, simulation.live
        if (
            any(data.warning[kind].number for kind in BAD_WARNINGS)
            or not np.isfinite(data.qvel).all()
        ):
            verdict = "diverged"
        return run.outcome(verdict or "out of time", live.state(), live.stepper, live.memory)
