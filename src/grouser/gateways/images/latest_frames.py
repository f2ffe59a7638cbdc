"""The newest picture of every camera, and all of them in one mosaic; drawn for those who watch.

Pictures come one by one and whole from a render pool. A camera's newest shot waits until its worker
has time; older ones are dropped and counted. Nothing is drawn while nobody watches.
"""

from __future__ import annotations

import hmac
import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from grouser.errors import BadValue
from grouser.gateways.images.mosaic import Mosaic
from grouser.gateways.images.raster import Raster
from grouser.gateways.images.render_pool import RenderPool
from grouser.gateways.images.tiles import (
    UDK_LAYOUT,
    CameraName,
    CameraSlot,
    CameraTile,
    Layout,
)
from grouser.gateways.images.worker_channel import Answer, RenderJob
from grouser.protocol.rendering import Encode, Failed, Picture, Shoot

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class DrawnPicture:
    """A picture as it is served."""

    time: float
    """Simulated, s."""
    raw: bytes
    """As a raw frame carries it."""
    jpeg: bytes
    """The same as a JPEG file; empty where none is served."""

    @property
    def raster(self) -> Raster:
        """Its pixels."""
        return Raster.of(self.raw)


@dataclass(frozen=True)
class ShotRequest:
    """A shot of one camera that may be drawn."""

    order: Callable[[bool], Shoot]
    """Returns the order for a worker; the argument says whether the picture is to come back."""
    done: Callable[[Answer], None] | None = None
    """Called with the answer, where somebody waits for this very picture."""


class LatestFrames:
    """The newest pictures of many cameras; `grouser.gateways.images.views` feeds a simulation's."""

    def __init__(self, pool: RenderPool, layout: Layout = UDK_LAYOUT) -> None:
        """Start without cameras.

        Args:
            pool: draws the pictures.
            layout: of the mosaic.
        """
        self.pool = pool
        self.mosaic = Mosaic(layout)
        self.pictures: dict[CameraName, DrawnPicture] = {}
        """The newest of each camera; none before the first was drawn."""
        self.drawn: Counter[CameraName] = Counter()
        """Pictures of each camera so far."""
        self.dropped: Counter[CameraName] = Counter()
        """Shots of each camera that were wanted and never drawn, because a newer one came."""
        self.listeners: set[Callable[[], None]] = set()
        """Called when there is something new to see."""
        self._slots: dict[CameraName, CameraSlot] = {}
        self._requests: dict[CameraName, ShotRequest] = {}
        self._watchers: Counter[CameraName] = Counter()
        self._mosaic_watchers = 0
        self._due: set[CameraName] = set()
        """Cameras that somebody began to watch, whose first picture is not there yet."""
        self._failed: dict[CameraName, str] = {}

    # -- cameras -----------------------------------------------------------------------------

    @property
    def slots(self) -> Collection[CameraSlot]:
        """All cameras."""
        return self._slots.values()

    def set_cameras(self, slots: Iterable[CameraSlot], layout: Layout | None = None) -> None:
        """Replace the cameras; one that keeps its slot keeps its picture.

        Args:
            slots: all cameras.
            layout: of the mosaic from now on; None: as before.
        """
        if layout is not None and layout != self.mosaic.layout:
            self.set_cameras(())
            self.mosaic = Mosaic(layout)
        before, self._slots = self._slots, {slot.name: slot for slot in slots}
        self.mosaic.arrange(before.values(), self._slots.values())
        self._requests.clear()
        self._due &= self._slots.keys()
        for name, slot in before.items():
            if self._slots.get(name) != slot:
                self.pictures.pop(name, None)
        self._notify()

    def find(self, key: str, camera: str = "") -> CameraSlot | None:
        """Return the slot of the robot with this ``key``: its first, or that of ``camera``."""
        own = [
            slot
            for slot in sorted(self.slots, key=lambda slot: slot.tile)
            if hmac.compare_digest(slot.key.encode(), key.encode("utf-8", "replace"))
        ]
        return next((slot for slot in own if camera in ("", slot.camera)), None)

    def tiles(self, robot: str) -> dict[str, CameraTile]:
        """Return where each camera of a robot is in the mosaic."""
        place = self.mosaic.layout.place
        return {slot.camera: place(slot) for slot in self.slots if slot.robot == robot}

    # -- watchers ----------------------------------------------------------------------------

    def watch(self, name: CameraName | None) -> None:
        """Count somebody who watches a camera; None: the mosaic of all of them."""
        if name is None:
            self._mosaic_watchers += 1
        else:
            self._watchers[name] += 1
        for undrawn in [name] if name else list(self._requests):
            if undrawn in self._requests:  # newer than the last picture: nobody watched meanwhile
                self._due.add(undrawn)
                self._submit(undrawn, self._requests.pop(undrawn))

    def unwatch(self, name: CameraName | None) -> None:
        """Count one watcher less."""
        if name is None:
            self._mosaic_watchers -= 1
        else:
            self._watchers[name] -= 1
            self._watchers += Counter()  # only those above zero stay

    def watched(self, name: CameraName) -> bool:
        """Return whether somebody here watches a camera."""
        return self._mosaic_watchers > 0 or self._watchers[name] > 0

    def failure(self, name: CameraName | None) -> str:
        """Return why a camera has no picture; None: why one of them has none. Else nothing."""
        wanted = self._failed if name is None else {name: self._failed.get(name, "")}
        return next((why for each, why in wanted.items() if why and each not in self.pictures), "")

    def visible(self, name: CameraName | None) -> bool:
        """Return whether a camera has a picture since somebody watches it.

        None: whether each that was offered has one.
        """
        if name is None:
            return not self._due  # with no camera at all, it is black
        return name in self.pictures and name not in self._due

    # -- pictures ----------------------------------------------------------------------------

    def offer(self, name: CameraName, request: ShotRequest) -> None:
        """Have a camera's next shot drawn if somebody watches; else keep it until somebody does."""
        if name not in self._slots:
            if request.done:
                request.done(None)
            return
        watched = self.watched(name)
        if not watched:
            self._requests[name] = ShotRequest(request.order)
        if request.done or watched or self.pool.remote_count:
            self._submit(name, request)

    def encode(self, raster: Raster, done: Callable[[bytes | None], None]) -> None:
        """Have a worker make a JPEG of ``raster``; ``done`` gets it, or None if that failed."""

        def finish(answer: Answer) -> None:
            done(answer.body if isinstance(answer, Picture) else None)

        order = Encode(-1, self.pool.quality, raster.payload())
        self.pool.submit(RenderJob(object(), order, finish))

    def _submit(self, name: CameraName, request: ShotRequest) -> None:
        slot, wanted = self._slots[name], self.watched(name) or request.done is not None
        order = request.order(wanted)

        def finish(answer: Answer) -> None:
            if answer is not None:
                self._due.discard(name)
            if isinstance(answer, Picture) and wanted:
                self._store(slot, order.time, answer)
            elif isinstance(answer, Failed):
                self._log_failure(slot, answer.reason)
            elif answer is None and wanted:
                self.dropped[name] += 1
            if request.done:
                request.done(answer)

        self.pool.submit(RenderJob(name, order, finish), slot.tile)

    def _store(self, slot: CameraSlot, time: float, picture: Picture) -> None:
        """Keep a new picture, unless its camera has gone."""
        if self._slots.get(slot.name) != slot:
            return
        drawn = DrawnPicture(time, picture.body[: picture.raw], picture.body[picture.raw :])
        try:
            raster = drawn.raster
            if (raster.width, raster.height) != (slot.width, slot.height):
                raise BadValue(f"a picture of {raster.width} x {raster.height} pixels")
        except BadValue as error:
            self._log_failure(slot, str(error))
            return
        self.pictures[slot.name] = drawn
        self.drawn[slot.name] += 1
        self._failed.pop(slot.name, None)
        self.mosaic.show(slot, raster)
        self._notify()

    def _log_failure(self, slot: CameraSlot, reason: str) -> None:
        """Log once what is wrong with a camera, until that changes."""
        if self._failed.get(slot.name) != reason:
            self._failed[slot.name] = reason
            _LOG.error("'%s' of '%s' cannot be drawn: %s", slot.camera, slot.robot, reason)
            self._notify()

    def _notify(self) -> None:
        for listener in tuple(self.listeners):
            listener()
