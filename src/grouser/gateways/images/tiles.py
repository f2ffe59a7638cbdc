"""Where in the mosaic each camera's picture is: tile numbers, places, and which camera has which.

Camera ``i`` has the tile at ``((i mod columns) * width, (i div columns) * height)``, as in UDK with
its 2 x 2 tiles of 320 x 240. The number of columns never changes, only rows are added, so that a
tile never moves. A picture lies in the upper left corner of its tile, pixel for pixel; what is too
large is thinned by a whole number, the same both ways.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from grouser.errors import BadValue

CameraName = tuple[str, str]
"""Names of a robot and of a camera on it."""


@dataclass(frozen=True)
class CameraSlot:
    """A camera whose pictures are served: its size, its tile in the mosaic, its key."""

    robot: str
    camera: str
    width: int
    """Of its own pictures, pixels."""
    height: int
    tile: int
    key: str = field(repr=False)
    """Lower-case hexadecimal, its robot's: who says it gets these pictures."""

    @property
    def name(self) -> CameraName:
        """Names of robot and camera."""
        return self.robot, self.camera


@dataclass(frozen=True)
class CameraTile:
    """A camera's picture within the mosaic, pixels (``CONF {Type Camera}``)."""

    number: int
    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True)
class Layout:
    """How the mosaic is divided into tiles."""

    columns: int = 2
    """Tiles in a row."""
    rows: int = 2
    """Of tiles, at least; more come as they are needed."""
    width: int = 320
    """Of a tile, pixels."""
    height: int = 240

    def __post_init__(self) -> None:
        if min(self.columns, self.rows, self.width, self.height) < 1:
            raise BadValue(f"mosaic: {self}, all four must be at least 1")

    def factor(self, slot: CameraSlot) -> int:
        """Return by how much a camera's picture is thinned to fit its tile."""
        return max(-(-slot.width // self.width), -(-slot.height // self.height))

    def place(self, slot: CameraSlot) -> CameraTile:
        """Return where a camera's picture is."""
        row, column = divmod(slot.tile, self.columns)
        factor = self.factor(slot)
        width, height = -(-slot.width // factor), -(-slot.height // factor)
        return CameraTile(slot.tile, column * self.width, row * self.height, width, height)

    def size(self, slots: Iterable[CameraSlot]) -> tuple[int, int]:
        """Return width and height of a mosaic with these cameras, pixels."""
        last = max((slot.tile for slot in slots), default=-1)
        rows = max(self.rows, last // self.columns + 1)
        return self.columns * self.width, rows * self.height


UDK_LAYOUT = Layout()
"""Two columns of tiles of 320 x 240, as UDK has them."""
