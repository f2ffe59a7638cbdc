"""Loops compiled to machine code by numba, kept on disk so that only the first run waits."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

from grouser.errors import MissingDependency, missing_extra

NEEDS_NUMBA = str(missing_extra("compiled camera filters need numba", "camera"))

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile ``function`` when it is first called; other threads may run beside it.

    Divisions by zero give infinity, as in numpy: a check in the loop would keep it from being
    vectorised. A function and everything compiled that it calls must live in one file, since
    numba looks at that file alone to see whether its stored code is stale.
    """
    try:
        import numba
    except ImportError as error:
        raise MissingDependency(NEEDS_NUMBA) from error
    how = {"fastmath": True, "error_model": "numpy", "nogil": True}
    try:
        made = numba.njit(cache=True, **how)(function)
    except RuntimeError:  # there is no folder in which it may be kept
        made = numba.njit(**how)(function)
    return cast("Callable[P, R]", made)
