"""The control process on the robot's PC: an operator's wishes in, the robot library's calls out.

It is built on `Hrt` and does not know whether its robot is real (Kurose et al. 2008, sec. III-B.2).
One operator at a time; belts stop when nothing was heard of it for 0.3 s. A robot that is lost is
looked for again.
"""

from __future__ import annotations

import contextlib
import hmac
import select
import socket
import time
from collections.abc import Callable

from grouser.client.hrt_robot import Hrt, HrtError
from grouser.errors import BadValue, Disconnected, GrouserError
from grouser.frames import radians
from grouser.protocol.lines import Fault, LineReader
from grouser.protocol.operation import (
    LONGEST,
    SILENCE,
    OperatorCommand,
    RobotReport,
    read_command,
)

GAUGE_MM = 220.0
"""Between the middles of Kenaf's main tracks."""
FASTEST = 500.0
"""A belt's speed, mm/s, at most."""
REPORT_EVERY = 0.05
"""Seconds from one report to the next."""
AGAIN = 1.0
"""Seconds before a robot that is lost is looked for again."""
TICK = 0.02
LINGER = 1.0
"""Seconds that somebody who was sent away has to read why."""

Report = Callable[[str], None]


class ControlProcess:
    """Listens for an operator and drives a robot.

    Args:
        open_robot: finds the robot; called again when it is lost.
        token: what an operator must show; empty: nothing.
        say: is told one sentence when something changes.
    """

    def __init__(
        self, open_robot: Callable[[], Hrt], token: str = "", say: Report = lambda sentence: None
    ) -> None:
        self._open_robot, self._token, self._say = open_robot, token, say
        self._robot: Hrt | None = None
        self._trouble = ""
        self._operator: _OperatorSocket | None = None
        self._flippers: tuple[float, float] | None = None
        self._lost = -AGAIN
        self._leaving: list[_OperatorSocket] = []
        """Those who were sent away, and may not have read why."""

    def run(self, host: str, port: int, listening: Callable[[int], None]) -> None:
        """Listen at HOST:PORT (0: any that is free; ``listening`` is told) until interrupted."""
        try:
            door = socket.create_server((host, port))
        except OSError as error:
            raise Disconnected(f"{host}:{port}: {error.strerror or error}") from None
        with door:
            door.setblocking(False)
            listening(door.getsockname()[1])
            try:
                while True:
                    self._welcome(door)
                    self._leaving = [one for one in self._leaving if not one.is_gone()]
                    self._drive()
                    if self._operator is not None and not self._operator.report(self._report):
                        self._bid_farewell("it has gone")
            finally:
                for one in (self._operator, *self._leaving):
                    if one is not None:
                        one.close()
                if self._robot is not None:
                    self._leave(self._robot)

    # -- the operator ------------------------------------------------------------------------

    def _welcome(self, door: socket.socket) -> None:
        """Let an operator in, unless there is one."""
        try:
            wire, where = door.accept()
        except (BlockingIOError, ConnectionError):
            return
        newcomer = _OperatorSocket(wire)
        if self._operator is not None:
            try:
                self._operator.listen()
            except (Disconnected, BadValue) as error:  # it has gone, or is about to
                self._bid_farewell(str(error))
        if self._operator is not None:
            self._send_away(newcomer, "another operator drives this robot")
            return
        self._operator = newcomer
        self._say(f"operator at {where[0]}")

    def _send_away(self, operator: _OperatorSocket, why: str) -> None:
        """Say why somebody may not drive, and hang up when that was read."""
        operator.refuse(why)
        self._leaving.append(operator)

    def _bid_farewell(self, why: str) -> None:
        assert self._operator is not None
        self._operator.close()
        self._operator = None
        self._say(f"no operator: {why}")

    def _heard(self) -> OperatorCommand:
        """Return what the operator wants now; a silent one, and none, wants to stand."""
        operator = self._operator
        if operator is None:
            return OperatorCommand(drive=(0.0, 0.0))
        try:
            operator.listen()
            for command in operator.fresh:
                if self._token and not operator.known:
                    shown = (command.token or "").encode()
                    operator.known = hmac.compare_digest(shown, self._token.encode())
                    if not operator.known:
                        raise BadValue("this control process demands its token")
        except Disconnected as error:
            self._bid_farewell(str(error))
            return OperatorCommand(drive=(0.0, 0.0))
        except BadValue as error:
            self._operator = None
            self._send_away(operator, str(error))
            self._say(f"no operator: {error}")
            return OperatorCommand(drive=(0.0, 0.0))
        return operator.wanted()

    # -- the robot ---------------------------------------------------------------------------

    def _drive(self) -> None:
        """Look after the robot for one tick."""
        wanted = self._heard()
        robot = self._robot or self._find()
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
            robot.set_speeds(*_belts(*(wanted.drive or (0.0, 0.0))))
            self._trouble = ""
        except HrtError as error:
            self._lose(robot, error)

    def _find(self) -> Hrt | None:
        if time.monotonic() < self._lost + AGAIN:
            return None
        try:
            self._robot = self._open_robot()
        except GrouserError as error:
            if str(error) != self._trouble:
                self._say(f"no robot: {error}")
            self._trouble, self._lost = str(error), time.monotonic()
            return None
        self._say("the robot answers")
        self._flippers = None
        return self._robot

    def _lose(self, robot: Hrt, error: HrtError) -> None:
        self._say(f"the robot is lost: {error}")
        self._trouble, self._lost, self._robot = str(error), time.monotonic(), None
        self._leave(robot)

    def _leave(self, robot: Hrt) -> None:
        with contextlib.suppress(HrtError):  # it may not be there any more
            robot.stop()
        robot.close()

    def _report(self) -> RobotReport:
        robot, now = self._robot, time.monotonic()
        if robot is None:
            return RobotReport(now, trouble=self._trouble or "there is no robot yet")
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
    """One operator's connection."""

    def __init__(self, wire: socket.socket) -> None:
        self._wire = wire
        wire.setblocking(False)
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._lines = LineReader(read_command, LONGEST)
        self.fresh: list[OperatorCommand] = []
        """What came since `wanted` was last called."""
        self.known = False
        """Whether it has shown its token."""
        self._drive = (0.0, 0.0)
        self._said, self._reported = -SILENCE, 0.0

    def listen(self) -> None:
        """Take in what came; raise `Disconnected` when it has gone, `BadValue` for nonsense."""
        while select.select([self._wire], [], [], 0)[0]:
            try:
                data = self._wire.recv(LONGEST)
            except BlockingIOError:
                return
            except OSError as error:
                raise Disconnected(error.strerror or str(error)) from None
            if not data:
                raise Disconnected("it has gone")
            for said in self._lines.feed(data):
                if isinstance(said, Fault):
                    raise BadValue(said.reason)
                self.fresh.append(said)

    def wanted(self) -> OperatorCommand:
        """Return everything that it has asked for since last, the newest of each."""
        flippers = camera = None
        stop = False
        for command in self.fresh:
            self._drive = (0.0, 0.0) if command.stop else command.drive or self._drive
            flippers, camera = command.flippers or flippers, command.camera or camera
            stop = stop or command.stop
            self._said = time.monotonic()
        self.fresh.clear()
        if time.monotonic() > self._said + SILENCE:
            self._drive = (0.0, 0.0)
        return OperatorCommand(self._drive, flippers, camera, stop)

    def report(self, make: Callable[[], RobotReport]) -> bool:
        """Say how the robot is when that is due; False: nobody listens any more."""
        if time.monotonic() < self._reported + REPORT_EVERY:
            return True
        self._reported = time.monotonic()
        return self._send(make())

    def refuse(self, why: str) -> None:
        """Say why it may not drive, and nothing more."""
        self._send(RobotReport(time.monotonic(), trouble=why))
        self._said = time.monotonic()
        with contextlib.suppress(OSError):
            self._wire.shutdown(socket.SHUT_WR)

    def is_gone(self) -> bool:
        """Return whether it has hung up, or had its time to; at once, it might not read why."""
        with contextlib.suppress(BlockingIOError, OSError):
            while self._wire.recv(LONGEST) and time.monotonic() < self._said + LINGER:
                pass
        gone = time.monotonic() > self._said + LINGER
        if gone:
            self.close()
        return gone

    def _send(self, report: RobotReport) -> bool:
        try:
            self._wire.send(report.encode())
        except BlockingIOError:
            return True  # it does not read: what is old is left out
        except OSError:
            return False
        return True

    def close(self) -> None:
        """Hang up."""
        self._wire.close()


def _belts(forward_mm_s: float, turn_deg_s: float) -> tuple[float, float]:
    """Return the belts' speeds, mm/s: left, right; what is too fast keeps its curve."""
    half = radians(turn_deg_s) * GAUGE_MM / 2
    left, right = forward_mm_s - half, forward_mm_s + half
    most = max(abs(left), abs(right), FASTEST) / FASTEST
    return left / most, right / most
