"""TCP connection of one socketcand client: requests in, frames of other bus nodes out."""

from __future__ import annotations

import asyncio
import logging
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

_LOG = logging.getLogger(__name__)


class CanSocket(ClientSocket):
    """Bus node that is connected over TCP."""

    def __init__(
        self, registry: ConnectionRegistry, bus: CanBus, name: str, faults: LinkFaults
    ) -> None:
        super().__init__(registry)
        self._bus, self._name, self._faults = bus, name, faults
        self._splitter = socketcand.MessageSplitter()
        self._connection: BusConnection | None = None
        self._raw = False
        self._subscribed: set[tuple[int, bool]] = set()
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
        elif isinstance(request, socketcand.SendFrame):
            self.login.require(Role.DRIVE)
            self._connection.send(request.frame)
        elif isinstance(request, socketcand.SubscribeId):
            self._subscribe((request.id, request.extended), request.wanted)
        else:
            self._switch(request)

    def _open(self, request: socketcand.OpenBus) -> None:
        if self.registry.access.needs_token:
            self.login.show(request.token)
        self.login.require()
        if request.bus != self._name:
            raise Refused(f"could not open bus '{request.bus}', there is {self._name}")
        if self._connection is None:
            self._connection = self._bus.connect(self, self._faults, self._name)
        self._answer(socketcand.OK)

    def _subscribe(self, key: tuple[int, bool], wanted: bool) -> None:
        if not wanted:
            self._subscribed.discard(key)
        elif len(self._subscribed) < MOST_SUBSCRIPTIONS:
            self._subscribed.add(key)
        else:
            raise BadValue(
                f"at most {MOST_SUBSCRIPTIONS} identifiers can be subscribed; use rawmode"
            )

    def _switch(self, request: socketcand.RawMode | socketcand.BcmMode) -> None:
        """Switch between raw and BCM mode; raw mode begins after `RAW_MODE_DELAY`."""
        self._raw = False
        if self._raw_mode_timer:
            self._raw_mode_timer.cancel()
        self._answer(socketcand.OK)
        if isinstance(request, socketcand.RawMode):
            loop = asyncio.get_running_loop()
            self._raw_mode_timer = loop.call_later(RAW_MODE_DELAY, self._begin_raw_mode)

    def _begin_raw_mode(self) -> None:
        self._raw = True

    # -- frames of other nodes ---------------------------------------------------------------

    def on_frame(self, frame: CanFrame, time: float) -> None:
        """Add a subscribed frame to the current batch."""
        if self._raw or (frame.id, frame.extended) in self._subscribed:
            self._batch.append(socketcand.encode_frame(frame, time))

    def on_batch_end(self) -> None:
        """Send the batch; the outbox drops the oldest batch of a client that does not read."""
        if self._batch:
            data, self._batch = b"".join(self._batch), []
            self.outbox.line(data, stale=self._name)

    def _answer(self, data: bytes) -> None:
        self.on_batch_end()
        self.outbox.line(data)
