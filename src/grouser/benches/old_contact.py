"""How fast is our contact beside the near-rigid one it replaced, in the same run?

``packbot_forward_over_old``   speed of PackBot at 0.3 m/s over its speed with the old contact
``packbot_turning_over_old``   the same turning in place at 0.5 rad/s
``kenaf_forward_over_old``, ``quince_forward_over_old``   the same of Kenaf and Quince
``…_contact_alone``            the same beside the old contact solved as ours is now

The old contact: 4 ms, impedance 0.95 to 0.99 (Quince's rubber 8 ms, from 0.2 over 3 mm), several
contacts per convex pair, no buffers. With it a turning PackBot hops on 20 of its 54 points. It was
solved with dense matrices, and is so here; ours is solved with sparse ones, which is where most of
the difference comes from, so the last figures say what the contact itself costs.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

import mujoco
import numpy as np

from grouser.physics.contacts import BELT
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import RIGID, STANDARD, PhysicsSettings
from grouser.world.terrain.flat import Flat

OLD = STANDARD.model_copy(update={"tolerance": 1e-8, "impratio": 10.0, "solver_contact": RIGID})
FORWARD: Mapping[str, float] = {"forward": 0.3}
TURNING: Mapping[str, float] = {"turn": 0.5}
CASES = {
    "packbot_forward": ("packbot", FORWARD),
    "packbot_turning": ("packbot", TURNING),
    "kenaf_forward": ("kenaf", FORWARD),
    "quince_forward": ("quince", FORWARD),
}
SETTLED = 1.0
"""s of driving before anything is timed."""
SECONDS = 0.1
"""Simulated time of one turn: short, so that both of a pair see the same machine."""
REPEATS = 60


def speeds_over_old(repeats: int = REPEATS) -> dict[str, float]:
    """Return our speed over the old contact's, for every case: as it was, and solved as ours is."""
    figures: dict[str, float] = {}
    for name, (kind, command) in CASES.items():
        as_it_was, contact_alone = _ratios(kind, dict(command), repeats)
        figures[f"{name}_over_old"] = as_it_was
        figures[f"{name}_contact_alone"] = contact_alone
    return figures


def _ratios(kind: str, command: dict[str, float], repeats: int) -> tuple[float, float]:
    """Return our speed over the old contact's, dense as it was and sparse as ours."""
    runs = [_robot(kind, command, STANDARD)]
    runs += [_old(kind, command, dense=dense) for dense in (True, False)]
    for run in runs:
        run.step(SETTLED)
    rounds = []
    for turn in range(repeats):
        times = [0.0] * len(runs)
        for place in range(len(runs)) if turn % 2 else reversed(range(len(runs))):
            times[place] = _timed(runs[place])
        rounds.append(times)
    ours, as_it_was, contact_alone = np.array(rounds).T
    return float(np.median(as_it_was / ours)), float(np.median(contact_alone / ours))


def _robot(kind: str, command: dict[str, float], physics: PhysicsSettings) -> Simulation:
    entry = RobotEntry(name=kind, kind=kind, position=(0.0, 0.0, 0.0), command=command)
    world = World(name="flat", physics=physics, terrain=(Flat(friction=0.6),), robots=(entry,))
    return Simulation(world)


def _old(kind: str, command: dict[str, float], *, dense: bool) -> Simulation:
    """Return the same with the old contact."""
    simulation = _robot(kind, command, OLD)
    model = simulation.model
    model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_MULTICCD)
    if dense:
        model.opt.jacobian = mujoco.mjtJacobian.mjJAC_AUTO
        model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_MIDPHASE)
    if kind == "quince":
        belts = np.flatnonzero(model.geom_contype == BELT)
        model.geom_solref[belts] = [0.008, 1.0]
        model.geom_solimp[belts] = [0.2, 0.95, 0.003, 0.5, 2.0]
        model.geom_solmix[belts] = 1e3
    return simulation


def _timed(simulation: Simulation) -> float:
    """Return the processor time of one turn: who else uses the machine matters less."""
    begun = time.process_time()
    simulation.step(SECONDS)
    return time.process_time() - begun
