"""Memory of worlds that are gone goes back to the system.

A world takes a few blocks of some hundred kilobytes, and one that somebody joins or leaves is
replaced. glibc learns from the first of them that were freed to keep such blocks for itself, among
small ones that stay: a server in which people come and go grew by 2 MB a minute.
"""

from __future__ import annotations

import ctypes

_MMAP_THRESHOLD = -3
"""What ``mallopt`` calls the size from which on a block is the system's own (glibc's malloc.h)."""
LARGE = 128 * 1024
"""Bytes of it: glibc's own value at first; once it is set, it stays."""


def release_large_blocks() -> bool:
    """See to it that large blocks go back when they are freed; False: this system cannot be told.

    It concerns the whole process, and may be called again.
    """
    try:
        return bool(ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, LARGE))
    except (AttributeError, OSError, TypeError):  # not glibc
        return False
