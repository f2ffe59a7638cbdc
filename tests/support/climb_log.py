"""A log to compare: a robot climbs a step."""

import numpy as np

from grouser.evaluation.trajectory import Trajectory


def climb(samples=200, duration=8.0, *, late=0.0):
    """Return a robot that drives, climbs 0.2 m while pitching nose up, and drives on."""
    times = np.linspace(0, duration, samples)
    s = np.clip((times - late) / (duration - late), 0, 1)
    return Trajectory(
        times=times,
        x=0.9 * s,
        z=0.2 / (1 + np.exp(-30 * (s - 0.5))),
        pitch=-0.5 * np.exp(-(((s - 0.5) / 0.1) ** 2)),
    )
