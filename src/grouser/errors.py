"""Exception hierarchy; every message is one sentence for the user.

::

    GrouserError
    ├── WorldFileError      (ValueError)    unknown key, wrong type or bad value in a world file
    ├── UnknownName         (LookupError)   a robot, track, drive, world… that does not exist
    ├── BadValue            (ValueError)    a number, path or option outside the allowed values
    ├── Refused             (PermissionError)  access denied: authentication or role
    ├── Disconnected        (ConnectionError)  connection not made, or lost
    ├── NoAnswer            (TimeoutError)  time-out while connected
    ├── MissingDependency   (ImportError)   an optional package or system library is absent
    ├── SimulationDiverged  (ArithmeticError)  state not finite; the last second is saved
    └── PolicyFailed        (RuntimeError)  a controller raised an error or returned no command

A message contains the location, the given value, the allowed values and the nearest match. The
command line prints it without a traceback and exits with code 2; with 1 if a policy failed.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path

LONGEST_REASON = 200
"""Longest part of another library's report in a sentence, characters."""


class GrouserError(Exception):
    """Base class of all errors raised by Grouser."""


class WorldFileError(GrouserError, ValueError):
    """A world file holds an unknown key, a wrong type or an impossible value."""


class UnknownName(GrouserError, LookupError):
    """No object of this kind has the given name."""


class BadValue(GrouserError, ValueError):
    """A value is outside its allowed range."""


class Refused(GrouserError, PermissionError):
    """The request is denied: wrong token, missing role or a server limit."""


class Disconnected(GrouserError, ConnectionError):
    """A connection could not be made or was lost."""


class NoAnswer(GrouserError, TimeoutError):
    """An expected message did not arrive before the time-out."""


class MissingDependency(GrouserError, ImportError):
    """An optional package or a system library is not installed."""


class SimulationDiverged(GrouserError, ArithmeticError):
    """The state is not finite, or its energy grew without bound."""

    def __init__(self, message: str, *, states: Path | None = None) -> None:
        """Store ``states``, the file with the last second of states (None: not written)."""
        super().__init__(message)
        self.states = states


class PolicyFailed(GrouserError, RuntimeError):
    """A policy raised an error or returned no command; the message has robot and time."""


def nearest(given: str, allowed: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"`` for the closest allowed name, or ``""``."""
    written = {name.lower(): name for name in allowed}
    close = difflib.get_close_matches(str(given).lower(), written, n=1)
    return f"; did you mean '{written[close[0]]}'?" if close else ""


def reason_of(error: BaseException) -> str:
    """Return the first line of what another library reports, for a sentence; its kind if empty."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0] if len(lines[0]) <= LONGEST_REASON else f"{lines[0][:LONGEST_REASON]} …"


def unknown(where: str, kind: str, given: str, allowed: Iterable[str]) -> UnknownName:
    """Return the `UnknownName` error for ``given``, with a list of the existing names.

    Args:
        where: location of the error, e.g. ``"worlds/step.yaml line 4"``.
        kind: kind of object, e.g. ``"robot"``.
        given: the name that does not exist.
        allowed: the existing names.
    """
    names, given = sorted(allowed), str(given)  # a caller may pass a number
    shown = given if given.isprintable() else repr(given)[1:-1]
    listing = ", ".join(names) if names else "none"
    return UnknownName(
        f"{where}: there is no {kind} '{shown}' (there are: {listing}){nearest(given, names)}"
    )


def missing_extra(need: str, extra: str, otherwise: str = "") -> MissingDependency:
    """Return the `MissingDependency` error for a package that an extra installs.

    Args:
        need: the requirement, e.g. ``"planning needs SciPy"``.
        extra: name of the extra; the message has the pip commands for an index and for a clone.
        otherwise: alternative, appended after the commands.
    """
    more = f", {otherwise}" if otherwise else ""
    return MissingDependency(
        f'{need}: pip install "grouser[{extra}]", from a clone pip install ".[{extra}]"{more}'
    )
