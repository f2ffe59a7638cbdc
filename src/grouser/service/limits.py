"""How much one client may ask of a server; wall seconds come from whoever holds a clock."""

from __future__ import annotations

from dataclasses import dataclass, fields

from grouser.errors import BadValue

STRANGERS_COST = 20
"""How many lines one line counts for, from somebody who has shown no token where one is needed."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a server puts up with; whatever is beyond is dropped and counted."""

    longest_line: int = 64 * 1024
    """Bytes that a line may have, without its end."""
    lines_per_second: float = 2000.0
    """Lines from one connection; a second's worth may come at once."""
    bytes_per_second: float = 2.0**20
    """Bytes from one connection; a second's worth may come at once."""
    robots_per_address: int = 64
    """Robots that one machine's clients may have."""
    connections: int = 512
    """Connections to all ports together."""
    unread_bytes: int = 2**20
    """Bytes that wait for a client that does not read."""
    login_seconds: float = 10.0
    """Wall time until a connection must have shown its token, s."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if not value > 0:
                raise BadValue(f"limits: {each.name} is {value}, must be above 0")


class RateLimiter:
    """So much per second; what was not used is saved up, for a second at most."""

    def __init__(self, per_second: float, now: float) -> None:
        """Start with a full second's worth at the wall time ``now`` (s)."""
        self._rate = per_second
        self._saved = per_second
        self._then = now

    def spend(self, now: float, amount: float = 1.0) -> bool:
        """Take ``amount`` if there is as much; False: there is not, and nothing was taken."""
        self._save(now)
        if self._saved < amount:
            return False
        self._saved -= amount
        return True

    def owe(self, now: float, amount: float) -> float:
        """Take ``amount``, which has come already; return the seconds to wait for no debt."""
        self._save(now)
        self._saved -= amount
        return -self._saved / self._rate if self._saved < 0 else 0.0

    def _save(self, now: float) -> None:
        if now > self._then:
            self._saved = min(self._rate, self._saved + self._rate * (now - self._then))
            self._then = now
