"""Fault injection on a link: seeded delay, jitter, loss, duplication and reordering of messages.

The caller passes the time, simulated or wall, and polls for messages that have arrived. The fate of
a message depends only on the seed, the name of the link and the number of messages sent before, so
that a run with faults in simulated time is reproducible bit for bit.
"""

from __future__ import annotations

import hashlib
import heapq
import math
import struct
from dataclasses import dataclass
from typing import Generic, TypeVar

from grouser.errors import BadValue

Item = TypeVar("Item")


@dataclass(frozen=True, kw_only=True)
class LinkFaults:
    """Fault parameters of a link, for each direction."""

    delay: float = 0.0
    """Latency of a message, s."""
    jitter: float = 0.0
    """Half-width of the uniform variation of the delay, s; reorders messages."""
    loss: float = 0.0
    """Fraction of messages that are lost, 0 to 1."""
    double: float = 0.0
    """Fraction of messages that arrive twice, with independent delays, 0 to 1."""
    seed: int = 0
    """Seed of the random faults."""

    def __post_init__(self) -> None:
        for name in ("delay", "jitter"):
            value = getattr(self, name)
            if not 0 <= value < math.inf:
                raise BadValue(f"link faults: {name} is {value} s, must be 0 or above")
        for name in ("loss", "double"):
            value = getattr(self, name)
            if not 0 <= value <= 1:
                raise BadValue(f"link faults: {name} is {value}, must be from 0 to 1")

    def __bool__(self) -> bool:
        """Return True if any fault is configured."""
        return any((self.delay, self.jitter, self.loss, self.double))


@dataclass
class LinkCounts:
    """Message counters of one direction."""

    sent: int = 0
    lost: int = 0
    doubled: int = 0
    overtaken: int = 0
    """Messages that arrived after a message sent later."""


class FaultyLink(Generic[Item]):
    """One direction of a link: a delay queue with faults."""

    def __init__(self, faults: LinkFaults, name: str) -> None:
        """Start empty; ``name`` selects the random stream together with the seed."""
        self.faults = faults
        self.counts = LinkCounts()
        self._key = hashlib.sha256(f"{faults.seed}/{name}".encode()).digest()
        self._in_transit: list[tuple[float, int, Item]] = []
        self._sent = 0
        self._newest = -1

    def send(self, item: Item, now: float) -> None:
        """Send a message at ``now`` (s)."""
        faults, counts = self.faults, self.counts
        lost, doubled, first, second = self._draw(self._sent)
        self._sent += 1
        counts.sent += 1
        if lost < faults.loss:
            counts.lost += 1
            return
        self._post(item, now, first)
        if doubled < faults.double:
            counts.doubled += 1
            self._post(item, now, second)

    def due(self, now: float) -> list[Item]:
        """Remove and return the messages that have arrived by ``now`` (s), in order of arrival."""
        arrived = []
        while self._in_transit and self._in_transit[0][0] <= now + 1e-9:
            _, number, item = heapq.heappop(self._in_transit)
            arrived.append(item)
            self.counts.overtaken += number < self._newest
            self._newest = max(self._newest, number)
        return arrived

    def clear(self) -> None:
        """Drop messages in transit, as after a reset of the clock."""
        self._in_transit.clear()

    def _post(self, item: Item, now: float, draw: float) -> None:
        takes = self.faults.delay + self.faults.jitter * (2 * draw - 1)
        heapq.heappush(self._in_transit, (now + max(0.0, takes), self._sent - 1, item))

    def _draw(self, number: int) -> tuple[float, ...]:
        """Return four uniform random numbers in [0, 1) for message ``number``."""
        digest = hashlib.blake2b(struct.pack("<Q", number), key=self._key, digest_size=32).digest()
        return tuple(word / 2**64 for word in struct.unpack("<4Q", digest))
