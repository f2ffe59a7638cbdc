"""Latest picture of every camera, drawn on demand.

Pictures come from a render pool and are also pasted into the `Mosaic`. Only the newest shot of a
camera waits for its worker; older ones are dropped and counted. A camera without watchers is not
drawn.
"""

from __future__ import annotations

import hmac
import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from grouser.errors import BadValue
from grouser.gateways.images.mosaic import UDK_LAYOUT, CameraName, CameraSlot, Layout, Mosaic
from grouser.gateways.images.render_pool import RenderPool
from grouser.protocol.rendering import Encode, Failed, Picture, Shoot
from grouser.render_workers.raster import Raster
from grouser.render_workers.worker_pool import Answer, RenderJob

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class DrawnPicture:
    """Drawn picture of a camera."""

    time: float
    """Simulated time, s."""
    raw: bytes
    """Payload of a raw frame."""
    jpeg: bytes
    """JPEG file; empty if none is served."""

    @property
    def raster(self) -> Raster:
        """Pixels."""
        return Raster.of(self.raw)


@dataclass(frozen=True)
class ShotRequest:
    """Shot of one camera that may be drawn."""

    order: Callable[[bool], Shoot]
    """Returns the order for a worker; the argument is `Shoot.back`."""
    done: Callable[[Answer], None] | None = None
    """Called with the result, if the caller needs this very picture."""


class LatestFrames:
    """Latest pictures of many cameras; `Views` feeds it with the shots of a simulation."""

    def __init__(self, pool: RenderPool, layout: Layout = UDK_LAYOUT) -> None:
        """Start without cameras.

        Args:
            pool: draws the pictures.
            layout: layout of the mosaic.
        """
        self.pool = pool
        self.mosaic = Mosaic(layout)
        self.pictures: dict[CameraName, DrawnPicture] = {}
        """Latest picture of each camera that has one."""
        self.drawn: Counter[CameraName] = Counter()
        """Number of pictures of each camera."""
        self.dropped: Counter[CameraName] = Counter()
        """Number of watched shots of each camera that were dropped for a newer one."""
        self.listeners: set[Callable[[], None]] = set()
        """Called after each change."""
        self._slots: dict[CameraName, CameraSlot] = {}
        self._requests: dict[CameraName, ShotRequest] = {}
        self._watchers: Counter[CameraName] = Counter()
        self._mosaic_watchers = 0
        self._due: set[CameraName] = set()
        """Newly watched cameras whose first picture is pending."""
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
            layout: new layout of the mosaic; None: unchanged.
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
        """Return a slot of the robot with this ``key``: the first, or that of ``camera``."""
        own = [
            slot
            for slot in sorted(self.slots, key=lambda slot: slot.tile)
            if hmac.compare_digest(slot.key.encode(), key.encode("utf-8", "replace"))
        ]
        return next((slot for slot in own if camera in ("", slot.camera)), None)

    # -- watchers ----------------------------------------------------------------------------

    def watch(self, name: CameraName | None) -> None:
        """Add a watcher of a camera; None: of the mosaic."""
        if name is None:
            self._mosaic_watchers += 1
        else:
            self._watchers[name] += 1
        for undrawn in [name] if name else list(self._requests):
            if undrawn in self._requests:  # newer than the last picture
                self._due.add(undrawn)
                self._submit(undrawn, self._requests.pop(undrawn))

    def unwatch(self, name: CameraName | None) -> None:
        """Remove a watcher of a camera; None: of the mosaic."""
        if name is None:
            self._mosaic_watchers -= 1
        else:
            self._watchers[name] -= 1
            self._watchers += Counter()  # drops counts of zero

    def is_watched(self, name: CameraName) -> bool:
        """Return True if a camera, or the mosaic, has a watcher."""
        return self._mosaic_watchers > 0 or self._watchers[name] > 0

    def failure(self, name: CameraName | None) -> str:
        """Return the reason why a camera, or any (None), has no picture; empty if there is none."""
        wanted = self._failed if name is None else {name: self._failed.get(name, "")}
        return next((why for each, why in wanted.items() if why and each not in self.pictures), "")

    def is_current(self, name: CameraName | None) -> bool:
        """Return True if a camera has a picture drawn since it is watched; None: all cameras."""
        if name is None:
            return not self._due  # without cameras the mosaic is black
        return name in self.pictures and name not in self._due

    # -- pictures ----------------------------------------------------------------------------

    def offer(self, name: CameraName, request: ShotRequest) -> None:
        """Draw the next shot of a camera if it is watched; else store it for the next watcher."""
        if name not in self._slots:
            if request.done:
                request.done(None)
            return
        watched = self.is_watched(name)
        if not watched:
            self._requests[name] = ShotRequest(request.order)
        if request.done or watched or self.pool.attached_count:
            self._submit(name, request)

    def encode(self, raster: Raster, done: Callable[[bytes | None], None]) -> None:
        """Encode ``raster`` as JPEG in a worker; ``done`` is called with it, or None on failure."""

        def finish(answer: Answer) -> None:
            done(answer.body if isinstance(answer, Picture) else None)

        order = Encode(-1, self.pool.quality, raster.payload())
        self.pool.submit(RenderJob(object(), order, finish))

    def _submit(self, name: CameraName, request: ShotRequest) -> None:
        slot, wanted = self._slots[name], self.is_watched(name) or request.done is not None
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
        """Store a new picture, unless its camera was removed."""
        if self._slots.get(slot.name) != slot:
            return
        drawn = DrawnPicture(time, picture.body[: picture.raw], picture.body[picture.raw :])
        try:
            raster = drawn.raster
            if (raster.width, raster.height) != (slot.width, slot.height):
                raise BadValue(
                    f"picture of {raster.width} x {raster.height} pixels, "
                    f"must be {slot.width} x {slot.height}"
                )
        except BadValue as error:
            self._log_failure(slot, str(error))
            return
        self.pictures[slot.name] = drawn
        self.drawn[slot.name] += 1
        self._failed.pop(slot.name, None)
        self.mosaic.show(slot, raster)
        self._notify()

    def _log_failure(self, slot: CameraSlot, reason: str) -> None:
        """Log the failure of a camera once, until its reason changes."""
        if self._failed.get(slot.name) != reason:
            self._failed[slot.name] = reason
            _LOG.error("'%s' of '%s' cannot be drawn: %s", slot.camera, slot.robot, reason)
            self._notify()

    def _notify(self) -> None:
        for listener in tuple(self.listeners):
            listener()
