"""Film strip: images of several moments of a run side by side in one image."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue

Image = npt.NDArray[np.uint8]
"""Image (height, width, 3): red, green, blue, top row first."""

_GAP = 4  # pixels   between images
_PAPER, _INK = 255, (40, 40, 40)  # white, nearly black


def picture_strip(
    frames: Sequence[Image], *, captions: Sequence[str] | None = None, columns: int | None = None
) -> Image:
    """Return one image with the frames in rows, in reading order, with thin white gaps.

    Args:
        frames: images of the same size, uint8 (height, width, 3) each.
        captions: one line below each image; None: no captions.
        columns: images per row; None: all images in one row.

    Returns:
        The composed image, uint8 (height, width, 3).

    Raises:
        BadValue: the sizes differ, there are no frames, or ``captions`` or ``columns`` is invalid.
    """
    sizes = {frame.shape for frame in frames}
    if len(sizes) != 1:
        raise BadValue(f"strip: needs pictures of one size, not {sorted(sizes) or 'none at all'}")
    if captions is not None and len(captions) != len(frames):
        raise BadValue(f"strip: {len(captions)} captions for {len(frames)} pictures")
    across = len(frames) if columns is None else min(columns, len(frames))
    if across < 1:
        raise BadValue(f"strip: {columns} columns; at least 1 is needed")

    tiles = list(frames)
    if captions is not None:
        tiles = [_add_caption(frame, text) for frame, text in zip(frames, captions, strict=True)]
    height, width = tiles[0].shape[:2]
    down = -(-len(tiles) // across)
    sheet = np.full(
        (down * (height + _GAP) - _GAP, across * (width + _GAP) - _GAP, 3), _PAPER, np.uint8
    )
    for index, tile in enumerate(tiles):
        row, column = divmod(index, across)
        top, left = row * (height + _GAP), column * (width + _GAP)
        sheet[top : top + height, left : left + width] = tile
    return sheet


def _add_caption(frame: Image, text: str) -> Image:
    """Return ``frame`` with a centred line of text below it, scaled down to its width."""
    import matplotlib
    from PIL import Image as Pillow
    from PIL import ImageDraw, ImageFont

    height, width = frame.shape[:2]
    band = max(16, height // 10)
    # The font is part of matplotlib and has degree signs and accents.
    face = str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf")
    size = 0.62 * band
    length = ImageFont.truetype(face, size).getlength(text)
    font = ImageFont.truetype(face, size * min(1.0, 0.96 * width / max(length, 1.0)))

    line = Pillow.new("RGB", (width, band), (_PAPER,) * 3)
    ImageDraw.Draw(line).text((width / 2, band / 2), text, _INK, font, anchor="mm")
    return np.concatenate([frame, np.asarray(line, np.uint8)])
