"""Real-time factor and contacts of any robot, including one from a file.

``standing_rtf``, ``driving_rtf``, ``turning_rtf``
                      simulated over processor time on flat ground at the standard time step;
                      driving and turning with the speeds of the path driver, if the robot has one
``…_over_packbot``    the same over that of PackBot, measured alternately
``contacts``          mean number of contacts of the standing robot
"""

from __future__ import annotations

from functools import partial

import numpy as np

from grouser.benches.machine import processor_seconds
from grouser.errors import BadValue
from grouser.experiments.run_options import Progress
from grouser.planning.driver import LegLaw, SkidLaw
from grouser.robots.kinds import default_name, describe
from grouser.simulation.simulation import Simulation
from grouser.trials.path_trials import driver_for
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat

TAKES_ROBOT = True
"""`run` takes the robot as an argument."""
REFERENCE = "packbot"
"""Robot with which others are compared."""
SECONDS, TURNS = 0.25, 8
"""Simulated time of one interval (s), and number of intervals."""
SETTLE = 1.0
"""Simulated time before the measurement, s."""


def run(progress: Progress, robot: str = REFERENCE) -> dict[str, float]:
    """Measure ``robot``, a kind or a file, and PackBot."""
    figures: dict[str, float] = {}
    motions = _motions(robot)
    for number, (name, command) in enumerate(motions.items()):
        progress(name, number, len(motions))
        ours = _settled_simulation(robot, command)
        reference = _settled_simulation(REFERENCE, _motions(REFERENCE)[name])
        figures[f"{name}_rtf"], figures[f"{name}_over_packbot"] = _compare(ours, reference)
        if name == "standing":
            figures["contacts"] = float(np.mean([_contacts(ours) for _ in range(20)]))
    return figures


def _motions(robot: str) -> dict[str, dict[str, float]]:
    """Return the commands for standing and, if the robot has a driver, driving and turning."""
    try:
        law = driver_for(describe(robot, {}, "bench").build()).law
    except BadValue:  # the robot cannot follow paths
        return {"standing": {}}
    first, second = law.words
    if isinstance(law, SkidLaw):
        driving, turning = {first: law.speed}, {second: law.top_turn}
    elif isinstance(law, LegLaw):
        driving = {first: law.base_speed, second: law.base_speed}
        turning = {first: law.base_speed, second: 2 * law.base_speed}
    else:
        return {"standing": {}}
    return {"standing": {}, "driving": driving, "turning": turning}


def _settled_simulation(robot: str, command: dict[str, float]) -> Simulation:
    """Return a simulation of a robot with a constant command, after `SETTLE`."""
    name = default_name(robot)
    entry = RobotEntry(name=name, kind=robot, position=(0.0, 0.0, 0.0), command=command)
    world = World(name="flat", physics=STANDARD, terrain=(Flat(friction=0.6),), robots=(entry,))
    simulation = Simulation(world, crash_folder=None)
    simulation.step(SETTLE)
    return simulation


def _compare(ours: Simulation, reference: Simulation) -> tuple[float, float]:
    """Return our real-time factor and its ratio to the reference, from the fastest intervals."""
    steps = [partial(simulation.step, SECONDS) for simulation in (ours, reference)]
    times = [[processor_seconds(step) for step in steps] for _ in range(TURNS)]
    our_time, reference_time = np.min(times, axis=0).tolist()
    return SECONDS / our_time, reference_time / our_time


def _contacts(simulation: Simulation) -> int:
    """Step by 10 ms and return the number of contacts."""
    simulation.step(0.01)
    return int(simulation.data.ncon)
