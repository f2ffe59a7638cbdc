"""Straight to a simulator: USARSim's control port, where the library brings a Kenaf of its own."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from grouser.client.address import parse_host_port
from grouser.client.connection import RemoteRobot, join
from grouser.client.kenaf_wire import CLASS, KenafWire
from grouser.protocol.can.messages import COMMANDS, CanFrame
from grouser.protocol.usarsim import codec

NAME = "hrt"
"""What the robot is called, unless HRT_NAME says otherwise."""


def kenaf_wire(robot: RemoteRobot) -> KenafWire:
    """Ask a robot for what its units are."""
    return KenafWire.from_answers(robot.geometry(), robot.configuration("Encoder"))


class UsarsimLink:
    """A Kenaf over the network; its clock is the wall's."""

    def __init__(self, robot: RemoteRobot) -> None:
        """Speak to ``robot``, which has joined a server's world."""
        self._robot = robot
        self._wire = kenaf_wire(robot)
        self._fresh = False

    @property
    def time(self) -> float:
        """Now, s."""
        return time.monotonic()

    def send(self, frames: Sequence[CanFrame]) -> None:
        """Say what the frames command."""
        for frame in frames:
            command, _ = COMMANDS[frame.id].parse(frame.data)
            for message in self._wire.messages(command):
                self._robot.send(message)

    def receive(self) -> list[CanFrame]:
        """Return the newest of everything, if the robot has said anything since."""
        self.wait(0.0)
        fresh, self._fresh = self._fresh, False
        return self._wire.frames(self.time) if fresh else []

    def wait(self, seconds: float) -> None:
        """Listen for so long."""
        for message in self._robot.listen(seconds):
            self._wire.hear(message, self.time)
            self._fresh = True

    def close(self) -> None:
        """Leave; the robot goes with us."""
        self._robot.close()


def open_link(address: str) -> UsarsimLink:
    """Bring a Kenaf into the world of the server at HOST:PORT.

    HRT_NAME names it, GROUSER_TOKEN lets it in where that is needed.
    """
    host, port = parse_host_port(address, codec.PORT, "HRT_LINK")
    name = os.environ.get("HRT_NAME", NAME)
    token = os.environ.get("GROUSER_TOKEN")
    return UsarsimLink(join(CLASS, name, host=host, port=port, token=token))
