"""How fast is our contact beside the near-rigid one it replaced, in the same run?

``packbot_forward_over_old``   speed of PackBot at 0.3 m/s over its speed with the old contact
``packbot_turning_over_old``   the same turning in place at 0.5 rad/s
``kenaf_forward_over_old``, ``quince_forward_over_old``   the same of Kenaf and Quince

The old contact: 4 ms, impedance 0.95 to 0.99 (Quince's rubber 8 ms, from 0.2 over 3 mm), several
contacts per convex pair, no buffers. With it a turning PackBot hops on 20 of its 54 points.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

import mujoco
import numpy as np

from grouser.physics.contacts import BELT
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import RIGID, STANDARD, Physics
from grouser.world.terrain.flat import Flat

OLD = STANDARD.model_copy(update={"tolerance": 1e-8, "impratio": 10.0, "solver_contact": RIGID})
FORWARD: Mapping[str, float] = {"forward": 0.3}
TURNING: Mapping[str, float] = {"turn": 0.5}
CASES = {
    "packbot_forward_over_old": ("packbot", FORWARD),
    "packbot_turning_over_old": ("packbot", TURNING),
    "kenaf_forward_over_old": ("kenaf", FORWARD),
    "quince_forward_over_old": ("quince", FORWARD),
}
SETTLED = 1.0
"""s of driving before anything is timed."""
SECONDS = 0.1
"""Simulated time of one turn: short, so that both of a pair see the same machine."""
REPEATS = 60


def speeds_over_old(repeats: int = REPEATS) -> dict[str, float]:
    """Return our speed over the old contact's, for every case."""
    return {name: _ratio(kind, dict(command), repeats) for name, (kind, command) in CASES.items()}


def _ratio(kind: str, command: dict[str, float], repeats: int) -> float:
    new, old = (_driving(kind, command, physics) for physics in (STANDARD, OLD))
    pairs = []
    for turn in range(repeats):
        both = (new, old) if turn % 2 else (old, new)
        times = {id(simulation): _timed(simulation) for simulation in both}
        pairs.append((times[id(new)], times[id(old)]))
    ours, theirs = np.array(pairs).T
    return float(np.median(theirs / ours))


def _driving(kind: str, command: dict[str, float], physics: Physics) -> Simulation:
    entry = RobotEntry(name=kind, kind=kind, position=(0.0, 0.0, 0.0), command=command)
    world = World(name="flat", physics=physics, terrain=(Flat(friction=0.6),), robots=(entry,))
    simulation = Simulation(world)
    model = simulation.model
    if physics.solver_contact:
        model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_MULTICCD)
        if kind == "quince":
            belts = np.flatnonzero(model.geom_contype == BELT)
            model.geom_solref[belts] = [0.008, 1.0]
            model.geom_solimp[belts] = [0.2, 0.95, 0.003, 0.5, 2.0]
            model.geom_solmix[belts] = 1e3
    simulation.step(SETTLED)
    return simulation


def _timed(simulation: Simulation) -> float:
    begun = time.perf_counter()
    simulation.step(SECONDS)
    return time.perf_counter() - begun
