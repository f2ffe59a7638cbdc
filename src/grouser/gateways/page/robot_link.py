"""Links of robots: their faults, and telemetry and pictures to an operator over them."""

from __future__ import annotations

import math
from typing import Generic, TypeVar

from grouser.protocol.link_faults import FaultyLink, LinkFaults
from grouser.service.host import Host
from grouser.simulation.simulation import Simulation

Item = TypeVar("Item")


def link_faults(simulation: Simulation, robot: str) -> LinkFaults:
    """Return the faults of a robot's link; false without any."""
    present = simulation.link_faults.get(robot)
    if present is None:
        return LinkFaults()
    return LinkFaults(
        delay=present.delay, jitter=present.jitter, loss=present.loss, seed=simulation.seed
    )


class Downlink(Generic[Item]):
    """One kind of message from each robot to one operator; older ones that arrive late are dropped.

    Args:
        host: the host, whose simulation has the faults of the links.
        kind: name of the messages, for the random stream.
    """

    def __init__(self, host: Host, kind: str) -> None:
        self._host, self._kind = host, kind
        self._links: dict[str, FaultyLink[tuple[float, Item]]] = {}
        self._newest: dict[str, float] = {}
        """Robot -> time of its newest message that has arrived, s."""

    def receive(self, robot: str, *sent: Item) -> list[Item]:
        """Send messages of a robot now; return those that arrive now."""
        simulation = self._host.simulation
        faults, now = link_faults(simulation, robot), simulation.elapsed
        if not faults:
            self._links.pop(robot, None)
            return list(sent)
        link = self._links.get(robot)
        if link is None or link.faults != faults:
            link = self._links[robot] = FaultyLink(faults, f"{robot}/{self._kind}")
        for item in sent:
            link.send((now, item), now)
        arrived = []
        for time, item in link.due(now):
            if time > self._newest.get(robot, -math.inf):
                self._newest[robot] = time
                arrived.append(item)
        return arrived
