"""Connected regions of one colour."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from grouser.errors import missing_extra
from grouser.perception.colours import Colour, Kinds

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class ColourRegion:
    """Pixels of one colour that touch each other, also by their corners."""

    colour: Colour
    left: int
    """First column."""
    top: int
    """First row."""
    wide: int
    """How many columns."""
    high: int
    """How many rows."""
    area: int
    """How many pixels."""
    centre: tuple[float, float]
    """Mean column and row."""
    labels: npt.NDArray[np.int32]
    """(height, width) of the picture: the region's own `label` where it is."""
    label: int

    @property
    def cut_beside(self) -> bool:
        """Whether it touches the picture's left or right edge: more of it may be outside."""
        return self.left == 0 or self.left + self.wide == self.labels.shape[1]

    @property
    def cut(self) -> bool:
        """Whether it touches any edge of the picture."""
        return self.cut_beside or self.top == 0 or self.top + self.high == self.labels.shape[0]

    @cached_property
    def mask(self) -> Mask:
        """Which pixels of its box belong to it, (high, wide)."""
        rows = slice(self.top, self.top + self.high)
        return np.asarray(self.labels[rows, self.left : self.left + self.wide] == self.label)


def find_regions(kinds: Kinds, colour: Colour, least: int) -> Iterator[ColourRegion]:
    """Yield the regions of ``colour`` with at least ``least`` pixels."""
    try:
        import cv2
    except ImportError as error:
        raise missing_extra("vision needs OpenCV", "camera") from error
    same = (kinds == colour).view(np.uint8)
    if not same.any():
        return
    count, labels, boxes, centres = cv2.connectedComponentsWithStats(same, connectivity=8)
    for label in range(1, count):  # 0 is all that is not of this colour
        left, top, wide, high, area = (int(number) for number in boxes[label])
        if area < least:
            continue
        centre = float(centres[label][0]), float(centres[label][1])
        yield ColourRegion(colour, left, top, wide, high, area, centre, labels, label)
