"""The command as it was typed, options and all: what a report says that it was made by."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextvars import ContextVar

_TYPED: ContextVar[tuple[str, ...]] = ContextVar("typed", default=())


def remember_typed(arguments: Sequence[str]) -> None:
    """Keep what was typed after ``grouser``, for the command that is about to run."""
    _TYPED.set(tuple(arguments))


def typed_command() -> str:
    """Return the running command as a shell takes it: ``grouser experiment okada-table4 --quick``.

    Whoever calls a command's function from Python has typed nothing but ``grouser``.
    """
    return shlex.join(["grouser", *_TYPED.get()])
