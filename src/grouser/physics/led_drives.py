"""Drives that a gait leads together: where they are in the arrays of a compiled scene."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grouser.frames import Array

Index = slice | npt.NDArray[np.int64]
"""Some columns of an array: a slice where they are evenly spaced, which is looked up at once."""


@dataclass(frozen=True, eq=False)
class LedDrives:
    """Some drives (d,), by their places in a compiled scene."""

    targets: Index
    """Their position inputs."""
    rates: Index
    """Their speed inputs."""
    actuators: Index
    states: Index
    limits: Array
    """Their largest speeds (d,), m/s or rad/s."""


def columns_index(columns: npt.NDArray[np.int64]) -> Index:
    """Return what looks ``columns`` up: the same numbers, sooner if they are evenly spaced."""
    steps = np.diff(columns)
    if len(steps) and steps[0] > 0 and (steps == steps[0]).all():
        return slice(int(columns[0]), int(columns[-1]) + 1, int(steps[0]))
    return columns
