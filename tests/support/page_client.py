"""Client of the browser page's websocket, for tests."""

import json
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from grouser.protocol.page.frames import BodyPose, PageFrame, PoseFrame, decode, unpack_pose
from grouser.protocol.page.messages import VERSION, Ack, PageHello, Request, Role, encode_request
from support.server_fixtures import TIMEOUT


class PageClient:
    """Websocket of one client; a context manager."""

    def __init__(
        self,
        port: int,
        role: Role = "trainer",
        token: str = "",
        *,
        origin: str | None = None,
        first: str | None = None,
    ) -> None:
        """Connect; send ``first`` instead of a hello."""
        self._closing = ExitStack()
        self.socket = self._closing.enter_context(
            connect(
                f"ws://127.0.0.1:{port}/socket",
                origin=origin,  # type: ignore[arg-type]
                open_timeout=TIMEOUT,
                close_timeout=0.1,
                max_size=None,
            )
        )
        self.scene: dict[str, Any] = {}
        self.poses: dict[int, BodyPose] = {}
        """Body → its last pose."""
        self.time = 0.0
        self.socket.send(first or encode_request(PageHello(VERSION, role, token)))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing.close()

    def send(self, request: Request) -> None:
        self.socket.send(encode_request(request))

    def receive(self) -> dict[str, Any] | PageFrame:
        """Return the next message; poses are applied and acknowledged."""
        data = self.socket.recv(TIMEOUT)
        if isinstance(data, str):
            message: dict[str, Any] = json.loads(data)
            if message["op"] == "scene":
                self.scene, self.poses = message, {}
            return message
        frame = decode(data)
        if isinstance(frame, PoseFrame):
            self.time = frame.time
            for body, words in frame.moved.items():
                self.poses[body] = unpack_pose(words, self.scene["quantum"])
            self.send(Ack(frame.number))
        return frame

    def next(self, op: str) -> dict[str, Any]:
        """Return the next message ``op``."""
        while True:
            message = self.receive()
            if isinstance(message, dict) and message["op"] == op:
                return message

    def next_frame(self) -> PoseFrame:
        """Return the next frame of poses."""
        while True:
            frame = self.receive()
            if isinstance(frame, PoseFrame):
                return frame

    def body(self, name: str) -> BodyPose:
        """Return the last pose of a body."""
        names = [entry[0] for entry in self.scene["bodies"]]
        return self.poses[names.index(name)]

    def close_code(self) -> tuple[int, str]:
        """Return code and reason with which the server closes the websocket."""
        try:
            while True:
                self.socket.recv(TIMEOUT)
        except ConnectionClosed as closed:
            received = closed.rcvd
            assert received is not None
            return received.code, received.reason
