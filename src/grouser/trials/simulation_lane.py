"""Simulation lane: trials that need a `Simulation` each, and the replay of any trial in one.

A batch steps simulations of one model, so worlds with events (a robot that joins needs another
model), triggers, a match or sensors cannot share it. Their trials run in a `Simulation` each, with
the same samples, verdicts and outcomes. A trial that runs in a batch can be replayed in a
`Simulation`, for pictures and for tests: the same commands are applied at the same steps, and the
results agree to the bit.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import partial

import mujoco
import numpy as np

from grouser.errors import SimulationDiverged
from grouser.simulation.divergence.watch import has_bad_numbers
from grouser.simulation.policy import check_sensors, control_steps, declaration, sample_steps
from grouser.simulation.scene_state import STATE, SceneState
from grouser.simulation.simulation import Simulation
from grouser.trials.starts import SceneStarts, initialize_robots
from grouser.trials.trial import Outcome, Trial, Verdict
from grouser.trials.trial_run import Entry, Finished, RobotSample, TrialRun, TrialSupervisor
from grouser.world.file import World


def needs_simulation(trial: Trial) -> str:
    """Return the reason why ``trial`` cannot share a batch; empty: it can.

    Sensors that the policy does not read are no reason, since they do not affect the physics.
    """
    world = trial.world
    if world.events or world.triggers:
        return "its world has events or triggers"
    if world.match:
        return "its world has a match and a referee"
    if trial.read_sensors:
        return "its policy reads sensors"
    if trial.rate_hz is not None:
        return "its policy has a rate of its own"
    return ""


def check_trial(entry: Entry) -> None:
    """Raise an error for sensors that the watched robot lacks, and for cameras."""
    trial = entry.trial
    truth = bool(declaration(trial.policy, "truth"))
    check_sensors(entry.scene, trial.robot, trial.read_sensors, truth=truth)


class SimulationLane:
    """Trials that are run one after another in the calling thread."""

    def __init__(self, waiting: deque[Entry]) -> None:
        """Process the queue ``waiting``, shared with other lanes."""
        self._waiting = waiting
        self._used: tuple[World, Simulation] | None = None
        """World and simulation of the last trial, if the next one may reset it."""

    def run(self, finished: Finished, cancelled: Callable[[], bool]) -> None:
        """Run until the queue is empty, or until ``cancelled``."""
        while not cancelled():
            try:
                entry = self._waiting.popleft()
            except IndexError:
                return
            outcome = self._outcome(entry.trial, cancelled)
            if outcome is not None:
                finished(entry.number, outcome)

    def _outcome(self, trial: Trial, cancelled: Callable[[], bool]) -> Outcome | None:
        """Return the outcome of ``trial``; None: it was cancelled."""
        simulation, run = self._simulation(trial), TrialRun(trial)
        verdict: Verdict | None = None
        try:
            for verdict in samples(simulation, run):
                if cancelled():
                    return None
                if verdict:
                    break
        except SimulationDiverged:
            verdict = "diverged"
        data, live = simulation.data, simulation.state
        if has_bad_numbers(data) or not np.isfinite(data.qvel).all():
            verdict = "diverged"
        return run.outcome(
            verdict or "out of time", live.integration_state(), live.stepper, live.memory
        )

    def _simulation(self, trial: Trial) -> Simulation:
        """Return a simulation at the start of ``trial``, compiled only for another world."""
        used, self._used = self._used, None
        if used is not None and used[0] is trial.world:
            simulation = used[1]
            simulation.reset(seed=trial.run_seed)
        else:
            simulation = Simulation(trial.world, seed=trial.seed, crash_folder=None)
        if trial.start is None or not trial.start.draws_physics:  # model fields stay changed
            self._used = trial.world, simulation
        return simulation


def replay_trial(trial: Trial) -> Iterator[Simulation]:
    """Yield the simulation of ``trial`` at every sample until its time limit."""
    simulation = Simulation(trial.world, seed=trial.seed)
    for _ in samples(simulation, TrialRun(trial)):
        yield simulation


def samples(simulation: Simulation, run: TrialRun) -> Iterator[Verdict | None]:
    """Step ``simulation`` from sample to sample until the trial's limit; yield each verdict.

    The simulation must be at its initial state; the trial's initial conditions are applied to it.
    """
    trial, supervisor = run.trial, TrialSupervisor(1)
    supervisor.enter(0, run)
    if trial.start is not None:
        simulation.reset_now(prepare=partial(_set_start, trial))
    if trial.start is not None or trial.fleet is not None:
        _initialize(simulation.state, run, supervisor)
    steps = sample_steps(simulation.scene, trial.sample_period)
    own = None if trial.rate_hz is None else control_steps(simulation.scene, trial.rate_hz)
    while simulation.time < trial.limit - 1e-9:
        end = simulation.steps + steps
        while own is not None and (due := (simulation.steps // own + 1) * own) <= end:
            _step_to(simulation, due)
            now = _sample(simulation, run)
            if command := run.policy_command(now.time, now.readings, now.truth):
                simulation.command(trial.robot, command)
        _step_to(simulation, end)
        verdict, commands = supervisor.assess({0: _sample(simulation, run)})[0]
        for command in commands:
            simulation.command(trial.robot, command)
        yield verdict


def _step_to(simulation: Simulation, step: int) -> None:
    simulation.step((step - simulation.steps) * simulation.scene.timestep)


def _sample(simulation: Simulation, run: TrialRun) -> RobotSample:
    """Return a sample of the watched robot now."""
    live, scene = simulation.state, simulation.scene
    pose = run.root_pose(scene, live.data.qpos)
    return RobotSample(
        simulation.time,
        pose,
        float(live.memory.effort[0, run.drive_indices(live.stepper)].sum()),
        {name: simulation.read(run.trial.robot, name) for name in run.trial.read_sensors},
        run.root_state(scene, pose, live.data.qvel),
    )


def _set_start(trial: Trial, live: SceneState) -> None:
    """Set the initial conditions of ``trial``."""
    fields, state = SceneStarts(live.scene).state(trial.robot, trial.start)
    for name, values in fields.items():
        getattr(live.model, name)[:] = values
    mujoco.mj_setState(live.model, live.data, state, STATE)
    mujoco.mj_forward(live.model, live.data)
    mujoco.mj_setState(live.model, live.data, state, STATE)  # mj_forward changed the warm start
    live.stepper.clear(live.arrays, live.memory, 0)


def _initialize(live: SceneState, run: TrialRun, supervisor: TrialSupervisor) -> None:
    """Set the posture and the first commands of the robots."""
    trial = run.trial
    pose = run.root_pose(live.scene, live.data.qpos)
    initialize_robots(
        live.stepper,
        live.arrays,
        live.memory,
        live.scene,
        0,
        watched=trial.robot,
        phase=trial.start.phase if trial.start else 0.0,
        command=supervisor.steer({0: pose}).get(0),
    )
