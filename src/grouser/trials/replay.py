"""A trial played through a `Simulation`, look by look: for pictures and for checking the batch.

The same commands reach the same robot at the same steps as in `grouser.trials.threads`, so the
two agree to the bit.
"""

from __future__ import annotations

from collections.abc import Iterator

from grouser.simulation.simulation import Simulation
from grouser.trials.trial import Trial, Verdict
from grouser.trials.trial_run import LOOK_EVERY, TrialRun, look_steps


def replay_trial(trial: Trial) -> Iterator[Simulation]:
    """Yield the simulation of ``trial`` at every look until its limit; stop it when you like."""
    simulation = Simulation(trial.world)
    for _ in looks(simulation, TrialRun(trial)):
        yield simulation


def looks(
    simulation: Simulation, run: TrialRun, look_every: float = LOOK_EVERY
) -> Iterator[Verdict | None]:
    """Step ``simulation`` from look to look until its trial's limit; yield each look's verdict."""
    trial = run.trial
    steps = look_steps(simulation.scene, look_every)
    while simulation.time < trial.limit - 1e-9:
        simulation.step(steps * simulation.scene.timestep)
        pose = run.root_pose(simulation.scene, simulation.data.qpos)
        verdict = run.look(simulation.time, pose)
        readings = {name: simulation.read(trial.robot, name) for name in trial.sensors}
        for command in run.commands(simulation.time, pose, readings):
            simulation.command(trial.robot, command)
        yield verdict
