"""Rate-limited log for events of clients: few short lines per address, without secrets.

A client that is rejected a thousand times a second must not fill a disk. Lines beyond the limit of
an address are counted, and the count is logged.
"""

from __future__ import annotations

import logging
import re
from collections import OrderedDict
from collections.abc import Callable

WINDOW = 10.0
"""Wall seconds over which lines are counted, s."""
MOST_LINES = 10
"""Lines per address and level in one window."""
LONGEST = 300
"""Characters of a line."""
REMEMBERED = 1024
"""Pairs of address and level whose lines are counted."""

_QUOTED = re.compile(r"'[^'\s]{12,}'")
"""Quoted text as long as a token: a client may have sent one in the wrong place."""


class ClientLog:
    """Log for events of clients; ``clock`` is wall time, s."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._counts: OrderedDict[tuple[str, int], tuple[float, int]] = OrderedDict()
        """Address and level -> begin of its window, lines in it. Levels are counted separately, so
        that information does not displace warnings."""

    def info(self, logger: logging.Logger, address: str, text: str) -> None:
        """Log a regular event."""
        self._log(logger, logging.INFO, address, text)

    def warning(self, logger: logging.Logger, address: str, text: str) -> None:
        """Log an event that needs attention."""
        self._log(logger, logging.WARNING, address, text)

    def _log(self, logger: logging.Logger, level: int, address: str, text: str) -> None:
        if not logger.isEnabledFor(level):
            return
        now = self._clock()
        begun, count = self._counts.pop((address, level), (now, 0))
        if now - begun >= WINDOW:
            if count > MOST_LINES:
                logger.log(level, "%s: %d further lines left out", address, count - MOST_LINES)
            begun, count = now, 0
        self._counts[address, level] = begun, count + 1
        if len(self._counts) > REMEMBERED:
            self._counts.popitem(last=False)
        if count < MOST_LINES:
            more = "; further lines are counted for a while" if count == MOST_LINES - 1 else ""
            logger.log(level, "%s: %s%s", address, loggable(text), more)


def loggable(text: str) -> str:
    """Return ``text`` as one short line without anything that resembles a token."""
    shown = _QUOTED.sub("'…'", " ".join(text.split()))
    return shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}…"
