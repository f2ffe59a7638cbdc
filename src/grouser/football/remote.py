"""A player on a robot of a server: joins by name, reads camera, joints, radio and announcements."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from grouser.client.connection import join
from grouser.client.launch import Ports
from grouser.client.pictures import watch
from grouser.football.own_motion import HEIGHT
from grouser.football.player import PERIOD, Footballer, Tactics
from grouser.football.player_io import Picture, PlayerCommand, PlayerInput, PlayerSetup, Whistle
from grouser.football.whistle import WhistleReader
from grouser.protocol.usarsim.extensions import Notice

PICTURE_AGE = 0.06
"""Time from the middle of the exposure until a picture is received, s; an estimate."""


class RemoteFootballer:
    """Player of one robot of a served match, in lockstep with the server.

    Args:
        setup: knowledge of the player before the game.
        team: name of its team in the referee's announcements.
        ports: ports of the server.
        tactics: tactics of the team; None: the default ones.
    """

    def __init__(
        self, setup: PlayerSetup, team: str, ports: Ports, tactics: Tactics | None = None
    ) -> None:
        self.player = Footballer(setup, tactics)
        self.robot = join("ERS7", setup.robot, host=ports.host, port=ports.control)
        self._pictures = watch(self.robot, port=ports.images)
        self._whistle = WhistleReader(setup.robot, team)
        self._kicking = False
        self.robot.gait(height=HEIGHT)
        self.robot.lockstep(PERIOD)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pictures.close()
        self.robot.close()

    @property
    def whistle(self) -> Whistle:
        """Newest announcement of the referee."""
        return self._whistle.whistle

    def step(self) -> float:
        """Wait for the turn, act, and end the turn; return the simulated time, s."""
        turn = self.robot.turn()
        for message in turn.messages:
            if isinstance(message, Notice) and message.kind == "Referee":
                self._whistle.read(message.text)
        latest = self.robot.poll()
        radio = []
        while latest.radio_inbox:
            signal = latest.radio_inbox.popleft()
            radio.append((signal.sender, signal.data))
        joints = {} if latest.state is None else dict(latest.state.joints)
        picture = None
        state = self._whistle.whistle.state
        if state in ("set", "playing") and self.player.wants_picture:
            image = self._pictures.take(timeout=60)
            picture = Picture(image=image, time=turn.time - PICTURE_AGE)
        command = self.player.act(
            PlayerInput(
                time=turn.time,
                joints={
                    "neck": joints.get("NeckTilt", 0.0),
                    "pan": -joints.get("HeadPan", 0.0),
                    "nod": joints.get("HeadTilt", 0.0),
                },
                picture=picture,
                radio=radio,
                whistle=self._whistle.whistle,
            )
        )
        self._send(command)
        return turn.time

    def _send(self, command: PlayerCommand) -> None:
        robot = self.robot
        if command.kick is None:
            self._kicking = False
            robot.walk(command.forward, command.left, command.turn)
        elif not self._kicking:
            self._kicking = True
            robot.walk()
            robot.kick(command.kick)
        robot.joint("NeckTilt", command.neck)
        robot.head(command.pan, command.nod)
        if command.radio is not None:
            robot.transmit(command.radio)
        robot.end_turn()
