"""Colour classes of pixels from a look-up table (cmos, sec. 2; sources.md C lists the eight).

The class of a pixel depends on its chromaticity, which is the same in light and shade. The robot's
colour detection hardware uses Cb and Cr in the same way. The table is computed once from a sample
of each class; one array indexing classifies an image.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from grouser.frames import Array

Image = npt.NDArray[np.uint8]
"""Image (height, width, 3): red, green, blue, top row first."""
Kinds = npt.NDArray[np.uint8]
"""`Colour` of every pixel, (height, width)."""

_BITS = 5  # bits of each channel that the table uses
_LUMA = np.array([0.299, 0.587, 0.114])  # ITU-R BT.601


class Colour(IntEnum):
    """Colour class of a pixel."""

    NONE = 0
    ORANGE = 1
    PINK = 2
    YELLOW = 3
    SKY_BLUE = 4
    GREEN = 5
    WHITE = 6
    RED = 7
    BLUE = 8


SAMPLES: Mapping[Colour, tuple[int, int, int]] = {
    Colour.ORANGE: (255, 110, 20),  # Part C, down to green
    Colour.PINK: (230, 60, 150),
    Colour.YELLOW: (235, 215, 40),
    Colour.SKY_BLUE: (60, 170, 220),
    Colour.GREEN: (20, 110, 50),
    Colour.WHITE: (242, 242, 242),
    Colour.RED: (200, 30, 40),  # estimate: uniforms
    Colour.BLUE: (30, 50, 170),
}
"""One sRGB sample of every class."""


@dataclass(frozen=True)
class ColourTable:
    """Look-up table from RGB values to colour classes."""

    kinds: npt.NDArray[np.uint8]
    """Classes (2^15,), indexed by five bits each of red, green and blue."""

    @staticmethod
    def from_samples(
        samples: Mapping[Colour, tuple[int, int, int]] = SAMPLES,
        *,
        reach: float = 0.45,
        darkest: float = 28.0,
        darkest_white: float = 140.0,
    ) -> ColourTable:
        """Return the table in which every colour has the class of the nearest sample.

        ``reach`` is the largest distance of a colour from its sample (chroma over
        brightness), as a multiple of the sample's distance from grey (at least 1);
        ``darkest`` and ``darkest_white`` are the smallest brightnesses (of 255) of coloured
        and white pixels.
        """
        levels = (np.arange(2**_BITS) + 0.5) * 2 ** (8 - _BITS)
        grid = np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), axis=-1).reshape(-1, 3)
        names = np.array(list(samples), np.uint8)
        centres = _chroma(np.array(list(samples.values()), float))
        room = reach * np.maximum(np.linalg.norm(centres, axis=1), 1.0)
        off = np.linalg.norm(_chroma(grid)[:, None] - centres, axis=2) / room
        nearest = off.argmin(axis=1)
        kinds = np.where(off.min(axis=1) < 1, names[nearest], Colour.NONE)
        brightness = grid @ _LUMA
        kinds[brightness < darkest] = Colour.NONE
        kinds[(kinds == Colour.WHITE) & (brightness < darkest_white)] = Colour.NONE
        return ColourTable(kinds.astype(np.uint8))

    def look_up(self, image: Image) -> Kinds:
        """Return the class of every pixel."""
        cut = (image >> (8 - _BITS)).astype(np.uint16)
        red, green, blue = cut[..., 0], cut[..., 1], cut[..., 2]
        return np.asarray(self.kinds[(red << (2 * _BITS)) | (green << _BITS) | blue])


def paint_classes(kinds: Kinds) -> Image:
    """Return an image with the sample colour of every class, as in the paper's Fig. 3(c)."""
    palette = np.zeros((len(Colour), 3), np.uint8)
    for colour, sample in SAMPLES.items():
        palette[colour] = sample
    return palette[kinds]


def _chroma(rgb: Array) -> Array:
    """Return (blue - Y) / Y and (red - Y) / Y of colours ``(…, 3)``."""
    luma = np.maximum(rgb @ _LUMA, 1.0)
    return np.stack([rgb[..., 2] / luma - 1, rgb[..., 0] / luma - 1], axis=-1)
