"""The image port (5003): pictures for those who ask, one for each request.

Without a key it serves the mosaic of all cameras, as USARSim's image server did: ``OK`` for all of
it, ``U`` for a part. A client that begins with ``key <key>`` gets its own robot's pictures alone,
and its regions count from their corner. A client that does not read is not answered: its next frame
is made when the last one is out, and its requests are left in its own socket.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from functools import partial

from grouser.errors import BadValue, GrouserError, Refused
from grouser.gateways.images.latest_frames import LatestFrames
from grouser.gateways.images.mosaic import CameraName
from grouser.protocol.images import (
    Credential,
    Frame,
    ImageServerSide,
    ImageType,
    NoPicture,
    Preamble,
    Region,
    Request,
    WholeFrame,
)
from grouser.service.access import AccessControl, Role
from grouser.service.rate_limiter import Limits

MOST_FPS = 60.0
"""Frames per second of the wall clock that one connection gets."""

MOST_RATE = 2.0**26
"""Bytes per second of the wall clock that one connection gets: copying them takes time here."""
GRACE = 0.2
"""Wall seconds that a client has to show a key before it is sent a frame unasked, s."""
MOST_CONNECTIONS = 128
"""Connections that look at once: two for every robot that UDK's server has room for."""

_LOG = logging.getLogger(__name__)
_MOST_REQUESTS = 8  # read ahead
_BITE = 64  # bytes   of requests, looked at together
_TRIES = 3  # to have one JPEG made


class ImagePort:
    """What all connections to an image port share; call it for the protocol of one.

    Args:
        latest: the pictures that are served.
        access: who may look. A key opens its own pictures, everything else needs WATCH.
        legacy: send one frame unasked when somebody connects (the UT2004 habit). Where that needs a
            token or a key, it is sent when they are there.
        own_only: serve nobody without a key.
        most_fps: frames per second of the wall clock that one connection gets.
        most: connections that look at once.
        login_seconds: wall time until a token or key must be shown, where one is needed, s.
    """

    def __init__(
        self,
        latest: LatestFrames,
        access: AccessControl,
        *,
        legacy: bool = False,
        own_only: bool = False,
        most_fps: float = MOST_FPS,
        most: int = MOST_CONNECTIONS,
        login_seconds: float = Limits.login_seconds,
    ) -> None:
        if not most_fps > 0:
            raise BadValue(f"image port: {most_fps} frames per second, must be above 0")
        self.latest, self.access = latest, access
        self.legacy, self.own_only, self.pause = legacy, own_only, 1 / most_fps
        self.most, self.login_seconds = most, login_seconds
        self.connections: set[ImageConnection] = set()
        self.frames_sent = 0
        """To all connections so far."""
        self.refused = 0
        """Connections that were refused so far."""
        self.log = access.log
        self._jpeg: tuple[int, bytes] = (-1, b"")

    def __call__(self) -> ImageConnection:
        """Return the protocol of one connection."""
        return ImageConnection(self)

    def mosaic_jpeg(self) -> bytes:
        """Return the mosaic now as JPEG, if it was made for somebody already; else nothing."""
        version, jpeg = self._jpeg
        return jpeg if version == self.latest.mosaic.version else b""

    def keep(self, version: int, jpeg: bytes) -> None:
        """Keep a mosaic's JPEG for others who want the same."""
        self._jpeg = version, jpeg


class ImageConnection(asyncio.Protocol):
    """One connection to the image port."""

    def __init__(self, port: ImagePort) -> None:
        self._port, self._latest = port, port.latest
        self._preamble, self._side = Preamble(), ImageServerSide(port.legacy)
        self._transport: asyncio.Transport | None = None
        self.on_closed: Callable[[], None] = lambda: None
        self._who = "nobody"
        self._unread = b""
        self._requests: deque[Request] = deque()
        self._key = Credential("key", "")  # without a secret: everything
        self._admitted = self._shown = self._opened = False
        self._watching: CameraName | None = None
        self._busy = False  # a frame is being made, or on its way out
        self._next = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._login: asyncio.TimerHandle | None = None

    # -- asyncio's side ----------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Register the client; in legacy mode, send it a frame."""
        assert isinstance(transport, asyncio.Transport)  # a stream, not datagrams
        # "Out" means all of it. One byte, not none: asyncio's TLS takes none for too much already,
        # and would say in turns that it is full and that it is not.
        transport.set_write_buffer_limits(high=1, low=0)
        self._transport = transport
        self._who = str((transport.get_extra_info("peername") or ("nowhere",))[0])
        self._port.connections.add(self)
        self._latest.listeners.add(self._answer_next)
        loop = asyncio.get_running_loop()
        if self._port.own_only or self._port.access.needs_token:
            self._login = loop.call_later(self._port.login_seconds, self._check_login)
        elif self._port.legacy:  # who has a key shows it at once, and wants its own picture
            self._login = loop.call_later(GRACE, self._open)

    def data_received(self, data: bytes) -> None:
        """Take a token or key, then requests."""
        try:
            credentials, data = self._preamble.receive(data)
            for credential in credentials:
                self._check_credential(credential)
                self._open()
        except GrouserError as error:
            self._refuse(str(error))
            return
        self._unread += data
        self._answer_next()

    def pause_writing(self) -> None:
        """The frame did not fit into the socket."""
        self._busy = True

    def resume_writing(self) -> None:
        """It is out."""
        self._busy = False
        self._answer_next()

    def connection_lost(self, error: Exception | None) -> None:
        """Forget the client."""
        self._transport = None
        self._port.connections.discard(self)
        self._latest.listeners.discard(self._answer_next)
        for timer in (self._timer, self._login):
            if timer:
                timer.cancel()
        if self._admitted:
            self._latest.unwatch(self._watching)
        self.on_closed()

    # -- the port's side ---------------------------------------------------------------------

    def logged_in(self) -> bool:
        """Return whether it may look, or whoever asks may."""
        port = self._port
        return self._admitted or not (port.own_only or port.access.needs_token)

    def reject(self, reason: str) -> None:
        """Close the connection."""
        self._refuse(reason)

    def refusal(self, reason: str) -> bytes:
        """Return nothing: pictures have no words."""
        return b""

    # -- admission ---------------------------------------------------------------------------

    def _check_credential(self, credential: Credential) -> None:
        """Admit the client with a token or a key, or refuse it."""
        if self._shown:
            raise Refused("only one token or key may be shown")
        self._shown = True
        if self._admitted:  # as everybody is, by a request that came before
            self._admitted = False
            self._latest.unwatch(self._watching)
        if credential.kind == "token":
            self._admit_to_all(credential.secret)
        else:
            slot = self._latest.find(credential.secret, credential.camera)
            if slot is None:
                raise Refused("the key opens no robot's pictures, or it has no such camera")
            self._key = credential
            self._admit(slot.name)

    def _check_login(self) -> None:
        """Refuse a client that has shown neither token nor key in time."""
        if not self._admitted:
            self._refuse(f"no token or key came within {self._port.login_seconds:g} s")

    def _open(self) -> None:
        """In legacy mode, let a frame be due, once."""
        if not self._opened and (due := self._side.opened()):
            self._opened = True
            self._requests.extend(due)
            self._answer_next()

    def _admit_to_all(self, token: str | None) -> None:
        if self._port.own_only:
            raise Refused("this port gives a robot's own pictures only: begin with 'key <key>'")
        if Role.WATCH not in self._port.access.check(self._who, token):
            raise Refused("this token is not one for 'watch'")
        self._admit(None)

    def _admit(self, name: CameraName | None) -> None:
        if sum(one._admitted for one in self._port.connections) >= self._port.most:
            raise Refused(f"there are {self._port.most} connections already")
        self._admitted, self._watching = True, name
        self._latest.watch(name)

    def _refuse(self, reason: str, *, told: bool = False) -> None:
        """End the connection; strangers are told nothing, those who may look why."""
        self._port.refused += 1
        self._port.log.warning(_LOG, self._who, f"no images: {reason}")
        if self._transport:
            if told:
                self._transport.write(NoPicture(reason).encode())
            self._transport.close()

    # -- request, frame ----------------------------------------------------------------------

    def _answer_next(self) -> None:
        """Answer the next request, if it is time and there is something to see."""
        transport = self._transport
        if transport is None or transport.is_closing() or self._busy or self._timer:
            return
        self._parse_requests(transport)
        if not self._requests:
            return
        try:
            if not self._admitted:
                self._admit_to_all(None)
            if reason := self._latest.failure(self._watching):
                raise Refused(reason)  # at once: nobody shall wait for what will not come
            if not self._visible():
                return
        except Refused as refused:
            self._refuse(str(refused), told=self._admitted)
            return
        loop = asyncio.get_running_loop()
        if (now := loop.time()) < self._next:
            self._timer = loop.call_at(self._next, self._due)
            return
        self._next = now + self._port.pause
        self._answer(self._requests.popleft())

    def _due(self) -> None:
        self._timer = None
        self._answer_next()

    def _parse_requests(self, transport: asyncio.Transport) -> None:
        """Parse some more requests; leave the rest in the client's socket."""
        while self._unread and len(self._requests) < _MOST_REQUESTS:
            bite, self._unread = self._unread[:_BITE], self._unread[_BITE:]
            self._requests.extend(self._side.receive(bite))
        if self._unread:
            transport.pause_reading()
        else:
            transport.resume_reading()

    def _visible(self) -> bool:
        """Return whether there is anything to see yet."""
        if self._watching and self._latest.find(self._key.secret, self._key.camera) is None:
            raise Refused(f"its robot '{self._watching[0]}' has left")
        return self._latest.visible(self._watching)

    def _answer(self, request: Request) -> None:
        """Send one frame, or let it be encoded first."""
        type_ = self._latest.pool.type
        if type_ is ImageType.RAW:
            self._send(Frame(type_, self._raw(request)))
        elif ready := self._ready_jpeg(request):
            self._send(Frame(type_, ready))
        else:
            self._encode(request)

    def _raw(self, request: Request) -> bytes:
        latest, own = self._latest, self._watching
        if isinstance(request, Region):
            whole = latest.pictures[own].raster if own else latest.mosaic.raster
            return whole.crop(request).payload()
        return latest.pictures[own].raw if own else latest.mosaic.payload()

    def _ready_jpeg(self, request: Request) -> bytes:
        """Return what a worker has encoded already; else nothing."""
        if not isinstance(request, WholeFrame):
            return b""
        if self._watching:
            return self._latest.pictures[self._watching].jpeg
        return self._port.mosaic_jpeg()

    def _encode(self, request: Request, tries: int = _TRIES) -> None:
        """Have a JPEG made of the mosaic or of a part; an empty part is sent raw."""
        latest, own = self._latest, self._watching
        if own and own not in latest.pictures:
            self._refuse(f"its robot '{own[0]}' has left", told=True)
            return
        raster = latest.pictures[own].raster if own else latest.mosaic.raster
        whole = isinstance(request, WholeFrame)
        if isinstance(request, Region):
            raster = raster.crop(request)
        if not raster.width or not raster.height:
            self._send(Frame(ImageType.RAW, raster.payload()))
            return
        self._busy = True
        version = latest.mosaic.version if whole and own is None else None
        latest.encode(raster, partial(self._encoded, request, version, tries))

    def _encoded(
        self, request: Request, version: int | None, tries: int, jpeg: bytes | None
    ) -> None:
        self._busy = False
        if self._transport is None:
            return
        if jpeg is not None:
            if version is not None:
                self._port.keep(version, jpeg)
            self._send(Frame(self._latest.pool.type, jpeg))
            self._answer_next()
        elif tries > 1:
            loop = asyncio.get_running_loop()
            self._busy = True
            loop.call_later(1.0, self._encode, request, tries - 1)  # its worker died; another comes
        else:
            self._refuse("nobody could encode the picture", told=True)

    def _send(self, frame: Frame) -> None:
        if self._transport:
            self._port.frames_sent += 1
            self._next += len(frame.payload) / MOST_RATE
            self._transport.write(frame.encode())  # may call `pause_writing`
            if not self._busy:
                asyncio.get_running_loop().call_soon(self._answer_next)
