"""Faults of a link, on purpose: late, lost, doubled, in another order; the same for the same seed.

Whoever passes messages on tells the time, simulated or the wall's, and asks what has arrived. What
becomes of a message depends on the seed, the link's name and how many were sent over it before, on
nothing else: in simulated time a run with faults repeats to the bit.
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
    """What goes wrong on a link, each way."""

    delay: float = 0.0
    """How long a message takes, s."""
    jitter: float = 0.0
    """By how much that varies either way, evenly, s; with it messages overtake each other."""
    loss: float = 0.0
    """Share of messages that never arrive, 0 to 1."""
    double: float = 0.0
    """Share of messages that arrive twice, each at its own time, 0 to 1."""
    seed: int = 0
    """Decides what happens to which message."""

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
        """Whether anything goes wrong at all."""
        return any((self.delay, self.jitter, self.loss, self.double))


@dataclass
class LinkCounts:
    """What became of the messages so far."""

    sent: int = 0
    lost: int = 0
    doubled: int = 0
    overtaken: int = 0
    """Messages that arrived behind one that was sent after them."""


class FaultyLink(Generic[Item]):
    """One direction of a link: messages in, and out again when they arrive."""

    def __init__(self, faults: LinkFaults, name: str) -> None:
        """Begin without any message; links of different ``name`` have different luck."""
        self.faults = faults
        self.counts = LinkCounts()
        self._key = hashlib.sha256(f"{faults.seed}/{name}".encode()).digest()
        self._under_way: list[tuple[float, int, Item]] = []
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
        """Return, once, what has arrived by ``now`` (s), in the order of arrival."""
        arrived = []
        while self._under_way and self._under_way[0][0] <= now + 1e-9:
            _, number, item = heapq.heappop(self._under_way)
            arrived.append(item)
            self.counts.overtaken += number < self._newest
            self._newest = max(self._newest, number)
        return arrived

    @property
    def next_due(self) -> float:
        """When the next message arrives, s; infinity: none is under way."""
        return self._under_way[0][0] if self._under_way else math.inf

    def clear(self) -> None:
        """Forget what is under way: time has begun anew."""
        self._under_way.clear()

    def _post(self, item: Item, now: float, luck: float) -> None:
        takes = self.faults.delay + self.faults.jitter * (2 * luck - 1)
        heapq.heappush(self._under_way, (now + max(0.0, takes), self._sent - 1, item))

    def _draw(self, number: int) -> tuple[float, ...]:
        """Return four numbers from 0 to 1 for the message ``number``."""
        digest = hashlib.blake2b(struct.pack("<Q", number), key=self._key, digest_size=32).digest()
        return tuple(word / 2**64 for word in struct.unpack("<4Q", digest))
