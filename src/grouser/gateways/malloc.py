"""malloc settings: set glibc's M_MMAP_THRESHOLD so that freed models return to the system.

A compiled model takes a few blocks of some hundred kilobytes, and is replaced whenever a robot
joins or leaves. By default glibc raises the threshold when the first of them are freed, and keeps
later ones between small blocks: a server with joining and leaving clients grew by 2 MB a minute.
"""

from __future__ import annotations

import ctypes

_MMAP_THRESHOLD = -3
"""``M_MMAP_THRESHOLD`` of glibc's malloc.h: blocks of this size and above are mapped."""
LARGE = 128 * 1024
"""Threshold, bytes: glibc's initial value; once set explicitly, it does not change."""


def release_large_blocks() -> bool:
    """Return freed large blocks to the system from now on; return False without glibc."""
    try:
        return bool(ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, LARGE))
    except (AttributeError, OSError, TypeError):  # not glibc
        return False
