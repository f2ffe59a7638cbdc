"""TCP connection of one socketcand client: requests in, frames of other bus nodes out."""

from __future__ import annotations

import asyncio
import logging
import math
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial

from grouser.errors import BadValue, Refused
from grouser.gateways.can.bus import BusConnection, CanBus
from grouser.gateways.client_socket import ClientSocket, ConnectionRegistry
from grouser.protocol.can import socketcand
from grouser.protocol.can.messages import CanFrame
from grouser.protocol.lines import Fault
from grouser.protocol.link_faults import LinkFaults
from grouser.service.access import Role
from grouser.service.request_queue import Request

RAW_MODE_DELAY = 0.2
"""Wall seconds between the ``ok`` of raw mode and the first frame, s: python-can treats a frame in
the same packet as a wrong answer."""

MOST_SUBSCRIPTIONS = 256
"""Maximum number of subscribed identifiers of one client; raw mode has no limit."""

MOST_JOBS = 64
"""Maximum number of cyclic jobs of one client."""

MOST_JOB_FRAMES = 2000.0
"""Maximum number of frames per simulated second of all cyclic jobs of one client."""

FrameKey = tuple[int, bool]
"""Identifier of a frame, and whether it is extended."""

JobRequest = socketcand.SendFrame | socketcand.AddJob | socketcand.UpdateJob | socketcand.DeleteJob
JOB_REQUESTS = (
    socketcand.SendFrame, socketcand.AddJob, socketcand.UpdateJob, socketcand.DeleteJob,
)  # fmt: skip
"""Requests that send frames."""

_LOG = logging.getLogger(__name__)


class Mode(Enum):
    """Mode of a connection: which frames it receives."""

    BCM = auto()
    """Subscribed frames."""
    RAW = auto()
    """All frames."""
    CONTROL = auto()
    """None; statistics."""


@dataclass
class Subscription:
    """Subscribed identifier."""

    interval: float
    """Shortest time between two frames, s."""
    next_time: float = -math.inf
    """Earliest time of the next frame, s."""
    newest: tuple[CanFrame, float] | None = None
    """Newest frame that was not sent, with its time."""


@dataclass
class Job:
    """Frame that is sent cyclically."""

    frame: CanFrame
    interval: float
    """s; 0: never."""
    next_time: float
    """s."""

    @property
    def rate(self) -> float:
        """Frames per second."""
        return 1 / self.interval if self.interval else 0.0

    def due(self, now: float) -> bool:
        """Return True if the frame is to be sent now; after a pause it is sent once."""
        if self.interval:
            self.next_time = min(self.next_time, now + self.interval)  # the clock was reset
        if not self.interval or now < self.next_time - 1e-9:
            return False
        missed = math.floor((now - self.next_time) / self.interval + 1e-9)
        self.next_time += (missed + 1) * self.interval
        return True


class CanSocket(ClientSocket):
    """Bus node that is connected over TCP."""

    def __init__(
        self, registry: ConnectionRegistry, bus: CanBus, name: str, faults: LinkFaults
    ) -> None:
        super().__init__(registry)
        self._bus, self._name, self._faults = bus, name, faults
        self._splitter = socketcand.MessageSplitter()
        self._connection: BusConnection | None = None
        self._mode = Mode.BCM
        self._subscribed: dict[FrameKey, Subscription] = {}
        self._jobs: dict[FrameKey, Job] = {}
        self._counts = socketcand.FrameCounts()
        self._statistics_every = 0.0
        self._statistics_due = math.inf
        self._batch: list[bytes] = []
        self._raw_mode_timer: asyncio.TimerHandle | None = None
        self.faults = 0
        """Number of malformed messages."""

    def opened(self, transport: asyncio.Transport) -> None:
        """Send the greeting."""
        super().opened(transport)
        self.outbox.line(socketcand.HI)

    def refusal(self, reason: str) -> bytes:
        """Return the reason as a socketcand error."""
        return socketcand.encode_error(reason)

    def closed(self) -> None:
        """Disconnect from the bus."""
        if self._raw_mode_timer:
            self._raw_mode_timer.cancel()
        if self._connection:
            self._connection.close()
            self._bus.timers.remove(self._pass_time)

    # -- requests ----------------------------------------------------------------------------

    def requests(self, data: bytes) -> list[Request]:
        """Return a request for each message that the bytes complete."""
        messages = self._splitter.feed(data)
        last = len(messages) - 1
        return [partial(self._process_message, text, n == last) for n, text in enumerate(messages)]

    def _process_message(self, text: str | Fault, last: bool) -> None:
        """Process a message; after the last of a chunk, end the batch on the bus."""
        if isinstance(text, Fault):
            self._ignore(text.reason)
        else:
            self._process_text(text)
        if last:
            self._bus.flush()

    def _process_text(self, text: str) -> None:
        try:
            self._apply(socketcand.read_request(text))
        except socketcand.UnknownRequest as error:
            self._answer(socketcand.encode_error(str(error)))
        except Refused as error:
            self.reject(str(error))
        except BadValue as error:
            # No answer, as from the daemon: clients do not expect errors between frames.
            self._ignore(str(error))

    def _ignore(self, reason: str) -> None:
        self.faults += 1
        if self.faults.bit_count() == 1:  # exponential back-off of the log: 1, 2, 4, ...
            _LOG.warning("%s: malformed message %d ignored: %s", self.address, self.faults, reason)

    def _apply(self, request: socketcand.BusRequest) -> None:
        if isinstance(request, socketcand.EchoRequest):
            self._answer(socketcand.ECHO)
        elif isinstance(request, socketcand.OpenBus):
            self._open(request)
        elif self._connection is None:
            self._answer(socketcand.encode_error(f"no bus is open, send: open {self._name}"))
        elif isinstance(request, JOB_REQUESTS):
            self.login.require(Role.DRIVE)
            self._send(request, self._connection)
        elif isinstance(request, socketcand.SubscribeId):
            self._subscribe(request)
        elif isinstance(request, socketcand.RequestStatistics):
            self._request_statistics(request.interval)
        else:
            self._switch(request)

    def _send(self, request: JobRequest, connection: BusConnection) -> None:
        """Send a frame, or change the cyclic jobs."""
        if isinstance(request, socketcand.SendFrame):
            self._transmit(request.frame, connection)
            return
        if isinstance(request, socketcand.DeleteJob):
            self._jobs.pop((request.id, request.extended), None)
            return
        key = request.frame.id, request.frame.extended
        if isinstance(request, socketcand.UpdateJob):
            if key not in self._jobs:
                raise socketcand.UnknownRequest(f"there is no job {request.frame.id:X}")
            self._jobs[key].frame = request.frame
            return
        job = Job(request.frame, request.interval, self._bus.now())
        others = [one for other, one in self._jobs.items() if other != key]
        rate = sum(one.rate for one in (*others, job))
        if len(others) >= MOST_JOBS or rate > MOST_JOB_FRAMES:
            raise socketcand.UnknownRequest(
                f"at most {MOST_JOBS} jobs of {MOST_JOB_FRAMES:g} frames a second in all"
            )
        self._jobs[key] = job

    def _transmit(self, frame: CanFrame, connection: BusConnection) -> None:
        self._counts.sent_bytes += len(frame.data)
        self._counts.sent_frames += 1
        connection.send(frame)

    def _open(self, request: socketcand.OpenBus) -> None:
        if request.token or not self.login:
            self.login.show(request.token)
        self.login.require()
        if request.bus != self._name:
            raise Refused(f"could not open bus '{request.bus}', there is {self._name}")
        if self._connection is None:
            self._connection = self._bus.connect(
                self, self._faults, self._name, on_error=self.abort
            )
            self._bus.timers.append(self._pass_time)
        self._answer(socketcand.OK)

    def _subscribe(self, request: socketcand.SubscribeId) -> None:
        key = request.id, request.extended
        if not request.wanted:
            self._subscribed.pop(key, None)
        elif key in self._subscribed or len(self._subscribed) < MOST_SUBSCRIPTIONS:
            self._subscribed[key] = Subscription(request.interval)
        else:
            raise BadValue(
                f"at most {MOST_SUBSCRIPTIONS} identifiers can be subscribed; use rawmode"
            )

    def _request_statistics(self, interval: float) -> None:
        if self._mode is not Mode.CONTROL:
            raise socketcand.UnknownRequest("statistics are sent in control mode only")
        self._statistics_every = interval
        self._statistics_due = self._bus.now() + interval if interval else math.inf

    def _switch(
        self, request: socketcand.RawMode | socketcand.BcmMode | socketcand.ControlMode
    ) -> None:
        """Switch the mode, which ends jobs and statistics; raw mode begins after a delay."""
        control = isinstance(request, socketcand.ControlMode)
        self._mode = Mode.CONTROL if control else Mode.BCM
        self._jobs.clear()
        self._statistics_due = math.inf
        if self._raw_mode_timer:
            self._raw_mode_timer.cancel()
        self._answer(socketcand.OK)
        if isinstance(request, socketcand.RawMode):
            loop = asyncio.get_running_loop()
            self._raw_mode_timer = loop.call_later(RAW_MODE_DELAY, self._begin_raw_mode)

    def _begin_raw_mode(self) -> None:
        self._mode = Mode.RAW

    # -- frames of other nodes ---------------------------------------------------------------

    def on_frame(self, frame: CanFrame, time: float) -> None:
        """Add a subscribed frame to the current batch."""
        self._counts.received_bytes += len(frame.data)
        self._counts.received_frames += 1
        if self._mode is Mode.RAW:
            self._batch.append(socketcand.encode_frame(frame, time))
        elif self._mode is Mode.BCM and (
            subscription := self._subscribed.get((frame.id, frame.extended))
        ):
            subscription.newest = frame, time
            self._send_newest(subscription, time)

    def _send_newest(self, subscription: Subscription, now: float) -> None:
        """Add the newest frame of a subscription to the batch unless its interval runs."""
        if subscription.newest and now >= subscription.next_time - 1e-9:
            self._batch.append(socketcand.encode_frame(*subscription.newest))
            subscription.newest, subscription.next_time = None, now + subscription.interval

    def _pass_time(self, now: float) -> None:
        """Send the frames of jobs and subscriptions, and the statistics, that are due."""
        if self._connection is not None:
            self._connection.call(lambda _: self._send_due(now))

    def _send_due(self, now: float) -> None:
        if self._connection is None:
            return
        for job in self._jobs.values():
            if job.due(now):
                self._transmit(job.frame, self._connection)
        if self._mode is Mode.BCM:
            for subscription in self._subscribed.values():
                self._send_newest(subscription, now)
        if now >= self._statistics_due:
            self._statistics_due = now + self._statistics_every
            self._batch.append(socketcand.encode_statistics(self._counts))

    def on_batch_end(self) -> None:
        """Send the batch; the outbox drops the oldest batch of a client that does not read."""
        if self._batch:
            data, self._batch = b"".join(self._batch), []
            self.outbox.line(data, stale=self._name)

    def _answer(self, data: bytes) -> None:
        self.on_batch_end()
        self.outbox.line(data)
