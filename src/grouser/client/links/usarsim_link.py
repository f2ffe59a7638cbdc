"""Link to a simulation server: joins with a Kenaf over the USARSim control port."""

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
"""Default name of the robot; HRT_NAME overrides it."""


def kenaf_wire(robot: RemoteRobot) -> KenafWire:
    """Request wheel radius and encoder resolution of a robot, and return its converter."""
    return KenafWire.from_answers(robot.geometry(), robot.configuration("Encoder"))


class UsarsimLink:
    """Kenaf on a server; its clock is wall time."""

    def __init__(self, robot: RemoteRobot) -> None:
        """Use ``robot``, which has joined a server's world."""
        self._robot = robot
        self._wire = kenaf_wire(robot)
        self._fresh = False

    @property
    def time(self) -> float:
        """Wall time, s."""
        return time.monotonic()

    def send(self, frames: Sequence[CanFrame]) -> None:
        """Send the commands of frames."""
        for frame in frames:
            command, _ = COMMANDS[frame.id].parse(frame.data)
            for message in self._wire.messages(command):
                self._robot.send(message)

    def receive(self) -> list[CanFrame]:
        """Return the newest status if messages were received since the last call."""
        self.wait(0.0)
        fresh, self._fresh = self._fresh, False
        return self._wire.frames(self.time) if fresh else []

    def wait(self, seconds: float) -> None:
        """Receive for ``seconds``."""
        for message in self._robot.listen(seconds):
            self._wire.on_message(message, self.time)
            self._fresh = True

    def close(self) -> None:
        """Close the connection; the server removes the robot."""
        self._robot.close()


def open_link(address: str) -> UsarsimLink:
    """Join the server at HOST:PORT with a Kenaf.

    Environment variables: HRT_NAME is the name of the robot, GROUSER_TOKEN the access token.
    """
    host, port = parse_host_port(address, codec.PORT, "HRT_LINK")
    name = os.environ.get("HRT_NAME", NAME)
    token = os.environ.get("GROUSER_TOKEN")
    return UsarsimLink(join(CLASS, name, host=host, port=port, token=token))
