"""The error family: one sentence each, for the person who made the mistake.

::

    GrouserError
    ├── WorldFileError      (ValueError)    a world file says something impossible
    ├── UnknownName         (LookupError)   a robot, track, drive, world… that does not exist
    ├── BadValue            (ValueError)    a number, path or option outside what is allowed
    ├── Refused             (PermissionError)  somebody may not come in, or may not do this
    ├── Disconnected        (ConnectionError)  the other end is not there, or not any more
    ├── NoAnswer            (TimeoutError)  the other end is there, and said nothing in time
    ├── MissingDependency   (ImportError)   an optional package or system library is absent
    └── SimulationDiverged  (ArithmeticError)  physics blew up; the last second is saved

A message says where, what was given, what is allowed and the nearest match. The command line
prints it without a traceback and leaves with code 2.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path


class GrouserError(Exception):
    """Anything Grouser refuses, with a sentence that says why."""


class WorldFileError(GrouserError, ValueError):
    """A world file holds an unknown key, a wrong type or an impossible value."""


class UnknownName(GrouserError, LookupError):
    """Somebody asked for a thing by a name that nothing has."""


class BadValue(GrouserError, ValueError):
    """A value is outside what is allowed."""


class Refused(GrouserError, PermissionError):
    """Somebody has no right to what was asked."""


class Disconnected(GrouserError, ConnectionError):
    """A connection could not be made, or is there no more."""


class NoAnswer(GrouserError, TimeoutError):
    """Something that was waited for did not come in time."""


class MissingDependency(GrouserError, ImportError):
    """An optional package or a system library is not installed."""


class SimulationDiverged(GrouserError, ArithmeticError):
    """The state is no longer finite, or its energy exploded."""

    def __init__(self, message: str, *, states: Path | None = None) -> None:
        """Keep ``states``, the file that holds the last second (None: not written)."""
        super().__init__(message)
        self.states = states


def nearest(given: str, allowed: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"`` for the closest allowed name, or ``""``."""
    written = {name.lower(): name for name in allowed}
    close = difflib.get_close_matches(given.lower(), written, n=1)
    return f"; did you mean '{written[close[0]]}'?" if close else ""


def unknown(where: str, kind: str, given: str, allowed: Iterable[str]) -> UnknownName:
    """Build the `UnknownName` for ``given``, listing what there is.

    Args:
        where: the place of the mistake, e.g. ``"worlds/step.yaml line 4"``.
        kind: what was looked for, e.g. ``"robot"``.
        given: the name that does not exist.
        allowed: the names that do.
    """
    names = sorted(allowed)
    listing = ", ".join(names) if names else "none"
    return UnknownName(
        f"{where}: there is no {kind} '{given}' (there are: {listing}){nearest(given, names)}"
    )


def missing_extra(need: str, extra: str, otherwise: str = "") -> MissingDependency:
    """Build the `MissingDependency` for something that an extra of this package brings.

    Args:
        need: who needs what: ``"planning needs SciPy"``.
        extra: its name; how to install it is told for an index and for a clone.
        otherwise: what else can be done, after the command.
    """
    more = f", {otherwise}" if otherwise else ""
    return MissingDependency(
        f'{need}: pip install "grouser[{extra}]", from a clone pip install ".[{extra}]"{more}'
    )
