"""Which way is down, and how sure that is: by camera pose, by gravity, or by what was seen."""

from __future__ import annotations

from dataclasses import dataclass

from grouser.frames import Array, Pose
from grouser.scan.cloud import PointCloud


@dataclass(frozen=True)
class DownGuess:
    """Which way is down in a cloud's frame."""

    direction: Array
    """Unit vector down, (3,), in the cloud's frame."""
    cue: str
    """What told: ``given pose``, ``gravity``, ``plane``, ``ground``…"""
    sureness: float
    """0: a guess, 1: known."""
    remark: str
    """One sentence for the user: what was found, and what else it could have been."""
    X_WC: Pose
    """The cloud's frame in a world frame with z up, x along what the sensor looks at, and the
    ground's height (that of the plane that told, else of the lowest points) at z = 0."""


def find_down(
    cloud: PointCloud, *, camera_pose: Pose | None = None, gravity: Array | None = None
) -> DownGuess:
    """Tell which way is down.

    Args:
        cloud: one frame in the sensor's axes, or several registered into the first one's.
        camera_pose: the cloud's frame in the world (z up), where somebody knows it.
        gravity: a vector down in the cloud's frame, as an accelerometer gives it, where known.
    """
    raise NotImplementedError
