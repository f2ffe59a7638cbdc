"""A trial played through a `Simulation`, look by look: for pictures and for checking the batch.

The same commands reach the same robot at the same steps as in `grouser.trials.threads`, so the
two agree to the bit.
"""

from __future__ import annotations

from collections.abc import Iterator

from grouser.simulation.simulation import Simulation
from grouser.trials.lane import look_time
from grouser.trials.trial import Observation, Trial


def replay(trial: Trial) -> Iterator[Simulation]:
    """Yield the simulation of ``trial`` at every look until its limit; stop it when you like."""
    simulation = Simulation(trial.world)
    every = look_time(simulation.scene)
    due = list(trial.schedule)
    policy = trial.policy() if trial.policy else None
    while simulation.time < trial.limit - 1e-9:
        simulation.step(every)
        X_WB = simulation.pose(trial.robot)
        while due and due[0][0] <= simulation.time + 1e-9:
            simulation.command(trial.robot, due.pop(0)[1])
        told = policy(Observation(simulation.time, X_WB.position, X_WB.wxyz)) if policy else None
        if told:
            simulation.command(trial.robot, told)
        yield simulation
