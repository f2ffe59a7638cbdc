"""How many may come to a server's ports, from where: counted from the moment they are there.

Somebody who has not shown what is needed to stay is a stranger, also one who has not even begun to
speak. An address has room for some strangers, and for no more connections than its share. Where
there is no room, the oldest stranger of the address that has most of them goes: whoever only holds
places keeps nobody out who comes with a token.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from grouser.errors import Refused
from grouser.service.access import network
from grouser.service.rate_limiter import Limits


class PendingConnection(Protocol):
    """One connection."""

    @property
    def address(self) -> str:
        """The far side's host."""
        ...

    def logged_in(self) -> bool:
        """Return whether it may stay."""
        ...

    def reject(self, reason: str) -> None:
        """Close the connection."""


class Admission:
    """All connections to all ports of a server."""

    def __init__(self, limits: Limits) -> None:
        """Start with nobody."""
        self._limits = limits
        self._visitors: dict[str, dict[PendingConnection, None]] = {}
        """Who is there, by address, oldest first."""

    def __len__(self) -> int:
        return sum(map(len, self._visitors.values()))

    def enter(self, visitor: PendingConnection) -> None:
        """Let somebody in; a stranger may have to go for it.

        Raises:
            Refused: there is no room.
        """
        limits, who = self._limits, network(visitor.address)
        here = self._visitors.get(who, {})
        strangers = list(_strangers(here))
        if len(strangers) >= limits.unauthenticated_per_address:
            self._send_away(strangers[0], "too many others of this address wait to be let in")
        elif len(here) >= limits.connections_per_address:
            self._make_room([here], f"there are {len(here)} connections from this address already")
        if len(self) >= limits.connections:
            crowds = self._visitors.values()
            self._make_room(crowds, f"there are {limits.connections} connections already")
        self._visitors.setdefault(who, {})[visitor] = None

    def leave(self, visitor: PendingConnection) -> None:
        """Note that somebody has gone."""
        who = network(visitor.address)
        here = self._visitors.get(who, {})
        here.pop(visitor, None)
        if not here:
            self._visitors.pop(who, None)

    def oldest_unauthenticated(self) -> PendingConnection | None:
        """Return the oldest stranger of the address that has most of them; None: there is none."""
        return self._choose(self._visitors.values())

    def _make_room(self, crowds: Iterable[dict[PendingConnection, None]], full: str) -> None:
        if (victim := self._choose(crowds)) is None:
            raise Refused(full)
        self._send_away(victim, full)

    def _send_away(self, visitor: PendingConnection, reason: str) -> None:
        self.leave(visitor)
        visitor.reject(reason)

    @staticmethod
    def _choose(crowds: Iterable[dict[PendingConnection, None]]) -> PendingConnection | None:
        strangers = max((list(_strangers(crowd)) for crowd in crowds), key=len, default=[])
        return strangers[0] if strangers else None


def _strangers(visitors: Iterable[PendingConnection]) -> Iterator[PendingConnection]:
    return (visitor for visitor in visitors if not visitor.logged_in())
