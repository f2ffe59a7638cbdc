"""Trajectory of a robot that climbs a step, for tests of comparisons and plots."""

import numpy as np

from grouser.evaluation.trajectory import Trajectory


def climb_trajectory(samples: int = 200, duration: float = 8.0, *, late: float = 0.0) -> Trajectory:
    """Return a robot that drives, climbs 0.2 m while pitching nose up, and drives on.

    Args:
        samples: number of samples.
        duration: time of the last sample, s.
        late: time at which the robot starts to drive, s.
    """
    times = np.linspace(0, duration, samples)
    s = np.clip((times - late) / (duration - late), 0, 1)
    return Trajectory(
        times=times,
        x=0.9 * s,
        z=0.2 / (1 + np.exp(-30 * (s - 0.5))),
        pitch=-0.5 * np.exp(-(((s - 0.5) / 0.1) ** 2)),
    )
