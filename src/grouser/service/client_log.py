"""Log lines about clients: few of each address, short ones, and never a secret.

Whoever is refused a thousand times a second must not fill a disk with it. So an address has some
lines in a while; what is beyond is counted, and the count is logged.
"""

from __future__ import annotations

import logging
import re
from collections import OrderedDict
from collections.abc import Callable

WINDOW = 10.0
"""Wall seconds for which lines are counted, s."""
MOST_LINES = 10
"""Lines of one address and level in that time."""
LONGEST = 300
"""Characters of a line."""
REMEMBERED = 1024
"""Addresses and levels whose lines are counted."""

_QUOTED = re.compile(r"'[^'\s]{12,}'")
"""What is quoted and as long as a token: a client may have said one in the wrong place."""


class ClientLog:
    """Logs what clients do; ``clock`` is wall time, s."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._counts: OrderedDict[tuple[str, int], tuple[float, int]] = OrderedDict()
        """Address and level → when its time began, and how many lines there were; apart, so that
        chatter leaves room for warnings."""

    def info(self, logger: logging.Logger, address: str, text: str) -> None:
        """Log what the curious want to know."""
        self._log(logger, logging.INFO, address, text)

    def warning(self, logger: logging.Logger, address: str, text: str) -> None:
        """Log what somebody ought to look at."""
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
    """Return ``text`` as it may be logged: one short line without anything like a token."""
    shown = _QUOTED.sub("'…'", " ".join(text.split()))
    return shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}…"
