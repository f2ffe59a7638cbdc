"""Rolling shutter: exposure times of the rows of an image (cmos, sec. 4.5, fig. 8).

All times are relative to the middle of the exposure, s. A rolling shutter exposes row after row; a
row collects light for the exposure time, during which the camera moves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.frames import Array

MOST_BLUR_SAMPLES = 32
"""Largest number of samples of one exposure; one per pixel of motion suffices."""
GLOBAL_SHUTTER_SAMPLES = 8
"""Samples of one exposure of a global shutter."""


@dataclass(frozen=True)
class ExposureSlices:
    """Moments of an exposure, and those of each row."""

    times: Array
    """(moments,), s."""
    seen: npt.NDArray[np.int64]
    """(rows, samples), indices into ``times``."""


@dataclass(frozen=True, kw_only=True)
class Shutter:
    """Exposure time of a row and read-out time of all rows."""

    exposure_s: float = 0.0
    readout_s: float = 0.0
    """Read-out time of all rows; 0: global shutter."""

    def __post_init__(self) -> None:
        for name in ("exposure_s", "readout_s"):
            if not 0 <= getattr(self, name) < math.inf:
                raise BadValue(f"shutter: {name} is {getattr(self, name)}, must be at least 0")

    def samples(self, pixels_per_second: float) -> int:
        """Return the number of samples that show this motion without gaps."""
        return min(max(math.ceil(pixels_per_second * self.exposure_s), 1), MOST_BLUR_SAMPLES)

    def times(self, rows: int, samples: int) -> Array:
        """Return the middle of each sample of each row's exposure, (rows, samples)."""
        line_delay = self.readout_s / rows
        begin = (np.arange(rows) - (rows - 1) / 2) * line_delay
        within = ((np.arange(samples) + 0.5) / samples - 0.5) * self.exposure_s
        return np.asarray(begin[:, None] + within)

    def slices(self, rows: int) -> ExposureSlices:
        """Return the moments to render for an image without warping."""
        if not self.readout_s:
            count = GLOBAL_SHUTTER_SAMPLES if self.exposure_s else 1
            return ExposureSlices(self.times(1, count)[0], np.tile(np.arange(count), (rows, 1)))
        spacing = self.readout_s / rows
        count = max(1, round(self.exposure_s / spacing))
        moments = rows + count - 1
        times = (np.arange(moments) - (moments - 1) / 2) * spacing
        return ExposureSlices(np.asarray(times, float), np.arange(rows)[:, None] + np.arange(count))


INSTANT_SHUTTER = Shutter()
"""Global shutter with zero exposure time."""


def spin_terms(matrix: Array, spin: Array) -> tuple[Array, float]:
    """Return the terms of the projection of a rotating camera to an image taken at time 0.

    Args:
        matrix: (3, 3) from directions to pixels of that image.
        spin: (3,) angular velocity of the camera, rad/s about x right, y down, z ahead.

    Returns:
        Terms (3, 3, 3) and rate (rad/s). After a rotation by an angle the projection is the first
        term, plus the second times its sine, plus the third times one minus its cosine
        (Rodrigues' formula).
    """
    rate = math.sqrt(float(spin @ spin))
    x, y, z = (spin / rate).tolist() if rate else (0.0, 0.0, 0.0)
    across = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    sideways = matrix @ across
    return np.stack([matrix, sideways, sideways @ across]), rate


def spin_projections(matrix: Array, spin: Array, times: Array) -> Array:
    """Return the projections ``(…, 3, 3)`` of `spin_terms` at ``times`` (s)."""
    terms, rate = spin_terms(matrix, spin)
    angles = (times * rate)[..., None, None]
    return np.asarray(terms[0] + np.sin(angles) * terms[1] + (1 - np.cos(angles)) * terms[2])
