"""Admission control: limit the number of connections per server, per address and unauthenticated.

A connection counts from the moment it is accepted, and is unauthenticated until it has shown what
is needed to stay. When a limit is reached, the oldest unauthenticated connection of the address
with most of them is closed. Idle connections therefore cannot lock out clients with a token.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from grouser.errors import Refused
from grouser.service.access import network
from grouser.service.rate_limiter import Limits


class PendingConnection(Protocol):
    """One connection, from being accepted to being closed."""

    @property
    def address(self) -> str:
        """Host of the peer."""
        ...

    def logged_in(self) -> bool:
        """Return True if the connection is authenticated, or needs no credential."""
        ...

    def reject(self, reason: str) -> None:
        """Close the connection."""


class Admission:
    """All connections to all ports of a server."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._connections: dict[str, dict[PendingConnection, None]] = {}
        """Connections by address, oldest first."""

    def __len__(self) -> int:
        return sum(map(len, self._connections.values()))

    def enter(self, connection: PendingConnection) -> None:
        """Admit a connection; an unauthenticated one may be closed for it.

        Raises:
            Refused: a limit is reached, and all connections are authenticated.
        """
        limits, key = self._limits, network(connection.address)
        here = self._connections.get(key, {})
        pending = list(_unauthenticated_connections(here))
        if len(pending) >= limits.unauthenticated_per_address:
            self._close(pending[0], "too many unauthenticated connections from this address")
        elif len(here) >= limits.connections_per_address:
            self._close_one([here], f"there are {len(here)} connections from this address already")
        if len(self) >= limits.connections:
            full = f"there are {limits.connections} connections already"
            self._close_one(self._connections.values(), full)
        self._connections.setdefault(key, {})[connection] = None

    def leave(self, connection: PendingConnection) -> None:
        """Remove a closed connection."""
        key = network(connection.address)
        here = self._connections.get(key, {})
        here.pop(connection, None)
        if not here:
            self._connections.pop(key, None)

    def oldest_unauthenticated(self) -> PendingConnection | None:
        """Return the oldest unauthenticated connection of the address with most; None: none."""
        return self._choose(self._connections.values())

    def _close_one(self, groups: Iterable[dict[PendingConnection, None]], reason: str) -> None:
        if (victim := self._choose(groups)) is None:
            raise Refused(reason)
        self._close(victim, reason)

    def _close(self, connection: PendingConnection, reason: str) -> None:
        self.leave(connection)
        connection.reject(reason)

    @staticmethod
    def _choose(groups: Iterable[dict[PendingConnection, None]]) -> PendingConnection | None:
        pending = max(
            (list(_unauthenticated_connections(group)) for group in groups), key=len, default=[]
        )
        return pending[0] if pending else None


def _unauthenticated_connections(
    connections: Iterable[PendingConnection],
) -> Iterator[PendingConnection]:
    return (connection for connection in connections if not connection.logged_in())
