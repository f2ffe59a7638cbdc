"""Image port (5003): one picture for each request, with access control and back-pressure.

Without a key a client gets the mosaic of all cameras, as from USARSim's image server: ``OK`` for
the whole, ``U`` for a region. A client that begins with ``key <key>`` gets the pictures of its own
robot only; regions are relative to their corner. The next frame is made after the last one was
sent; the requests of a client that does not read stay in its socket.
"""

from __future__ import annotations

import asyncio
from collections import deque
from functools import partial

from grouser.errors import BadValue, GrouserError, Refused
from grouser.gateways.images.latest_frames import LatestFrames
from grouser.gateways.images.mosaic import CameraName
from grouser.gateways.listening_port import Connection
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
"""Maximum frame rate of one connection, per wall second."""

MOST_RATE = 2.0**26
"""Maximum data rate of one connection, bytes per wall second: copying takes processor time."""
LEGACY_FRAME_DELAY = 0.2
"""Delay of the first frame in legacy mode, wall s: a client may send a key first."""
MOST_CONNECTIONS = 128
"""Maximum number of admitted connections: two for every robot of a UDK server."""

_MOST_REQUESTS = 8  # parsed ahead
_PARSE_CHUNK = 64  # bytes of requests that are parsed together
_TRIES = 3  # attempts to encode one JPEG


class ImagePort:
    """State shared by all connections of an image port; call it to create a connection.

    Args:
        latest: served pictures.
        access: access control. A key gives access to its own pictures, the mosaic needs WATCH.
        legacy: send one frame on connect, as UT2004's servers did; after the token or key, if one
            is required.
        own_only: reject clients without a key.
        late_keys: keys may become known after their clients have connected, as on a render worker;
            a client with an unknown key waits until ``login_seconds`` have passed.
        most_fps: maximum frame rate of one connection, per wall second.
        most: maximum number of admitted connections.
        login_seconds: time-out for a required token or key, wall s.
    """

    def __init__(
        self,
        latest: LatestFrames,
        access: AccessControl,
        *,
        legacy: bool = False,
        own_only: bool = False,
        late_keys: bool = False,
        most_fps: float = MOST_FPS,
        most: int = MOST_CONNECTIONS,
        login_seconds: float = Limits.login_seconds,
    ) -> None:
        if not most_fps > 0:
            raise BadValue(f"image port: most_fps is {most_fps}, must be above 0")
        self.latest, self.access = latest, access
        self.legacy, self.own_only, self.late_keys = legacy, own_only, late_keys
        self.pause = 1 / most_fps
        self.most, self.login_seconds = most, login_seconds
        self.connections: set[ImageConnection] = set()
        self.frames_sent = 0
        """Number of frames sent to all connections."""
        self.refused = 0
        """Number of rejected connections."""
        self._jpeg: tuple[int, bytes] = (-1, b"")

    def __call__(self) -> ImageConnection:
        """Create the protocol of one connection."""
        return ImageConnection(self)

    def mosaic_jpeg(self) -> bytes:
        """Return the present mosaic as JPEG if it is cached; else empty."""
        version, jpeg = self._jpeg
        return jpeg if version == self.latest.mosaic.version else b""

    def cache_mosaic(self, version: int, jpeg: bytes) -> None:
        """Cache the JPEG of a version of the mosaic for other connections."""
        self._jpeg = version, jpeg


class ImageConnection(Connection, asyncio.Protocol):
    """One connection to the image port."""

    credential = "token or key"

    def __init__(self, port: ImagePort) -> None:
        super().__init__(port.access.log, port.login_seconds)
        self._port, self._latest = port, port.latest
        self._preamble, self._side = Preamble(), ImageServerSide(port.legacy)
        self._unread = b""
        self._requests: deque[Request] = deque()
        self._key = Credential("key", "")  # empty: the mosaic
        self._pending_key: Credential | None = None  # no robot has it yet
        self._admitted = self._authenticated = self._first_frame_sent = False
        self._watching: CameraName | None = None
        self._busy = False  # a frame is being encoded or sent
        self._next = 0.0
        self._frame_timer: asyncio.TimerHandle | None = None
        self._legacy_timer: asyncio.TimerHandle | None = None

    # -- hooks of the connection -------------------------------------------------------------

    def opened(self, transport: asyncio.Transport) -> None:
        """Register the connection; in legacy mode, schedule the first frame."""
        # Writing resumes when all bytes are sent. The limit is one byte, not 0: with 0 asyncio's
        # TLS reports the empty buffer as full.
        transport.set_write_buffer_limits(high=1, low=0)
        self._port.connections.add(self)
        self._latest.listeners.add(self._answer_next)
        if self._port.legacy and self.logged_in():
            loop = asyncio.get_running_loop()
            self._legacy_timer = loop.call_later(LEGACY_FRAME_DELAY, self._request_first_frame)

    def closed(self) -> None:
        """Unregister the connection."""
        self._port.connections.discard(self)
        self._latest.listeners.discard(self._answer_next)
        for timer in (self._frame_timer, self._legacy_timer):
            if timer:
                timer.cancel()
        if self._admitted:
            self._latest.unwatch(self._watching)

    def logged_in(self) -> bool:
        """Return True if the client is admitted, or needs no credential."""
        port = self._port
        closed = Role.WATCH not in port.access.open_roles(self.address)
        needed = port.own_only or closed or self._pending_key is not None
        return self._admitted or not needed

    def reject(self, reason: str) -> None:
        """Close the connection without a reason for the client, and count it."""
        self._port.refused += 1
        super().reject(reason)

    # -- asyncio's callbacks -----------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        """Process credentials, then requests."""
        try:
            credentials, data = self._preamble.receive(data)
            for credential in credentials:
                self._check_credential(credential)
                self._request_first_frame()
        except GrouserError as error:
            self.reject(str(error))
            return
        self._unread += data
        self._answer_next()

    def pause_writing(self) -> None:
        """Note that a frame is being sent."""
        self._busy = True

    def resume_writing(self) -> None:
        """Answer the next request after a frame was sent."""
        self._busy = False
        self._answer_next()

    # -- admission ---------------------------------------------------------------------------

    def _check_credential(self, credential: Credential) -> None:
        """Admit the client with a token or a key, or raise `Refused`."""
        if self._authenticated:
            raise Refused("only one token or key is accepted")
        self._authenticated = True
        if self._admitted:  # without a credential, by an earlier request
            self._admitted = False
            self._latest.unwatch(self._watching)
        if credential.kind == "token":
            self._admit_to_all(credential.secret)
        else:
            self._admit_by_key(credential)

    def _admit_by_key(self, key: Credential) -> None:
        """Admit the client to the pictures of the robot with ``key``, now or when it is known."""
        slot = self._latest.find(key.secret, key.camera)
        if slot is not None:
            self._key, self._pending_key = key, None
            self._admit(slot.name)
        elif self._port.late_keys:
            self._pending_key, self.credential = key, "robot with this key and camera"
        else:
            raise Refused("the key belongs to no robot, or the robot has no such camera")

    def _request_first_frame(self) -> None:
        """In legacy mode, queue the request for the first frame, once."""
        if not self._first_frame_sent and (requests := self._side.opened()):
            self._first_frame_sent = True
            self._requests.extend(requests)
            self._answer_next()

    def _admit_to_all(self, token: str | None) -> None:
        if self._port.own_only:
            raise Refused("this port serves a robot's own pictures only: begin with 'key <key>'")
        if Role.WATCH not in self._port.access.check(self.address, token):
            raise Refused(self._port.access.missing(Role.WATCH))
        self._admit(None)

    def _admit(self, name: CameraName | None) -> None:
        if sum(one._admitted for one in self._port.connections) >= self._port.most:
            raise Refused(f"the limit of {self._port.most} connections is reached")
        self._admitted, self._watching = True, name
        self._latest.watch(name)

    def _fail(self, reason: str) -> None:
        """Close the connection; an admitted client gets the reason."""
        if self._admitted and self._transport:
            self._transport.write(NoPicture(reason).encode())
        self.reject(reason)

    # -- requests and frames -----------------------------------------------------------------

    def _answer_next(self) -> None:
        """Answer the next request if the frame rate permits it and a picture is available."""
        transport = self._transport
        if transport is None or transport.is_closing() or self._busy or self._frame_timer:
            return
        self._parse_requests(transport)
        try:
            if self._pending_key:
                self._admit_by_key(self._pending_key)
            if self._pending_key or not self._requests:
                return
            if not self._admitted:
                self._admit_to_all(None)
            if reason := self._latest.failure(self._watching):
                raise Refused(reason)
            if not self._is_available():
                return
        except Refused as refused:
            self._fail(str(refused))
            return
        loop = asyncio.get_running_loop()
        if (now := loop.time()) < self._next:
            self._frame_timer = loop.call_at(self._next, self._on_frame_timer)
            return
        self._next = now + self._port.pause
        self._answer(self._requests.popleft())

    def _on_frame_timer(self) -> None:
        self._frame_timer = None
        self._answer_next()

    def _parse_requests(self, transport: asyncio.Transport) -> None:
        """Parse more requests; leave the rest in the client's socket."""
        while self._unread and len(self._requests) < _MOST_REQUESTS:
            chunk, self._unread = self._unread[:_PARSE_CHUNK], self._unread[_PARSE_CHUNK:]
            self._requests.extend(self._side.receive(chunk))
        if self._unread:
            transport.pause_reading()
        else:
            transport.resume_reading()

    def _is_available(self) -> bool:
        """Return True if a picture is available; raise `Refused` if none will be."""
        if self._watching and self._latest.find(self._key.secret, self._key.camera) is None:
            raise Refused(f"robot '{self._watching[0]}' has left")
        return self._latest.is_current(self._watching)

    def _answer(self, request: Request) -> None:
        """Send one frame, or encode it first."""
        type_ = self._latest.pool.type
        if type_ is ImageType.RAW:
            self._send(Frame(type_, self._raw(request)))
        elif cached := self._cached_jpeg(request):
            self._send(Frame(type_, cached))
        else:
            self._encode(request)

    def _raw(self, request: Request) -> bytes:
        latest, own = self._latest, self._watching
        if isinstance(request, Region):
            whole = latest.pictures[own].raster if own else latest.mosaic.raster
            return whole.crop(request).payload()
        return latest.pictures[own].raw if own else latest.mosaic.payload()

    def _cached_jpeg(self, request: Request) -> bytes:
        """Return the JPEG if a worker has encoded it already; else empty."""
        if not isinstance(request, WholeFrame):
            return b""
        if self._watching:
            return self._latest.pictures[self._watching].jpeg
        return self._port.mosaic_jpeg()

    def _encode(self, request: Request, tries: int = _TRIES) -> None:
        """Encode the picture or a region as JPEG in a worker; an empty region is sent raw."""
        latest, own = self._latest, self._watching
        if own and own not in latest.pictures:
            self._fail(f"robot '{own[0]}' has left")
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
        latest.encode(raster, partial(self._on_encoded, request, version, tries))

    def _on_encoded(
        self, request: Request, version: int | None, tries: int, jpeg: bytes | None
    ) -> None:
        self._busy = False
        if self._transport is None:
            return
        if jpeg is not None:
            if version is not None:
                self._port.cache_mosaic(version, jpeg)
            self._send(Frame(self._latest.pool.type, jpeg))
            self._answer_next()
        elif tries > 1:
            loop = asyncio.get_running_loop()
            self._busy = True
            loop.call_later(1.0, self._encode, request, tries - 1)  # its worker is being restarted
        else:
            self._fail("the picture could not be encoded")

    def _send(self, frame: Frame) -> None:
        if self._transport:
            self._port.frames_sent += 1
            self._next += len(frame.payload) / MOST_RATE
            self._transport.write(frame.encode())  # may call `pause_writing`
            if not self._busy:
                asyncio.get_running_loop().call_soon(self._answer_next)
