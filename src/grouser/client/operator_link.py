"""Operator's connection to a control process."""

from __future__ import annotations

import select
import socket
import time
from typing import Self

from grouser.errors import Disconnected, NoAnswer, Refused
from grouser.protocol.lines import Fault, LineReader
from grouser.protocol.operation import LONGEST, PORT, OperatorCommand, RobotReport, read_report


class OperatorLink:
    """Connection to a control process: sends commands, receives reports.

    Args:
        host: host of the control process.
        port: port of the control process.
        token: its token; empty: none.
        timeout: time-out of connecting, s.
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
        """Send a command; repeat it within 0.3 s to keep the robot moving."""
        try:
            self._wire.sendall(command.encode())
        except OSError as error:
            raise Disconnected(f"{self._where}: {error.strerror or error}") from None

    def report(self, wait: float = 0.0) -> RobotReport:
        """Return the newest report; wait up to ``wait`` seconds for a new one.

        Raises:
            Refused: another operator is connected, or the token is wrong.
            Disconnected: the control process has ended.
        """
        while select.select([self._wire], [], [], wait)[0]:
            try:
                data = self._wire.recv(65536)
            except OSError:
                data = b""
            if not data:
                why = self._newest.trouble if self._newest else ""
                raise Refused(why) if why else Disconnected(f"{self._where}: connection closed")
            for report in self._lines.feed(data):
                if not isinstance(report, Fault):
                    self._newest, wait = report, 0.0
        if self._newest is None:
            raise NoAnswer(f"{self._where}: no report of the control process")
        return self._newest

    def _wait_for_robot(self, timeout: float) -> None:
        """Wait until the control process reports a robot, or until the time-out."""
        until = time.monotonic() + timeout
        while time.monotonic() < until:
            if not self.report(timeout).trouble:
                return
            time.sleep(0.05)

    def close(self) -> None:
        """Close the connection; the robot stops."""
        self._wire.close()
