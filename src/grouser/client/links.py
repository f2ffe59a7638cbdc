"""Links of the robot library: transports of CAN frames, selected by URL scheme (`LINKS`)."""

from __future__ import annotations

import os
import socket
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from grouser.client.address import parse_host_port
from grouser.client.connection import RemoteRobot, join
from grouser.client.kenaf_wire import CLASS, KenafWire
from grouser.errors import BadValue, Disconnected, missing_extra, nearest
from grouser.protocol.can import datagram, socketcand
from grouser.protocol.can.datagram import Datagram, DatagramKind
from grouser.protocol.can.messages import COMMANDS, STATUSES, CanFrame, FrameFault
from grouser.protocol.link_faults import FaultyLink, LinkFaults
from grouser.protocol.usarsim import codec

VARIABLE = "HRT_LINK"
"""Environment variable with the address, also of the C library."""

DEFAULT = "usarsim://127.0.0.1:3000"
"""Default address."""

NAME = "hrt"
"""Default name of the robot on a simulation server; HRT_NAME overrides it."""

LARGEST = 2048
"""Largest size of a datagram, bytes."""

RESTART = 64
"""Number of consecutive old counters after which the bridge has restarted."""

SLICE = 0.005
"""Longest interval between two checks of delayed frames, s."""


class Link(Protocol):
    """Transport of CAN frames with a clock: wall time, or simulated time in lockstep."""

    @property
    def time(self) -> float:
        """Time of the link's clock, s; monotonic."""
        ...

    def send(self, frames: Sequence[CanFrame]) -> None:
        """Send frames together; `Disconnected` if the link has ended."""
        ...

    def receive(self) -> list[CanFrame]:
        """Return the frames received since the last call, without waiting."""
        ...

    def wait(self, seconds: float) -> None:
        """Wait on the link's clock."""
        ...

    def close(self) -> None:
        """Close the link."""
        ...


class _WallClockLink(ABC):
    """Base class of links whose clock is wall time."""

    @property
    def time(self) -> float:
        """Wall time, s."""
        return time.monotonic()

    def wait(self, seconds: float) -> None:
        """Receive for ``seconds``."""
        until = self.time + seconds
        while (left := until - self.time) > 0:
            self._read(left)

    @abstractmethod
    def _read(self, seconds: float) -> None:
        """Read what arrives within ``seconds``, at least what was already received."""


# -- simulation server -----------------------------------------------------------------------------


def kenaf_wire(robot: RemoteRobot) -> KenafWire:
    """Request wheel radius and encoder resolution of a robot, and return its converter."""
    return KenafWire.from_answers(robot.geometry(), robot.configuration("Encoder"))


class UsarsimLink(_WallClockLink):
    """Kenaf on a simulation server, driven over the USARSim control port."""

    def __init__(self, robot: RemoteRobot) -> None:
        """Use ``robot``, which has joined a server's world."""
        self._robot = robot
        self._wire = kenaf_wire(robot)
        self._fresh = False

    def send(self, frames: Sequence[CanFrame]) -> None:
        """Send the commands of frames."""
        for frame in frames:
            command, _ = COMMANDS[frame.id].parse(frame.data)
            for message in self._wire.messages(command):
                self._robot.send(message)

    def receive(self) -> list[CanFrame]:
        """Return the newest status if messages were received since the last call."""
        self._read(0.0)
        fresh, self._fresh = self._fresh, False
        return self._wire.frames(self.time) if fresh else []

    def _read(self, seconds: float) -> None:
        for message in self._robot.listen(seconds):
            self._wire.on_message(message, self.time)
            self._fresh = True

    def close(self) -> None:
        """Close the connection; the server removes the robot."""
        self._robot.close()


def _open_usarsim(address: str) -> UsarsimLink:
    """Join the server at HOST:PORT with a Kenaf.

    Environment variables: HRT_NAME is the name of the robot, GROUSER_TOKEN the access token.
    """
    host, port = parse_host_port(address, codec.PORT, VARIABLE)
    name = os.environ.get("HRT_NAME", NAME)
    token = os.environ.get("GROUSER_TOKEN")
    return UsarsimLink(join(CLASS, name, host=host, port=port, token=token))


# -- bridge ----------------------------------------------------------------------------------------


def status_request(frames: Sequence[CanFrame], counter: int) -> bytes:
    """Return a datagram with command frames that also requests the newest status."""
    return datagram.pack(
        Datagram(DatagramKind.COMMANDS, counter, tuple(frames), status_wanted=True)
    )


class StatusInbox:
    """Frames of received status datagrams; old and duplicated datagrams are dropped."""

    def __init__(self) -> None:
        self.refused: Counter[str] = Counter()
        """Fault -> number of datagrams: "datagram", or "counter" for old and duplicated ones."""
        self._counter: int | None = None
        self._old = 0
        self._frames: list[CanFrame] = []

    def put(self, data: bytes) -> None:
        """Process a datagram; faults are counted."""
        try:
            status = datagram.unpack(data)
            if status.kind is not DatagramKind.STATUS:
                raise FrameFault("datagram", "not a status datagram")
        except FrameFault as fault:
            self.refused[fault.kind] += 1
            return
        if self._counter is not None and not datagram.is_newer(status.counter, self._counter):
            self.refused["counter"] += 1
            self._old += 1
            if self._old < RESTART:
                return
        self._old = 0
        self._counter = status.counter
        self._frames += status.frames

    def take(self) -> list[CanFrame]:
        """Return the frames received since the last call."""
        frames, self._frames = self._frames, []
        return frames


class UdpLink(_WallClockLink):
    """Connected UDP socket to the bridge, as used by the real robot's controller (sec. II-C)."""

    def __init__(self, host: str, port: int) -> None:
        """Set the destination HOST:PORT; nothing is sent yet."""
        self.peer = f"{host}:{port}"
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(
                host, port, type=socket.SOCK_DGRAM
            )[0]
            self._socket = socket.socket(family, kind, protocol)
            self._socket.connect(address)
        except OSError as error:
            raise Disconnected(f"{self.peer}: {error.strerror or error}") from None
        self._inbox = StatusInbox()
        self._counter = 0

    def send(self, frames: Sequence[CanFrame]) -> None:
        """Send a datagram that also requests the newest status."""
        self._counter += 1
        try:
            self._socket.send(status_request(frames, self._counter))
        except OSError as error:
            if not isinstance(error, ConnectionRefusedError):
                raise Disconnected(f"{self.peer}: {error.strerror or error}") from None

    def receive(self) -> list[CanFrame]:
        """Return the status frames received since the last call; empty without a bridge."""
        self._read(0.0)
        return self._inbox.take()

    def _read(self, seconds: float) -> None:
        until = self.time + seconds
        while True:
            self._socket.settimeout(max(0.0, until - self.time))
            try:
                self._inbox.put(self._socket.recv(LARGEST))
            except (TimeoutError, BlockingIOError):
                return
            except ConnectionRefusedError:
                if self.time >= until:
                    return
            except OSError as error:
                raise Disconnected(f"{self.peer}: {error.strerror or error}") from None

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()


def _open_udp(address: str) -> UdpLink:
    """Open a link to the bridge at HOST:PORT."""
    return UdpLink(*parse_host_port(address, datagram.PORT, VARIABLE))


# -- CAN bus ---------------------------------------------------------------------------------------


class CanLink(_WallClockLink):
    """CAN bus with Kenaf's motors by python-can: SocketCAN, or socketcand over TCP."""

    def __init__(self, name: str, **settings: Any) -> None:
        """Open a bus; ``name`` is for error messages, ``settings`` are those of `can.Bus`."""
        self.name = name
        self._can = _python_can()
        try:
            self._bus = self._can.Bus(**settings)
        except (OSError, self._can.CanError, ValueError) as error:
            raise Disconnected(f"{name}: {error}") from None
        self._frames: list[CanFrame] = []

    def send(self, frames: Sequence[CanFrame]) -> None:
        """Send frames."""
        for frame in frames:
            message = self._can.Message(
                arbitration_id=frame.id, data=frame.data, is_extended_id=False
            )
            try:
                self._bus.send(message)
            except (OSError, self._can.CanError) as error:
                raise Disconnected(f"{self.name}: {error}") from None

    def receive(self) -> list[CanFrame]:
        """Return the status frames received since the last call."""
        self._read(0.0)
        frames, self._frames = self._frames, []
        return frames

    def _read(self, seconds: float) -> None:
        while True:
            try:
                message = self._bus.recv(seconds)
            except (OSError, self._can.CanError) as error:
                raise Disconnected(f"{self.name}: {error}") from None
            if message is None:
                return
            if message.arbitration_id in STATUSES and not message.is_extended_id:
                self._frames.append(CanFrame(message.arbitration_id, bytes(message.data)))
            seconds = 0.0

    def close(self) -> None:
        """Close the bus."""
        self._bus.shutdown()


def _open_can(address: str) -> CanLink:
    """Open a CAN interface of this machine, such as can0."""
    return CanLink(address, interface="socketcan", channel=address)


def _open_socketcand(address: str) -> CanLink:
    """Open a bus behind a socketcand server: HOST:PORT/BUS."""
    server, _, bus = address.partition("/")
    if not bus:
        raise BadValue(f"HRT_LINK is 'socketcand://{address}', must be socketcand://HOST:PORT/BUS")
    host, port = parse_host_port(server, socketcand.PORT, VARIABLE)
    return CanLink(
        f"socketcand://{address}", interface="socketcand", host=host, port=port, channel=bus
    )


def _python_can() -> Any:
    """Import python-can; `MissingDependency` if it is not installed."""
    try:
        import can
    except ImportError as error:
        raise missing_extra("CAN buses need python-can (LGPL)", "can") from error
    return can


# -- selection by address --------------------------------------------------------------------------

LINKS: dict[str, Callable[[str], Link]] = {
    "usarsim": _open_usarsim,
    "udp": _open_udp,
    "socketcand": _open_socketcand,
    "can": _open_can,
}
"""Scheme -> function that opens the link from the text after ``scheme://``."""


def open_link(address: str | None = None, environment: Mapping[str, str] = os.environ) -> Link:
    """Open the link of an address, else of `VARIABLE`, else `DEFAULT`.

    Args:
        address: ``usarsim://HOST:PORT`` (control port of a server), ``udp://HOST:PORT`` (the
            bridge), ``socketcand://HOST:PORT/BUS``, or a CAN interface such as ``can0``.
        environment: contains `VARIABLE`.

    Raises:
        BadValue: unknown scheme.
        Disconnected: the connection failed.
    """
    where = address or environment.get(VARIABLE) or DEFAULT
    scheme, colon, rest = where.partition("://")
    if not colon:
        scheme, rest = "can", where
    if scheme not in LINKS:
        raise BadValue(
            f"{VARIABLE} is '{where}', must begin with {', '.join(f'{s}://' for s in LINKS)} or "
            f"name a CAN interface{nearest(scheme, LINKS)}"
        )
    return LINKS[scheme](rest)


# -- faults ----------------------------------------------------------------------------------------


class LinkWithFaults:
    """Wrapper that delays, drops and duplicates the frames of another link."""

    def __init__(self, link: Link, faults: LinkFaults) -> None:
        """Apply ``faults`` to ``link`` in each direction, on its clock."""
        self._link = link
        self.out: FaultyLink[CanFrame] = FaultyLink(faults, "to the robot")
        self.back: FaultyLink[CanFrame] = FaultyLink(faults, "from the robot")

    @property
    def time(self) -> float:
        """Time of the link's clock, s."""
        return self._link.time

    def send(self, frames: Sequence[CanFrame]) -> None:
        """Send frames; faults apply to each frame."""
        for frame in frames:
            self.out.send(frame, self.time)
        self._pass_on()

    def receive(self) -> list[CanFrame]:
        """Return the frames received since the last call."""
        self._pass_on()
        return self.back.due(self.time)

    def wait(self, seconds: float) -> None:
        """Wait while frames are forwarded."""
        until = self.time + seconds
        while (left := until - self.time) > 1e-9:
            self._link.wait(min(SLICE, left))
            self._pass_on()

    def close(self) -> None:
        """Close the link; delayed frames are lost."""
        self._link.close()

    def _pass_on(self) -> None:
        now = self.time
        if due := self.out.due(now):
            self._link.send(due)
        for frame in self._link.receive():
            self.back.send(frame, now)
