"""Camera mosaic (MultiView): tile layout, and all cameras in one picture.

Zaratti et al. 2006, sec. 3. Camera ``i`` has the tile at ``((i mod columns) * width,
(i div columns) * height)``, as in UDK with its 2 x 2 tiles of 320 x 240. The number of columns is
fixed and rows are added, so that a tile never moves. A picture is in the upper left corner of its
tile at full resolution; a larger one is subsampled by an integer factor, the same in both
directions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from grouser.errors import BadValue
from grouser.render_workers.raster import Raster

CameraName = tuple[str, str]
"""Names of a robot and of a camera on it."""


@dataclass(frozen=True)
class CameraSlot:
    """Served camera: size, tile number in the mosaic, key."""

    robot: str
    camera: str
    width: int
    """Width of its own pictures, pixels."""
    height: int
    tile: int
    key: str = field(repr=False)
    """Key of its robot, lower-case hexadecimal; gives access to these pictures."""

    @property
    def name(self) -> CameraName:
        """Names of robot and camera."""
        return self.robot, self.camera


@dataclass(frozen=True)
class CameraTile:
    """Position of a camera's picture in the mosaic, pixels (``CONF {Type Camera}``)."""

    number: int
    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True)
class Layout:
    """Division of the mosaic into tiles."""

    columns: int = 2
    """Tiles per row."""
    rows: int = 2
    """Minimum number of rows; more are added as needed."""
    width: int = 320
    """Width of a tile, pixels."""
    height: int = 240

    def __post_init__(self) -> None:
        if min(self.columns, self.rows, self.width, self.height) < 1:
            raise BadValue(f"mosaic: {self}, all four must be at least 1")

    def factor(self, slot: CameraSlot) -> int:
        """Return the subsampling factor that fits a camera's picture into its tile."""
        return max(-(-slot.width // self.width), -(-slot.height // self.height))

    def place(self, slot: CameraSlot) -> CameraTile:
        """Return the position of a camera's picture."""
        row, column = divmod(slot.tile, self.columns)
        factor = self.factor(slot)
        width, height = -(-slot.width // factor), -(-slot.height // factor)
        return CameraTile(slot.tile, column * self.width, row * self.height, width, height)

    def size(self, slots: Iterable[CameraSlot]) -> tuple[int, int]:
        """Return width and height of a mosaic of these cameras, pixels."""
        last = max((slot.tile for slot in slots), default=-1)
        rows = max(self.rows, last // self.columns + 1)
        return self.columns * self.width, rows * self.height


UDK_LAYOUT = Layout()
"""Two columns of tiles of 320 x 240, as in UDK."""


class Mosaic:
    """Picture of all cameras; a tile is always replaced as a whole."""

    def __init__(self, layout: Layout) -> None:
        """Start with black tiles."""
        self.layout = layout
        self.version = 0
        """Incremented with every change."""
        self.raster = Raster.black(*layout.size(()))
        """The picture; the next change overwrites it."""
        self._payload: bytes | None = None

    def payload(self) -> bytes:
        """Return the present picture as the payload of a raw frame."""
        if self._payload is None:
            self._payload = self.raster.payload()
        return self._payload

    def arrange(self, before: Collection[CameraSlot], after: Collection[CameraSlot]) -> None:
        """Replace the cameras; tiles of removed cameras become black."""
        size = self.layout.size(after)
        if size != (self.raster.width, self.raster.height):
            old, self.raster = self.raster, Raster.black(*size)
            rows = min(old.height, self.raster.height)
            self.raster.rows[:rows] = old.rows[:rows]
        for slot in set(before) - set(after):
            place = self.layout.place(slot)
            if place.y < self.raster.height:
                self.raster.paste(Raster.black(place.width, place.height), place.x, place.y)
        self._mark_changed()

    def show(self, slot: CameraSlot, picture: Raster) -> None:
        """Replace the tile of a camera."""
        place = self.layout.place(slot)
        self.raster.paste(picture.subsample(self.layout.factor(slot)), place.x, place.y)
        self._mark_changed()

    def _mark_changed(self) -> None:
        self.version += 1
        self._payload = None
