"""The operator's end of the connection to a control process."""

from __future__ import annotations

import select
import socket
import time
from typing import Self

from grouser.errors import Disconnected, NoAnswer, Refused
from grouser.protocol.lines import Fault, LineReader
from grouser.protocol.operation import LONGEST, PORT, OperatorCommand, RobotReport, read_report


class OperatorLink:
    """A robot as its operator has it: wishes out, the newest report in.

    Args:
        host: where the control process runs.
        port: its port.
        token: what it demands; empty: nothing.
        timeout: longest wait for it, s.
    """

    def __init__(
        self, host: str = "127.0.0.1", port: int = PORT, token: str = "", timeout: float = 10.0
    ) -> None:
        self._where = f"{host}:{port}"
        try:
            self._wire = socket.create_connection((host, port), timeout)
        except OSError as error:
            raise Disconnected(f"{self._where}: {error.strerror or error}") from None
        self._wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._lines = LineReader(read_report, LONGEST)
        self._newest: RobotReport | None = None
        try:
            if token:
                self.send(OperatorCommand(token=token))
            self._wait_for_robot(timeout)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(self, command: OperatorCommand) -> None:
        """Say how the robot shall move; say it again within 0.3 s if it shall go on so."""
        try:
            self._wire.sendall(command.encode())
        except OSError as error:
            raise Disconnected(f"{self._where}: {error.strerror or error}") from None

    def report(self, wait: float = 0.0) -> RobotReport:
        """Return the newest report, after ``wait`` (s) at most if none is new.

        Raises:
            Refused: another operator drives, or the token is wrong.
            Disconnected: the control process has gone.
        """
        while select.select([self._wire], [], [], wait)[0]:
            try:
                data = self._wire.recv(65536)
            except OSError:
                data = b""
            if not data:
                why = self._newest.trouble if self._newest else ""
                raise Refused(why) if why else Disconnected(f"{self._where}: it has gone")
            for said in self._lines.feed(data):
                if not isinstance(said, Fault):
                    self._newest, wait = said, 0.0
        if self._newest is None:
            raise NoAnswer(f"{self._where}: the control process says nothing")
        return self._newest

    def _wait_for_robot(self, timeout: float) -> None:
        """Wait until the control process has a robot, or says why it has none."""
        until = time.monotonic() + timeout
        while time.monotonic() < until:
            if not self.report(timeout).trouble:
                return
            time.sleep(0.05)

    def close(self) -> None:
        """Let go; the robot stops."""
        self._wire.close()
