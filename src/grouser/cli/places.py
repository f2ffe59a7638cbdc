"""Places, poses and other short lists of numbers as one types them: ``0.5,0,1.2``."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from grouser.errors import BadValue

if TYPE_CHECKING:
    from grouser.frames import Pose


def numbers(option: str, text: str, *counts: int, example: str) -> list[float]:
    """Return the numbers in ``text``, parted by commas.

    Args:
        option: what it was given for, such as ``--from``.
        text: as typed.
        counts: how many there may be.
        example: one that would do.
    """
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        values = []
    if len(values) not in counts or not all(map(math.isfinite, values)):
        wanted = " or ".join(map(str, counts))
        raise BadValue(f"{option} is '{text}', {wanted} numbers with commas are needed: {example}")
    return values


def pose(option: str, text: str) -> Pose:
    """Return the pose ``x,y,z,roll,pitch,yaw``: m and deg."""
    from grouser.frames import Pose, radians

    values = numbers(option, text, 6, example="0,0,1.2,0,35,0 (m and deg: 35 deg nose down)")
    x, y, z, *turns = values
    roll, pitch, yaw = (radians(turn) for turn in turns)
    return Pose.at(x, y, z, roll=roll, pitch=pitch, yaw=yaw)
