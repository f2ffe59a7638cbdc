"""All cameras' newest pictures in one: MultiView (Zaratti et al. 2006, sec. 3)."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from grouser.gateways.images.raster import Raster, stride
from grouser.gateways.images.tiles import CameraSlot, Layout


class Mosaic:
    """One picture of everything; a tile is always replaced whole."""

    def __init__(self, layout: Layout) -> None:
        """Begin with black tiles."""
        self.layout = layout
        self.version = 0
        """Grows with every change."""
        self._raster = _black(layout.size(()))
        self._payload: bytes | None = None

    @property
    def raster(self) -> Raster:
        """The picture, which the next change overwrites."""
        return self._raster

    def payload(self) -> bytes:
        """Return the picture now, as a raw frame carries it."""
        if self._payload is None:
            self._payload = self._raster.payload()
        return self._payload

    def arrange(self, before: Collection[CameraSlot], after: Collection[CameraSlot]) -> None:
        """Replace the cameras; tiles of those that left turn black."""
        size = self.layout.size(after)
        if size != (self._raster.width, self._raster.height):
            old, self._raster = self._raster, _black(size)
            rows = min(old.height, self._raster.height)
            self._raster.rows[:rows] = old.rows[:rows]
        for slot in set(before) - set(after):
            place = self.layout.place(slot)
            if place.y < self._raster.height:
                self._raster.paste(_black((place.width, place.height)), place.x, place.y)
        self._mark_changed()

    def show(self, slot: CameraSlot, picture: Raster) -> None:
        """Replace a camera's tile by its new picture."""
        place = self.layout.place(slot)
        self._raster.paste(picture.reduced(self.layout.factor(slot)), place.x, place.y)
        self._mark_changed()

    def _mark_changed(self) -> None:
        self.version += 1
        self._payload = None


def _black(size: tuple[int, int]) -> Raster:
    width, height = size
    return Raster(width, np.zeros((height, stride(width)), np.uint8))
