"""Teleoperation: control process on the robot's PC, and the operator's connection to it.

`ControlProcess` drives a robot by commands of an operator's program. It is based on `Hrt`, so that
the robot may be real or simulated (Kurose et al. 2008, sec. III-B.2). One operator at a time; belts
stop 0.3 s after its last message. A lost robot is reconnected. `OperatorLink` is the connection of
the operator's program.
"""

from __future__ import annotations

import contextlib
import hmac
import select
import socket
import time
from collections.abc import Callable
from typing import Self

from grouser.client.hrt_robot import Hrt, HrtError
from grouser.errors import BadValue, Disconnected, GrouserError, NoAnswer, Refused
from grouser.frames import radians
from grouser.protocol.lines import Fault, LineReader
from grouser.protocol.operation import (
    LONGEST,
    PORT,
    SILENCE,
    OperatorCommand,
    RobotReport,
    read_command,
    read_report,
)

GAUGE_MM = 220.0
"""Distance of the main tracks of Kenaf, centre to centre."""
FASTEST = 500.0
"""Largest belt speed, mm/s."""
REPORT_EVERY = 0.05
"""Interval of reports, s."""
AGAIN = 1.0
"""Delay before another attempt to connect to a lost robot, s."""
TICK = 0.02
LINGER = 1.0
"""Time for a rejected operator to read the reason before the socket is closed, s."""

Report = Callable[[str], None]


class ControlProcess:
    """Server for one operator, and client of one robot.

    Args:
        open_robot: connects to the robot; called again when it is lost.
        token: token of operators; empty: none.
        report: called with a sentence at every change of state.
    """

    def __init__(
        self, open_robot: Callable[[], Hrt], token: str = "", report: Report = lambda sentence: None
    ) -> None:
        self._open_robot, self._token, self._log = open_robot, token, report
        self._robot: Hrt | None = None
        self._trouble = ""
        self._operator: _OperatorSocket | None = None
        self._flippers: tuple[float, float] | None = None
        self._lost = -AGAIN
        self._rejected: list[_OperatorSocket] = []
        """Rejected connections that are not closed yet."""

    def run(self, host: str, port: int, listening: Callable[[int], None]) -> None:
        """Run until interrupted; ``port`` 0: any free port; pass the port to ``listening``."""
        try:
            listener = socket.create_server((host, port))
        except OSError as error:
            raise Disconnected(f"{host}:{port}: {error.strerror or error}") from None
        with listener:
            listener.setblocking(False)
            listening(listener.getsockname()[1])
            try:
                while True:
                    self._accept_operator(listener)
                    self._rejected = [one for one in self._rejected if not one.is_closed()]
                    self._drive()
                    if self._operator is not None and not self._operator.report(self._report):
                        self._drop_operator(self._operator, "connection closed")
            finally:
                for one in (self._operator, *self._rejected):
                    if one is not None:
                        one.close()
                if self._robot is not None:
                    self._close_robot(self._robot)

    # -- the operator ------------------------------------------------------------------------

    def _accept_operator(self, listener: socket.socket) -> None:
        """Accept a connection; reject it if an operator is connected."""
        try:
            wire, where = listener.accept()
        except (BlockingIOError, ConnectionError):
            return
        connection = _OperatorSocket(wire)
        if self._operator is not None:
            try:
                self._operator.read()
            except (Disconnected, BadValue) as error:  # closed, or about to be
                self._drop_operator(self._operator, str(error))
        if self._operator is not None:
            self._reject(connection, "another operator drives this robot")
            return
        self._operator = connection
        self._log(f"operator at {where[0]}")

    def _reject(self, operator: _OperatorSocket, why: str) -> None:
        """Send the reason, and close the connection later."""
        operator.reject(why)
        self._rejected.append(operator)

    def _drop_operator(self, operator: _OperatorSocket, why: str) -> None:
        operator.close()
        self._operator = None
        self._log(f"no operator: {why}")

    def _operator_command(self) -> OperatorCommand:
        """Return the present command; stop without an operator or after its time-out."""
        operator = self._operator
        if operator is None:
            return OperatorCommand(drive=(0.0, 0.0))
        try:
            operator.read()
            for command in operator.pending:
                if self._token and not operator.authenticated:
                    given = (command.token or "").encode()
                    operator.authenticated = hmac.compare_digest(given, self._token.encode())
                    if not operator.authenticated:
                        raise BadValue("token missing or wrong")
        except Disconnected as error:
            self._drop_operator(operator, str(error))
            return OperatorCommand(drive=(0.0, 0.0))
        except BadValue as error:
            self._operator = None
            self._reject(operator, str(error))
            self._log(f"no operator: {error}")
            return OperatorCommand(drive=(0.0, 0.0))
        return operator.take_command()

    # -- the robot ---------------------------------------------------------------------------

    def _drive(self) -> None:
        """Send the operator's command to the robot; takes one tick."""
        wanted = self._operator_command()
        robot = self._robot or self._connect()
        if robot is None:
            time.sleep(TICK)
            return
        try:
            if wanted.stop:
                robot.stop()
                self._flippers = None
            if wanted.flippers is not None and wanted.flippers != self._flippers:
                front, rear = self._flippers = wanted.flippers
                robot.set_flippers(front, front, rear, rear)
            if wanted.camera is not None:
                robot.aim_camera(*wanted.camera)
            if wanted.view is not None:
                robot.zoom_camera(wanted.view)
            robot.set_speeds(*_belts(*(wanted.drive or (0.0, 0.0))))
            self._trouble = ""
        except HrtError as error:
            self._lose(robot, error)

    def _connect(self) -> Hrt | None:
        if time.monotonic() < self._lost + AGAIN:
            return None
        try:
            self._robot = self._open_robot()
        except GrouserError as error:
            if str(error) != self._trouble:
                self._log(f"no robot: {error}")
            self._trouble, self._lost = str(error), time.monotonic()
            return None
        self._log("robot connected")
        self._flippers = None
        return self._robot

    def _lose(self, robot: Hrt, error: HrtError) -> None:
        self._log(f"robot lost: {error}")
        self._trouble, self._lost, self._robot = str(error), time.monotonic(), None
        self._close_robot(robot)

    def _close_robot(self, robot: Hrt) -> None:
        with contextlib.suppress(HrtError):  # the link may be lost
            robot.stop()
        robot.close()

    def _report(self) -> RobotReport:
        robot, now = self._robot, time.monotonic()
        if robot is None:
            return RobotReport(now, trouble=self._trouble or "no robot connected yet")
        try:
            posture = robot.posture
        except HrtError:
            posture = None
        try:
            return RobotReport(
                now,
                robot.encoders,
                robot.speeds,
                robot.flippers,
                posture,
                robot.battery,
                self._trouble,
            )
        except HrtError as error:
            self._lose(robot, error)
            return RobotReport(now, trouble=str(error))


class _OperatorSocket:
    """Connection of one operator."""

    def __init__(self, wire: socket.socket) -> None:
        self._wire = wire
        wire.setblocking(False)
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._lines = LineReader(read_command, LONGEST)
        self.pending: list[OperatorCommand] = []
        """Commands received since the last `take_command`."""
        self.authenticated = False
        """True after a valid token."""
        self._drive = (0.0, 0.0)
        self._active, self._reported = -SILENCE, 0.0

    def read(self) -> None:
        """Read commands; `Disconnected` if the socket is closed, `BadValue` for invalid data."""
        while select.select([self._wire], [], [], 0)[0]:
            try:
                data = self._wire.recv(LONGEST)
            except BlockingIOError:
                return
            except OSError as error:
                raise Disconnected(error.strerror or str(error)) from None
            if not data:
                raise Disconnected("connection closed")
            for command in self._lines.feed(data):
                if isinstance(command, Fault):
                    raise BadValue(command.reason)
                self.pending.append(command)

    def take_command(self) -> OperatorCommand:
        """Return the newest of each pending command, and clear them."""
        flippers = camera = view = None
        stop = False
        for command in self.pending:
            self._drive = (0.0, 0.0) if command.stop else command.drive or self._drive
            flippers, camera = command.flippers or flippers, command.camera or camera
            view = command.view if command.view is not None else view
            stop = stop or command.stop
            self._active = time.monotonic()
        self.pending.clear()
        if time.monotonic() > self._active + SILENCE:
            self._drive = (0.0, 0.0)
        return OperatorCommand(self._drive, flippers, camera, view, stop)

    def report(self, make: Callable[[], RobotReport]) -> bool:
        """Send a report if one is due; return False if the connection is closed."""
        if time.monotonic() < self._reported + REPORT_EVERY:
            return True
        self._reported = time.monotonic()
        return self._send(make())

    def reject(self, why: str) -> None:
        """Send the reason and end the output."""
        self._send(RobotReport(time.monotonic(), trouble=why))
        self._active = time.monotonic()
        with contextlib.suppress(OSError):
            self._wire.shutdown(socket.SHUT_WR)

    def is_closed(self) -> bool:
        """Close the socket after `LINGER` seconds; return True if it is closed."""
        with contextlib.suppress(BlockingIOError, OSError):
            while self._wire.recv(LONGEST) and time.monotonic() < self._active + LINGER:
                pass
        closed = time.monotonic() > self._active + LINGER
        if closed:
            self.close()
        return closed

    def _send(self, report: RobotReport) -> bool:
        try:
            self._wire.send(report.encode())
        except BlockingIOError:
            return True  # the operator does not read: this report is dropped
        except OSError:
            return False
        return True

    def close(self) -> None:
        """Close the socket."""
        self._wire.close()


def _belts(forward_mm_s: float, turn_deg_s: float) -> tuple[float, float]:
    """Return the left and right belt speed, mm/s, scaled to the limit at constant curvature."""
    half = radians(turn_deg_s) * GAUGE_MM / 2
    left, right = forward_mm_s - half, forward_mm_s + half
    most = max(abs(left), abs(right), FASTEST) / FASTEST
    return left / most, right / most


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
