"""Rate limiter (token bucket), and the limits of a server; the caller passes the time."""

from __future__ import annotations

from dataclasses import dataclass, fields

from grouser.errors import BadValue

UNAUTHENTICATED_COST = 20
"""Lines that one line of an unauthenticated connection counts for, where a token is needed."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits of a server; what exceeds them is delayed or dropped, and counted."""

    longest_line: int = 64 * 1024
    """Bytes of a line, without its end."""
    lines_per_second: float = 2000.0
    """Lines from one connection; bursts of one second's worth are allowed."""
    bytes_per_second: float = 2.0**20
    """Bytes from one connection; bursts of one second's worth are allowed."""
    server_share: float = 0.05
    """Processor seconds per second that the server works for one connection; further requests
    wait."""
    server_burst: float = 10.0
    """Seconds for which an unused share accumulates: joining and querying a robot takes more than
    driving it."""
    robots_per_address: int = 64
    """Robots that the clients of one machine may own."""
    connections: int = 512
    """Connections to all ports together."""
    connections_per_address: int = 384
    """Connections from one address."""
    unauthenticated_per_address: int = 64
    """Unauthenticated connections from one address, those before TLS included; beyond that the
    oldest one is closed."""
    unread_bytes: int = 2**20
    """Bytes queued for a client that does not read."""
    login_seconds: float = 10.0
    """Wall time until a connection must have shown its token, TLS handshake included, s."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if not value > 0:
                raise BadValue(f"limits: {each.name} is {value}, must be above 0")


class RateLimiter:
    """Token bucket.

    Args:
        per_second: refill rate.
        now: wall time, s.
        burst: capacity, as seconds of the refill rate.
        balance: initial content; None: full.
    """

    def __init__(
        self, per_second: float, now: float, *, burst: float = 1.0, balance: float | None = None
    ) -> None:
        self._rate, self._capacity = per_second, per_second * burst
        self._balance = self._capacity if balance is None else min(balance, self._capacity)
        self._then = now

    def balance(self, now: float) -> float:
        """Return the content; negative: a debt."""
        self._refill(now)
        return self._balance

    def spend(self, now: float, amount: float = 1.0) -> bool:
        """Take ``amount`` and return True if the bucket holds it; otherwise change nothing."""
        self._refill(now)
        if self._balance < amount:
            return False
        self._balance -= amount
        return True

    def charge(self, now: float, amount: float) -> float:
        """Take ``amount`` even into debt; return the seconds until the debt is paid, 0 for none."""
        self._refill(now)
        self._balance -= amount
        return -self._balance / self._rate if self._balance < 0 else 0.0

    def _refill(self, now: float) -> None:
        if now > self._then:
            self._balance = min(self._capacity, self._balance + self._rate * (now - self._then))
            self._then = now
