"""Link interface, table of links by URL scheme, and a link with faults."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Protocol

from grouser.errors import BadValue, nearest
from grouser.protocol.can.messages import CanFrame
from grouser.protocol.link_faults import FaultyLink, LinkFaults

VARIABLE = "HRT_LINK"
"""Environment variable with the address, also of the C library."""

DEFAULT = "usarsim://127.0.0.1:3000"
"""Default address."""

LINKS: dict[str, str] = {
    "usarsim": "grouser.client.links.usarsim_link:open_link",
    "udp": "grouser.client.links.udp_link:open_link",
    "socketcand": "grouser.client.links.can_link:open_socketcand",
    "can": "grouser.client.links.can_link:open_link",
}
"""Scheme -> function that opens the link from the text after ``scheme://``."""


class Link(Protocol):
    """Transport of CAN frames with a clock: wall time, or simulated time in lockstep."""

    @property
    def time(self) -> float:
        """Time of the link's clock, s; monotonic."""
        ...

    def send(self, frames: Sequence[CanFrame]) -> None:
        """Send frames together; `Disconnected` if the link has ended."""
        ...

    def receive(self) -> list[CanFrame]:
        """Return the frames received since the last call, without waiting."""
        ...

    def wait(self, seconds: float) -> None:
        """Wait on the link's clock."""
        ...

    def close(self) -> None:
        """Close the link."""
        ...


def open_link(address: str | None = None, environment: Mapping[str, str] = os.environ) -> Link:
    """Open the link of an address, else of `VARIABLE`, else `DEFAULT`.

    Args:
        address: ``usarsim://HOST:PORT`` (control port of a server), ``udp://HOST:PORT`` (the
            bridge), ``socketcand://HOST:PORT/BUS``, or a CAN interface such as ``can0``.
        environment: contains `VARIABLE`.

    Raises:
        BadValue: unknown scheme.
        Disconnected: the connection failed.
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


SLICE = 0.005
"""Longest interval between two checks of delayed frames, s."""


class LinkWithFaults:
    """Wrapper that delays, drops and duplicates the frames of another link."""

    def __init__(self, link: Link, faults: LinkFaults) -> None:
        """Apply ``faults`` to ``link`` in each direction, on its clock."""
        self._link = link
        self.out: FaultyLink[CanFrame] = FaultyLink(faults, "to the robot")
        self.back: FaultyLink[CanFrame] = FaultyLink(faults, "from the robot")

    @property
    def time(self) -> float:
        """Time of the link's clock, s."""
        return self._link.time

    def send(self, frames: Sequence[CanFrame]) -> None:
        """Send frames; faults apply to each frame."""
        for frame in frames:
            self.out.send(frame, self.time)
        self._pass_on()

    def receive(self) -> list[CanFrame]:
        """Return the frames received since the last call."""
        self._pass_on()
        return self.back.due(self.time)

    def wait(self, seconds: float) -> None:
        """Wait while frames are forwarded."""
        until = self.time + seconds
        while (left := until - self.time) > 1e-9:
            self._link.wait(min(SLICE, left))
            self._pass_on()

    def close(self) -> None:
        """Close the link; delayed frames are lost."""
        self._link.close()

    def _pass_on(self) -> None:
        now = self.time
        if due := self.out.due(now):
            self._link.send(due)
        for frame in self._link.receive():
            self.back.send(frame, now)
