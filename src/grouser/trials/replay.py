"""A trial played through a `Simulation`, look by look: for pictures and for checking the batch.

The same commands reach the same robot at the same steps as in `grouser.trials.threads`, so the
two agree to the bit.
"""

from __future__ import annotations

from collections.abc import Iterator

import mujoco

from grouser.frames import Array
from grouser.simulation.live_scene import STATE
from grouser.simulation.simulation import Simulation
from grouser.trials.fleet import Fleet
from grouser.trials.starts import SceneStarts, settle_in
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
    """Step ``simulation`` from look to look until its trial's limit; yield each look's verdict.

    The simulation has not begun yet; the trial's start is its own.
    """
    trial, fleet = run.trial, Fleet(1)
    _begin(simulation, run, fleet)
    steps = look_steps(simulation.scene, look_every)
    live = simulation.live
    while simulation.time < trial.limit - 1e-9:
        simulation.step(steps * simulation.scene.timestep)
        pose = run.root_pose(simulation.scene, simulation.data.qpos)
        spent = float(live.memory.effort[0, run.drives(live.stepper)].sum())
        verdict = run.look(simulation.time, pose, spent=spent, to_go=fleet.to_go({0: pose}).get(0))
        readings = {name: simulation.read(trial.robot, name) for name in trial.sensors}
        for command in run.commands(simulation.time, pose, readings):
            simulation.command(trial.robot, command)
        for command in fleet.commands({0: pose}).values():
            simulation.command(trial.robot, command)
        yield verdict


def _begin(simulation: Simulation, run: TrialRun, fleet: Fleet) -> None:
    """Let the trial start as it says; nothing to do if it says nothing."""
    trial, live, scene = run.trial, simulation.live, simulation.scene
    fleet.enter(0, trial.fleet, trial.errand)
    if trial.start is not None:
        fields, state = SceneStarts(scene).state(trial.robot, trial.start)
        for name, values in fields.items():
            getattr(live.model, name)[:] = values
        mujoco.mj_setState(live.model, live.data, state, STATE)
        mujoco.mj_forward(live.model, live.data)
        mujoco.mj_setState(live.model, live.data, state, STATE)  # forward moves the warm start on
        live.stepper.clear(live.memory, 0)
    if trial.start is not None or trial.fleet is not None:
        pose: Array = run.root_pose(scene, live.data.qpos)
        settle_in(
            live.stepper,
            live.arrays,
            live.memory,
            scene,
            0,
            watched=trial.robot,
            phase=trial.start.phase if trial.start else 0.0,
            command=fleet.commands({0: pose}).get(0),
        )
