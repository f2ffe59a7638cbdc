"""Speed of tracks with grousers, overhead of the framework, scaling, and speed of contacts.

``segments_rtf``      PackBot on flat ground, 0.3 m/s, 1 ms, with `Simulation`, one thread
``bare_rtf``          the same compiled model stepped by ``mj_step`` and the roll-back alone
``overhead``          1 - segments_rtf / bare_rtf
``robots_32_over_1``  time per robot and step of 32 PackBots in one world over that of one
``threads_2_over_1``  throughput of 32 trials on two threads over one
``batch_2_over_1``    the same for a bare ``mujoco.batch`` of the same model, measured alternately:
                      the speed-up of the machine itself with a second core
``packbot_forward_over_old``   speed of PackBot at 0.3 m/s over its speed with the old contact
``packbot_turning_over_old``   the same turning in place at 0.5 rad/s
``kenaf_forward_over_old``, ``quince_forward_over_old``   the same for Kenaf and Quince
``…_contact_alone``            the same with sparse matrices for the old contact, too

The old contact was near-rigid: 4 ms, impedance 0.95 to 0.99 (Quince's rubber 8 ms, from 0.2 over
3 mm), several contacts per convex pair, no buffers. With it a turning PackBot hops on 20 of its 54
points. It was solved with dense matrices, as here in ``…_over_old``. Ours is solved with sparse
ones, which explains most of the difference; ``…_contact_alone`` is the cost of the contact itself.

With ``--baseline COMMIT`` these are measured instead (`grouser.benches.baseline`):

``packbot_forward_over_baseline``   speed of the case over its speed with the commit's sources
``…_without_losses``                the same without losses and motors in these sources
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import mujoco
import mujoco.batch
import numpy as np
import yaml

from grouser.benches.baseline import speed_over
from grouser.benches.machine import processor_seconds, wall_seconds
from grouser.experiments.run_options import Progress
from grouser.physics.contacts import BELT
from grouser.physics.state import StateArrays
from grouser.simulation.scene import compose
from grouser.simulation.simulation import Simulation
from grouser.tracks.segments import RollBack
from grouser.trials.runner import run_trials
from grouser.trials.threads import ThreadRunner
from grouser.trials.trial import Trial
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import RIGID, STANDARD, PhysicsSettings
from grouser.world.terrain.flat import Flat

TAKES_BASELINE = True

SPEED = 0.3
"""Commanded speed, m/s; as in Okada et al. 2020, sec. IV-A."""
SECONDS = 0.12
"""Simulated time of one interval, s; short, so that a pair has the same load on the machine."""
REPEATS = 400
TRIALS = 32

OLD_CONTACT = STANDARD.model_copy(
    update={"tolerance": 1e-8, "impratio": 10.0, "solver_contact": RIGID}
)
FORWARD: Mapping[str, float] = {"forward": SPEED}
TURNING: Mapping[str, float] = {"turn": 0.5}
CONTACT_CASES = {
    "packbot_forward": ("packbot", FORWARD),
    "packbot_turning": ("packbot", TURNING),
    "kenaf_forward": ("kenaf", FORWARD),
    "quince_forward": ("quince", FORWARD),
}
SETTLED = 1.0
"""Simulated time before the measurement of contacts, s."""
CONTACT_SECONDS, CONTACT_REPEATS = 0.1, 60
"""Simulated time of one interval (s) and number of intervals of a comparison of contacts."""


def run(progress: Progress, baseline: str | None = None) -> dict[str, float]:
    """Measure everything, or the ratio to the commit ``baseline``, and return the figures."""
    if baseline:
        progress("the baseline", 0, 1)
        return _over_commit(baseline)
    progress("one robot", 0, 4)
    through, bare = _one_robot()
    progress("32 robots", 1, 4)
    crowd = _crowd()
    progress("32 trials", 2, 4)
    ours, batch = _threads()
    progress("the old contact", 3, 4)
    over_old = speeds_over_old()
    return {
        "segments_rtf": through,
        "bare_rtf": bare,
        "overhead": 1 - through / bare,
        "robots_32_over_1": crowd,
        "threads_2_over_1": ours,
        "batch_2_over_1": batch,
        **over_old,
    }


def _world(robots: int) -> World:
    """Return flat ground with PackBots 2 m apart, all driving forwards."""
    entries = tuple(
        RobotEntry(
            name=f"packbot{number}",
            kind="packbot",
            position=(2.0 * (number % 8), 2.0 * (number // 8), 0.0),
            command={"forward": SPEED},
        )
        for number in range(robots)
    )
    return World(name="flat", physics=STANDARD, terrain=(Flat(friction=0.6),), robots=entries)


def _one_robot() -> tuple[float, float]:
    """Return the real-time factors with the framework and bare, measured alternately."""
    # Both step the same model and data because their position in memory has an effect of 2 %.
    simulation = Simulation(_world(1))
    simulation.step(1.0)
    model, data = simulation.model, simulation.data
    stepper, memory = simulation.state.stepper, simulation.state.memory
    rows = StateArrays.one(model, data)
    roll_back = RollBack(
        model,
        simulation.scene.belts,
        stepper.drives,
        simulation.scene.control_interval * float(model.opt.timestep),
    )
    stride = simulation.scene.control_interval
    steps = round(SECONDS / float(model.opt.timestep))

    def bare() -> None:
        for _ in range(0, steps, stride):
            mujoco.mj_step(model, data, stride)
            roll_back.switch(rows)
            roll_back.apply(rows, memory.targets, memory.turns)

    def framework() -> None:
        simulation.step(SECONDS)

    pairs = []
    for turn in range(REPEATS):
        both = (framework, bare) if turn % 2 else (bare, framework)
        times = {work: wall_seconds(work) for work in both}
        pairs.append((times[framework], times[bare]))
    with_framework, alone = np.array(pairs).T
    # The median of ratios is robust: a short load on the machine affects both values of a pair, a
    # long one affects all pairs.
    bare_rtf = SECONDS / float(np.median(alone))
    return bare_rtf * float(np.median(alone / with_framework)), bare_rtf


def _over_commit(commit: str) -> dict[str, float]:
    """Return the speed of every case over that of ``commit``, with and without losses."""
    worlds = []
    for name, (kind, command) in CONTACT_CASES.items():
        robot = {"name": kind, "kind": kind, "position": [0, 0], "command": dict(command)}
        world = {"name": "flat", "terrain": [{"kind": "flat", "friction": 0.6}], "robots": [robot]}
        plain = yaml.safe_dump(world)
        lossless = yaml.safe_dump({**world, "physics": {"losses": False}})
        worlds.append((f"{name}_over_baseline", plain, plain))
        worlds.append((f"{name}_over_baseline_without_losses", lossless, plain))
    return speed_over(commit, worlds)


def _crowd() -> float:
    """Return the time per robot of 32 in one world over that of one, measured alternately."""
    one, many = Simulation(_world(1)), Simulation(_world(32))
    for simulation in (one, many):
        simulation.step(0.5)
    pairs = [
        (wall_seconds(lambda: one.step(0.5)), wall_seconds(lambda: many.step(0.1)))
        for _ in range(5)
    ]
    alone, together = (float(np.min(column)) for column in zip(*pairs, strict=True))
    return (together / 0.1 / 32) / (alone / 0.5)


def _threads() -> tuple[float, float]:
    """Return throughput of 32 trials on two threads over one, and of a bare batch."""
    trials = [Trial(world=_world(1), robot="packbot0", limit=1.0) for _ in range(TRIALS)]
    model = compose(_world(1)).model
    works = (
        lambda: _run(trials, 1),
        lambda: _run(trials, 2),
        lambda: _step(model, 1),
        lambda: _step(model, 2),
    )
    turns = [[wall_seconds(work) for work in works] for _ in range(20)]
    # The minimum of each, because other load on the machine affects two threads more than one.
    one, two, batch_one, batch_two = np.min(turns, axis=0).tolist()
    return one / two, batch_one / batch_two


def _step(model: mujoco.MjModel, count: int) -> None:
    """Step as many simulations as trials for 0.5 s on ``count`` threads."""
    batch = mujoco.batch.Batch(model, nsim=TRIALS, nthread=count)
    batch.step(nstep=round(0.5 / float(model.opt.timestep)))


def _run(trials: list[Trial], count: int) -> None:
    run_trials(trials, runner=ThreadRunner(count))


# -- the old contact -------------------------------------------------------------------------------


def speeds_over_old(repeats: int = CONTACT_REPEATS) -> dict[str, float]:
    """Return our speed over that of the old contact, dense and sparse, for every case."""
    figures: dict[str, float] = {}
    for name, (kind, command) in CONTACT_CASES.items():
        as_used, contact_alone = _ratios(kind, dict(command), repeats)
        figures[f"{name}_over_old"] = as_used
        figures[f"{name}_contact_alone"] = contact_alone
    return figures


def _ratios(kind: str, command: dict[str, float], repeats: int) -> tuple[float, float]:
    """Return our speed over that of the old contact, dense as it was used and sparse as ours."""
    runs = [_robot(kind, command, STANDARD)]
    runs += [_with_old_contact(kind, command, dense=dense) for dense in (True, False)]
    for run in runs:
        run.step(SETTLED)
    rounds = []
    for turn in range(repeats):
        times = [0.0] * len(runs)
        for number in range(len(runs)) if turn % 2 else reversed(range(len(runs))):
            times[number] = processor_seconds(partial(runs[number].step, CONTACT_SECONDS))
        rounds.append(times)
    ours, dense, sparse = np.array(rounds).T
    return float(np.median(dense / ours)), float(np.median(sparse / ours))


def _robot(kind: str, command: dict[str, float], physics: PhysicsSettings) -> Simulation:
    entry = RobotEntry(name=kind, kind=kind, position=(0.0, 0.0, 0.0), command=command)
    world = World(name="flat", physics=physics, terrain=(Flat(friction=0.6),), robots=(entry,))
    return Simulation(world)


def _with_old_contact(kind: str, command: dict[str, float], *, dense: bool) -> Simulation:
    """Return the simulation of a robot with the old contact."""
    simulation = _robot(kind, command, OLD_CONTACT)
    model = simulation.model
    model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_MULTICCD)
    if dense:
        model.opt.jacobian = mujoco.mjtJacobian.mjJAC_AUTO
    if kind == "quince":
        belts = np.flatnonzero(model.geom_contype == BELT)
        model.geom_solref[belts] = [0.008, 1.0]
        model.geom_solimp[belts] = [0.2, 0.95, 0.003, 0.5, 2.0]
        model.geom_solmix[belts] = 1e3
    return simulation
