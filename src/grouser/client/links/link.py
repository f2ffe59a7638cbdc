"""What a link is, and which there are: the beginning of an address says which one is meant."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Protocol

from grouser.errors import BadValue, nearest
from grouser.protocol.can.messages import CanFrame

VARIABLE = "HRT_LINK"
"""Environment variable with the address, as in the C library."""

DEFAULT = "usarsim://127.0.0.1:3000"
"""Where a program goes that was told nothing."""

LINKS: dict[str, str] = {
    "usarsim": "grouser.client.links.usarsim_link:open_link",
    "udp": "grouser.client.links.udp_link:open_link",
    "socketcand": "grouser.client.links.can_link:open_socketcand",
    "can": "grouser.client.links.can_link:open_link",
}
"""Scheme → function that opens such a link from what follows ``scheme://``."""


class Link(Protocol):
    """A way to the motors, with a clock of its own: the wall's, or a simulation's in lockstep."""

    @property
    def time(self) -> float:
        """Now, s, on the link's clock, which only goes forwards."""
        ...

    def send(self, frames: Sequence[CanFrame]) -> None:
        """Send frames together; raise `Disconnected` if nobody is there any more."""
        ...

    def receive(self) -> list[CanFrame]:
        """Return what has arrived since the last call, without waiting."""
        ...

    def wait(self, seconds: float) -> None:
        """Let time pass on the link's clock."""
        ...

    def close(self) -> None:
        """Leave."""
        ...


def open_link(address: str | None = None, environment: Mapping[str, str] = os.environ) -> Link:
    """Open the link that an address names, else `VARIABLE`, else the simulator on this machine.

    Args:
        address: ``usarsim://HOST:PORT`` (a server's control port), ``udp://HOST:PORT`` (the
            bridge), ``socketcand://HOST:PORT/BUS``, or ``can0`` and the like, a CAN interface.
        environment: where `VARIABLE` is looked up.

    Raises:
        BadValue: there is no such link.
        Disconnected: nobody answers there.
    """
    where = address or environment.get(VARIABLE) or DEFAULT
    scheme, colon, rest = where.partition("://")
    if not colon:
        scheme, rest = "can", where
    if scheme not in LINKS:
        raise BadValue(
            f"{VARIABLE} is '{where}', must begin with {', '.join(f'{s}://' for s in LINKS)} or "
            f"name a CAN interface{nearest(scheme, LINKS)}"
        )
    module, _, function = LINKS[scheme].partition(":")
    link: Link = getattr(import_module(module), function)(rest)
    return link
