"""Rows of numbers in text, as clouds have them."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence

import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array


def number_rows(text: bytes, comments: Sequence[str] | None = None) -> Array:
    """Return the numbers of all lines, (rows, numbers a row).

    Args:
        text: numbers with blanks between them.
        comments: what lines, or ends of lines, that are no numbers begin with.

    Raises:
        BadValue: in a few words, to be read after a file's name: what is wrong with it.
    """
    if not text.strip():
        raise BadValue("has no points")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of text that is all comments
            table = np.loadtxt(io.BytesIO(text), ndmin=2, comments=comments)
    except ValueError as error:
        reason = str(error).splitlines()[0]
        raise BadValue(f"has a line that is no row of numbers ({reason})") from None
    if not table.size:
        raise BadValue("has no points")
    return np.asarray(table, float)
