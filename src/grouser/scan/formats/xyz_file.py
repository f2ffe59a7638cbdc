"""XYZ files: a point a line, three numbers or more with blanks or commas between them."""

from __future__ import annotations

import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.scan.cloud import Colours, PointCloud
from grouser.scan.cloud_limits import check_count
from grouser.scan.formats.number_rows import number_rows


def read_xyz(content: bytes) -> PointCloud:
    """Return the cloud in an XYZ file's bytes.

    Three whole numbers from 0 to 255 after x, y, z (and an intensity) are a colour.

    Raises:
        BadValue: in a few words, to be read after a file's name: what is wrong with it.
    """
    check_count(content.count(b"\n") + 1)
    if b"\0" in content[:4096]:
        raise BadValue("is no text with a point a line")
    text = content.replace(b",", b" ").replace(b";", b" ")
    if text.lstrip()[:1].isalpha() and not text.lstrip().lower().startswith((b"nan", b"inf")):
        text = text.partition(b"\n")[2]  # names of the columns
    table = number_rows(text, ("#", "//"))
    if table.shape[1] < 3:
        raise BadValue(f"has {table.shape[1]} numbers a line, x, y and z are needed")
    return PointCloud(np.ascontiguousarray(table[:, :3]), None, _colours(table), None)


def _colours(table: Array) -> Colours | None:
    colours = table[:, 3:6] if table.shape[1] == 6 else table[:, 4:7]
    whole = colours.shape[1] == 3 and np.isfinite(colours).all()
    if not whole or (colours != np.rint(colours)).any() or (colours < 0).any():
        return None
    return colours.astype(np.uint8) if colours.max(initial=0) <= 255 else None
