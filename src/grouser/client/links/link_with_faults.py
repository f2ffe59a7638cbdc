"""Any link, going wrong on purpose: frames late, lost, doubled, on the link's own clock."""

from __future__ import annotations

from collections.abc import Sequence

from grouser.client.links.link import Link
from grouser.protocol.can.messages import CanFrame
from grouser.protocol.link_faults import FaultyLink, LinkFaults

SLICE = 0.005
"""Seconds at most between two looks at what has been under way long enough."""


class LinkWithFaults:
    """A link between a program and another link, which has the faults."""

    def __init__(self, link: Link, faults: LinkFaults) -> None:
        """Go wrong, each way, as ``faults`` say, on the clock of ``link``."""
        self._link = link
        self.out: FaultyLink[CanFrame] = FaultyLink(faults, "to the robot")
        self.back: FaultyLink[CanFrame] = FaultyLink(faults, "from the robot")

    @property
    def time(self) -> float:
        """Now, s, on the link's clock."""
        return self._link.time

    def send(self, frames: Sequence[CanFrame]) -> None:
        """Send frames; each has its own luck."""
        for frame in frames:
            self.out.send(frame, self.time)
        self._pass_on()

    def receive(self) -> list[CanFrame]:
        """Return what has arrived since the last call."""
        self._pass_on()
        return self.back.due(self.time)

    def wait(self, seconds: float) -> None:
        """Let time pass; frames go on meanwhile."""
        until = self.time + seconds
        while (left := until - self.time) > 1e-9:
            self._link.wait(min(SLICE, left))
            self._pass_on()

    def close(self) -> None:
        """Leave; what is under way is lost."""
        self._link.close()

    def _pass_on(self) -> None:
        now = self.time
        if due := self.out.due(now):
            self._link.send(due)
        for frame in self._link.receive():
            self.back.send(frame, now)
