"""The electronic shutter: when each row of a picture is exposed (cmos, sec. 4.5, fig. 8).

All times are relative to the middle of the picture's exposure, in seconds. A rolling shutter
exposes row after row; a row collects light for the exposure time, during which the camera moves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.frames import Array

MOST_BLUR_SAMPLES = 32
"""Of one exposure; one a pixel of motion is enough, and faster blurs hide the gaps."""
GLOBAL_SHUTTER_SAMPLES = 8
"""Of one exposure, where all rows are exposed at once."""


@dataclass(frozen=True)
class ExposureSlices:
    """Moments of a picture's exposure, and which of them each row sees."""

    times: Array
    """(moments,), s."""
    seen: npt.NDArray[np.int64]
    """(rows, samples), indices into ``times``."""


@dataclass(frozen=True, kw_only=True)
class Shutter:
    """How long a row is exposed, and how long it takes to go through all rows."""

    exposure_s: float = 0.0
    readout_s: float = 0.0
    """From the exposure of the first row to where one after the last would be; 0: all at once."""

    def __post_init__(self) -> None:
        for name in ("exposure_s", "readout_s"):
            if not 0 <= getattr(self, name) < math.inf:
                raise BadValue(f"shutter: {name} is {getattr(self, name)}, must be at least 0")

    def samples(self, pixels_per_second: float) -> int:
        """Return how many samples of one exposure show this motion without gaps."""
        return min(max(math.ceil(pixels_per_second * self.exposure_s), 1), MOST_BLUR_SAMPLES)

    def times(self, rows: int, samples: int) -> Array:
        """Return the middle of each sample of each row's exposure, (rows, samples)."""
        line_delay = self.readout_s / rows
        begin = (np.arange(rows) - (rows - 1) / 2) * line_delay
        within = ((np.arange(samples) + 0.5) / samples - 0.5) * self.exposure_s
        return np.asarray(begin[:, None] + within)

    def slices(self, rows: int) -> ExposureSlices:
        """Return the moments to draw for a picture that needs no warping."""
        if not self.readout_s:
            count = GLOBAL_SHUTTER_SAMPLES if self.exposure_s else 1
            return ExposureSlices(self.times(1, count)[0], np.tile(np.arange(count), (rows, 1)))
        spacing = self.readout_s / rows
        count = max(1, round(self.exposure_s / spacing))
        moments = rows + count - 1
        times = (np.arange(moments) - (moments - 1) / 2) * spacing
        return ExposureSlices(np.asarray(times, float), np.arange(rows)[:, None] + np.arange(count))


INSTANT_SHUTTER = Shutter()
"""All rows at once, in no time."""


def spin_terms(matrix: Array, spin: Array) -> tuple[Array, float]:
    """Return the terms of the projection to a picture taken at time 0, while a camera turns.

    Args:
        matrix: (3, 3) from directions to pixels of that picture.
        spin: (3,) how the camera turns, rad/s about its own x right, y down, z ahead.

    Returns:
        Three (3, 3) in one array, and the rate in rad/s: after a turn by an angle the first, plus
        the second times its sine, plus the third times one minus its cosine, takes directions to
        pixels (Rodrigues' formula).
    """
    rate = math.sqrt(float(spin @ spin))
    x, y, z = (spin / rate).tolist() if rate else (0.0, 0.0, 0.0)
    across = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    sideways = matrix @ across
    return np.stack([matrix, sideways, sideways @ across]), rate


def spin_projections(matrix: Array, spin: Array, times: Array) -> Array:
    """Return the projections ``(…, 3, 3)`` that `spin_terms` give at some ``times`` (s)."""
    terms, rate = spin_terms(matrix, spin)
    angles = (times * rate)[..., None, None]
    return np.asarray(terms[0] + np.sin(angles) * terms[1] + (1 - np.cos(angles)) * terms[2])
