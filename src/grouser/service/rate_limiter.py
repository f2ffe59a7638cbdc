"""How much one client may ask of a server; wall seconds come from whoever holds a clock."""

from __future__ import annotations

from dataclasses import dataclass, fields

from grouser.errors import BadValue

UNAUTHENTICATED_COST = 20
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
    server_share: float = 0.05
    """Seconds per second that the server works for one connection, by the clock of its processor;
    what is over it waits."""
    server_burst: float = 10.0
    """Seconds for which a connection's share is saved up: to arrive and to ask what its robot is
    like takes more than to drive it."""
    robots_per_address: int = 64
    """Robots that one machine's clients may have."""
    connections: int = 512
    """Connections to all ports together."""
    connections_per_address: int = 384
    """Of these, from one address at most: nobody fills a server alone."""
    unauthenticated_per_address: int = 64
    """Connections from one address that have not shown a token yet, or not begun TLS, where that is
    needed; the oldest goes when another one comes."""
    unread_bytes: int = 2**20
    """Bytes that wait for a client that does not read."""
    login_seconds: float = 10.0
    """Wall time until a connection must have shown its token, TLS included, s."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if not value > 0:
                raise BadValue(f"limits: {each.name} is {value}, must be above 0")


class RateLimiter:
    """So much per second; what was not used is saved up, for a while at most."""

    def __init__(
        self,
        per_second: float,
        now: float,
        *,
        savings: float = 1.0,
        saved: float | None = None,
    ) -> None:
        """Start at the wall time ``now`` (s).

        Args:
            per_second: the rate.
            now: wall time, s.
            savings: seconds whose worth may be saved up.
            saved: what there is at first; None: all that may be saved up.
        """
        self._rate, self._most = per_second, per_second * savings
        self._saved = self._most if saved is None else min(saved, self._most)
        self._then = now

    def saved(self, now: float) -> float:
        """Return how much may be spent now; negative: a debt."""
        self._save(now)
        return self._saved

    def spend(self, now: float, amount: float = 1.0) -> bool:
        """Take ``amount`` if there is as much; False: there is not, and nothing was taken."""
        self._save(now)
        if self._saved < amount:
            return False
        self._saved -= amount
        return True

    def charge(self, now: float, amount: float) -> float:
        """Take ``amount``, which has come already; return the seconds to wait for no debt."""
        self._save(now)
        self._saved -= amount
        return -self._saved / self._rate if self._saved < 0 else 0.0

    def _save(self, now: float) -> None:
        if now > self._then:
            self._saved = min(self._most, self._saved + self._rate * (now - self._then))
            self._then = now
