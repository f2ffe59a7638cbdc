"""How fast is a robot simulated, and how much does it touch? Any robot, also one from a file.

``standing_rtf``, ``driving_rtf``, ``turning_rtf``
                      simulated over processor time on flat ground, at the standard step; driving
                      and turning as a path's driver would let it, if one can
``…_over_packbot``    the same over PackBot's, measured in turns with it
``contacts``          of the standing robot, mean
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from grouser.errors import BadValue
from grouser.planning.driver import LegLaw, SkidLaw
from grouser.robots.kinds import default_name, describe
from grouser.simulation.simulation import Simulation
from grouser.trials.path_trials import driver_for
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat

TAKES_ROBOT = True
"""`run` is told which robot."""
MEASURE = "packbot"
"""The robot beside which others are measured."""
SECONDS, TURNS = 0.25, 8
"""Simulated time of one turn, and how many there are."""
SETTLE = 1.0
"""s in which it stands, drives or turns before it is measured."""

Progress = Callable[[str, int, int], None]


def run(progress: Progress, robot: str = MEASURE) -> dict[str, float]:
    """Measure ``robot``, a kind or a file, beside PackBot."""
    figures: dict[str, float] = {}
    motions = _motions(robot)
    for number, (name, command) in enumerate(motions.items()):
        progress(name, number, len(motions))
        ours = _moving(robot, command)
        beside = _moving(MEASURE, _motions(MEASURE)[name])
        figures[f"{name}_rtf"], figures[f"{name}_over_packbot"] = _in_turns(ours, beside)
        if name == "standing":
            figures["contacts"] = float(np.mean([_contacts(ours) for _ in range(20)]))
    return figures


def _motions(robot: str) -> dict[str, dict[str, float]]:
    """Return what the robot can be told: standing, and driving and turning if it does."""
    try:
        law = driver_for(describe(robot, {}, "bench").build()).law
    except BadValue:  # it goes nowhere
        return {"standing": {}}
    first, second = law.words
    if isinstance(law, SkidLaw):
        driving, turning = {first: law.speed}, {second: law.top_turn}
    else:
        assert isinstance(law, LegLaw)
        driving = {first: law.base_speed, second: law.base_speed}
        turning = {first: law.base_speed, second: 2 * law.base_speed}
    return {"standing": {}, "driving": driving, "turning": turning}


def _moving(robot: str, command: dict[str, float]) -> Simulation:
    name = default_name(robot)
    entry = RobotEntry(name=name, kind=robot, position=(0.0, 0.0, 0.0), command=command)
    world = World(name="flat", physics=STANDARD, terrain=(Flat(friction=0.6),), robots=(entry,))
    simulation = Simulation(world, crash_folder=None)
    simulation.step(SETTLE)
    return simulation


def _in_turns(ours: Simulation, beside: Simulation) -> tuple[float, float]:
    """Return our real-time factor, and that over the other's, by the fastest of several turns."""
    costs = [(_cost(ours), _cost(beside)) for _ in range(TURNS)]
    mine, other = np.min(costs, axis=0).tolist()
    return SECONDS / mine, other / mine


def _cost(simulation: Simulation) -> float:
    begun = time.process_time()
    simulation.step(SECONDS)
    return time.process_time() - begun


def _contacts(simulation: Simulation) -> int:
    simulation.step(0.01)
    return int(simulation.data.ncon)
