"""XYZ files: one point per line, three numbers or more, separated by blanks or commas."""

from __future__ import annotations

import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.scan.cloud import Colours, PointCloud, check_count
from grouser.world.meshes.ply_file import number_rows


def read_xyz(content: bytes) -> PointCloud:
    """Return the cloud in an XYZ file's bytes.

    Three integers from 0 to 255 after x, y, z (and an intensity) are a colour.

    Raises:
        BadValue: the fault, as a clause to follow a file's name.
    """
    check_count(content.count(b"\n") + 1)
    if b"\0" in content[:4096]:
        raise BadValue("is no text with one point per line")
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
