"""A log whose truth is known: would a run like this tell it?

Before a robot is driven for a log it is worth knowing whether that run can show what is wanted.
`planted_log` drives the simulated robot with parameters that are known, and measures it as badly
as a real one is measured; `calibrate` then has to find them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from grouser.calibration.calibration import trajectory
from grouser.calibration.parameters import parameters_named
from grouser.evaluation.trajectory import Trajectory
from grouser.frames import radians
from grouser.trials import threads
from grouser.trials.trial import Trial
from grouser.world.file import World


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """How badly a robot's way is measured; all of it estimates."""

    rate_hz: float = 17.0
    late: float = 0.3
    """The first sample comes so long after the start, s."""
    clock: float = 5.0
    """What the log's own clock says at the start, s."""
    place_noise: float = 0.003
    """Deviation of x and z, m."""
    pitch_noise: float = radians(0.3)
    """Deviation of pitch, rad."""
    lost: float = 0.1
    """Part of the samples that are lost."""


def planted_log(
    world: World,
    robot: str,
    truth: Mapping[str, float],
    seconds: float,
    *,
    measured: Measurement = Measurement(),
    seed: int = 1,
) -> Trajectory:
    """Return a log of ``robot`` in ``world`` as it would be if ``truth`` were true.

    Args:
        world: with the robot's start and command.
        robot: whose log, by name in the world.
        truth: values of parameters, as `grouser.calibration.PARAMETERS` names them.
        seconds: how long it is driven.
        measured: how badly.
        seed: decides noise and losses.
    """
    for parameter in parameters_named(list(truth)):
        world = parameter.applied(world, robot, truth[parameter.name])
    trial = Trial(world=world, robot=robot, limit=seconds, tipped_beyond=math.inf)
    [outcome] = threads.run_trials([trial], sample_period=0.01)
    times = np.arange(measured.late, seconds - 0.01, 1 / measured.rate_hz)
    true = trajectory(outcome).at(times)
    rng = np.random.default_rng(seed)
    noisy = Trajectory(
        times + measured.clock,
        true.x + rng.normal(0, measured.place_noise, len(times)),
        true.z + rng.normal(0, measured.place_noise, len(times)),
        true.pitch + rng.normal(0, measured.pitch_noise, len(times)),
    )
    return noisy.taken(rng.random(len(times)) > measured.lost)
