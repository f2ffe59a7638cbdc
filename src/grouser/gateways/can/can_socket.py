"""A client of the served bus: socketcand's messages in, frames of others out."""

from __future__ import annotations

import asyncio
import logging
from functools import partial

from grouser.errors import BadValue, Refused
from grouser.gateways.can.bus import BusConnection, CanBus
from grouser.gateways.client_socket import ClientSocket, ConnectionRegistry
from grouser.protocol.can.messages import CanFrame
from grouser.protocol.can.socketcand import (
    ECHO,
    HI,
    OK,
    BcmMode,
    BusRequest,
    EchoRequest,
    MessageSplitter,
    OpenBus,
    RawMode,
    SendFrame,
    SubscribeId,
    UnknownRequest,
    encode_error,
    encode_frame,
    read_request,
)
from grouser.protocol.lines import Fault
from grouser.protocol.link_faults import LinkFaults
from grouser.service.access import Login, Role
from grouser.service.outbox import Outbox, Pipe
from grouser.service.request_queue import Request

HUSH = 0.2
"""Wall seconds of silence behind the ``ok`` of raw mode: python-can takes what comes together with
it for a wrong answer."""

MOST_SUBSCRIPTIONS = 256
"""Identifiers that one client may subscribe; who wants more hears everything."""

_LOG = logging.getLogger(__name__)


class CanSocket(ClientSocket):
    """A node of the bus, over TCP."""

    def __init__(
        self, registry: ConnectionRegistry, bus: CanBus, name: str, faults: LinkFaults
    ) -> None:
        super().__init__(registry)
        self._bus, self._name, self._faults = bus, name, faults
        self._splitter = MessageSplitter()
        self._outbox: Outbox | None = None
        self._login: Login | None = None
        self._connection: BusConnection | None = None
        self._raw = False
        self._subscribed: set[tuple[int, bool]] = set()
        self._heard: list[bytes] = []
        self._hush: asyncio.TimerHandle | None = None
        self.faults = 0
        """Messages that made no sense."""

    def opened(self, transport: Pipe) -> None:
        """Greet the client."""
        self._login = Login(self.registry.access, self.address)
        self._outbox = Outbox(transport, self.registry.limits.unread_bytes)
        self._outbox.line(HI)

    def logged_in(self) -> bool:
        """Return whether a token was shown, or none is needed."""
        return bool(self._login)

    def resume_writing(self) -> None:
        """The client reads again."""
        if self._outbox:
            self._outbox.flush()

    def refusal(self, reason: str) -> bytes:
        """Say why, as socketcand says errors."""
        return encode_error(reason)

    def closed(self) -> None:
        """Leave the bus."""
        if self._hush:
            self._hush.cancel()
        if self._connection:
            self._connection.close()

    # -- what the client says ----------------------------------------------------------------

    def requests(self, data: bytes) -> list[Request]:
        """Return the messages that bytes completed, each to be taken in its turn."""
        messages = self._splitter.feed(data)
        last = len(messages) - 1
        return [partial(self._hear, text, n == last) for n, text in enumerate(messages)]

    def _hear(self, text: str | Fault, last: bool) -> None:
        """Take a message; behind the last of several, the bus is told."""
        if isinstance(text, Fault):
            self._complain(text.reason)
        else:
            self._take(text)
        if last:
            self._bus.flush()

    def _take(self, text: str) -> None:
        try:
            self._do(read_request(text))
        except UnknownRequest as error:
            self._say(encode_error(str(error)))
        except Refused as error:
            self.reject(str(error))
        except BadValue as error:
            # As the daemon does: an answer in the midst of frames would confuse its clients.
            self._complain(str(error))

    def _complain(self, reason: str) -> None:
        self.faults += 1
        if self.faults.bit_count() == 1:  # the first, the second, the fourth: a flood logs little
            _LOG.warning("%s: message %d was ignored: %s", self.address, self.faults, reason)

    def _do(self, request: BusRequest) -> None:
        assert self._login is not None  # it was opened
        if isinstance(request, EchoRequest):
            self._say(ECHO)
        elif isinstance(request, OpenBus):
            self._open(request)
        elif self._connection is None:
            self._say(encode_error(f"no bus is open, say: open {self._name}"))
        elif isinstance(request, SendFrame):
            self._login.require(Role.DRIVE)
            self._connection.send(request.frame)
        elif isinstance(request, SubscribeId):
            self._subscribe((request.id, request.extended), request.wanted)
        else:
            self._switch(request)

    def _open(self, request: OpenBus) -> None:
        assert self._login is not None  # it was opened
        if self.registry.access.needs_token:
            self._login.show(request.token)
        self._login.require()
        if request.bus != self._name:
            raise Refused(f"could not open bus '{request.bus}', there is {self._name}")
        if self._connection is None:
            self._connection = self._bus.connect(self, self._faults, self._name)
        self._say(OK)

    def _subscribe(self, key: tuple[int, bool], wanted: bool) -> None:
        if not wanted:
            self._subscribed.discard(key)
        elif len(self._subscribed) < MOST_SUBSCRIPTIONS:
            self._subscribed.add(key)
        else:
            raise BadValue(f"{MOST_SUBSCRIPTIONS} identifiers are subscribed already; use rawmode")

    def _switch(self, request: RawMode | BcmMode) -> None:
        """Go to another mode; frames come behind a pause."""
        self._raw = False
        if self._hush:
            self._hush.cancel()
        self._say(OK)
        if isinstance(request, RawMode):
            self._hush = asyncio.get_running_loop().call_later(HUSH, self._listen)

    def _listen(self) -> None:
        self._raw = True

    # -- what the client hears ---------------------------------------------------------------

    def hear(self, frame: CanFrame, time: float) -> None:
        """Keep a frame of somebody else until all of this moment are there."""
        if self._raw or (frame.id, frame.extended) in self._subscribed:
            self._heard.append(encode_frame(frame, time))

    def heard_all(self) -> None:
        """Send what was heard; a client that does not read misses the oldest."""
        if self._heard:
            data, self._heard = b"".join(self._heard), []
            assert self._outbox is not None  # it was opened
            self._outbox.line(data, stale=self._name)

    def _say(self, data: bytes) -> None:
        assert self._outbox is not None  # it was opened
        self.heard_all()
        self._outbox.line(data)
