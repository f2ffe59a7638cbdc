"""Numba compilation with an on-disk cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

from grouser.errors import MissingDependency, missing_extra

NEEDS_NUMBA = str(missing_extra("compiled camera filters need numba", "camera"))

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile ``function`` on its first call, without the GIL.

    Divisions by zero give infinity, as in numpy: a check would prevent vectorisation. A function
    and all compiled functions that it calls must be in one file, since numba checks only that
    file for changes of its cache.
    """
    try:
        import numba
    except ImportError as error:
        raise MissingDependency(NEEDS_NUMBA) from error
    how = {"fastmath": True, "error_model": "numpy", "nogil": True}
    try:
        made = numba.njit(cache=True, **how)(function)
    except RuntimeError:  # no writable cache folder
        made = numba.njit(**how)(function)
    return cast("Callable[P, R]", made)
