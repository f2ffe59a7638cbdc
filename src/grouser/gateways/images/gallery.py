"""The newest picture of every camera, and all of them in one; drawn for those who look.

Pictures come by themselves, one by one and whole, from eyes. A camera's newest moment waits until
its eye has time; older ones are dropped and counted. Nothing is drawn while nobody looks.
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
from grouser.gateways.images.render_pool import Eyes
from grouser.gateways.images.tiles import UDK, CameraTile, Layout, Name, Seat
from grouser.gateways.images.worker_channel import Answer, Job
from grouser.protocol.rendering import Encode, Failed, Picture, Shoot

_LOG = logging.getLogger("grouser.gateways.images.views")


@dataclass(frozen=True)
class Shown:
    """A picture that was drawn."""

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
class Offer:
    """A moment that can be drawn."""

    order: Callable[[bool], Shoot]
    """Returns the order, told whether the picture is wanted here."""
    done: Callable[[Answer], None] | None = None
    """Somebody waits for this very picture."""


class Gallery:
    """Pictures of many cameras; those of a simulation: `grouser.gateways.images.views.Views`."""

    def __init__(self, eyes: Eyes, layout: Layout = UDK) -> None:
        """Show what ``eyes`` draw.

        Args:
            eyes: those who draw.
            layout: of the mosaic.
        """
        self.eyes = eyes
        self.mosaic = Mosaic(layout)
        self.pictures: dict[Name, Shown] = {}
        """The newest of each camera; none before the first was drawn."""
        self.drawn: Counter[Name] = Counter()
        """Pictures of each camera so far."""
        self.dropped: Counter[Name] = Counter()
        """Moments of each camera that were wanted and never drawn, because a newer one came."""
        self.listeners: set[Callable[[], None]] = set()
        """Called when there is something new to see."""
        self._seats: dict[Name, Seat] = {}
        self._offers: dict[Name, Offer] = {}
        self._watchers: Counter[Name] = Counter()
        self._everything = 0
        self._due: set[Name] = set()
        """Cameras that somebody began to look at, whose first picture is not there yet."""
        self._failed: dict[Name, str] = {}

    # -- who is there ------------------------------------------------------------------------

    @property
    def seats(self) -> Collection[Seat]:
        """All cameras."""
        return self._seats.values()

    def seat(self, seats: Iterable[Seat], layout: Layout | None = None) -> None:
        """Go on with these cameras; who keeps its seat keeps its picture.

        Args:
            seats: all cameras.
            layout: of the mosaic from now on; None: as before.
        """
        if layout is not None and layout != self.mosaic.layout:
            self.seat(())
            self.mosaic = Mosaic(layout)
        before, self._seats = self._seats, {seat.name: seat for seat in seats}
        self.mosaic.arrange(before.values(), self._seats.values())
        self._offers.clear()
        self._due &= self._seats.keys()
        for name, seat in before.items():
            if self._seats.get(name) != seat:
                self.pictures.pop(name, None)
        self._changed()

    def find(self, key: str, camera: str = "") -> Seat | None:
        """Return the seat of the robot with this ``key``: its first, or that of ``camera``."""
        own = [
            seat
            for seat in sorted(self.seats, key=lambda seat: seat.tile)
            if hmac.compare_digest(seat.key.encode(), key.encode("utf-8", "replace"))
        ]
        return next((seat for seat in own if camera in ("", seat.camera)), None)

    def tiles(self, robot: str) -> dict[str, CameraTile]:
        """Return where each camera of a robot is in the mosaic."""
        place = self.mosaic.layout.place
        return {seat.camera: place(seat) for seat in self.seats if seat.robot == robot}

    # -- who looks ---------------------------------------------------------------------------

    def watch(self, name: Name | None) -> None:
        """Somebody looks at a camera; None: at all of them."""
        if name is None:
            self._everything += 1
        else:
            self._watchers[name] += 1
        for unseen in [name] if name else list(self._offers):
            if unseen in self._offers:  # newer than the last picture: nobody looked meanwhile
                self._due.add(unseen)
                self._ask(unseen, self._offers.pop(unseen))

    def unwatch(self, name: Name | None) -> None:
        """Somebody looks no more."""
        if name is None:
            self._everything -= 1
        else:
            self._watchers[name] -= 1
            self._watchers += Counter()  # only those above zero stay

    def watched(self, name: Name) -> bool:
        """Say whether somebody here looks at a camera."""
        return self._everything > 0 or self._watchers[name] > 0

    def visible(self, name: Name | None) -> bool:
        """Say whether a camera (None: each that was offered) has a picture since somebody looks."""
        if name is None:
            return not self._due  # with no camera at all, it is black
        return name in self.pictures and name not in self._due

    # -- what they see -----------------------------------------------------------------------

    def show(self, name: Name, offer: Offer) -> None:
        """Take the next moment of a camera; it is drawn if somebody looks."""
        if name not in self._seats:
            if offer.done:
                offer.done(None)
            return
        looked_at = self.watched(name)
        if not looked_at:
            self._offers[name] = Offer(offer.order)
        if offer.done or looked_at or self.eyes.far:
            self._ask(name, offer)

    def encode(self, raster: Raster, done: Callable[[bytes | None], None]) -> None:
        """Let an eye make a JPEG of ``raster``; ``done`` gets it, or None if that failed."""

        def finish(answer: Answer) -> None:
            done(answer.body if isinstance(answer, Picture) else None)

        order = Encode(-1, self.eyes.quality, raster.payload())
        self.eyes.ask(Job(object(), order, finish))

    def _ask(self, name: Name, offer: Offer) -> None:
        seat, wanted = self._seats[name], self.watched(name) or offer.done is not None
        order = offer.order(wanted)

        def finish(answer: Answer) -> None:
            if answer is not None:
                self._due.discard(name)
            if isinstance(answer, Picture) and wanted:
                self._take(seat, order.time, answer)
            elif isinstance(answer, Failed):
                self._complain(seat, answer.reason)
            elif answer is None and wanted:
                self.dropped[name] += 1
            if offer.done:
                offer.done(answer)

        self.eyes.ask(Job(name, order, finish), seat.tile)

    def _take(self, seat: Seat, time: float, picture: Picture) -> None:
        """Hang a new picture up, unless its camera has gone."""
        if self._seats.get(seat.name) != seat:
            return
        shown = Shown(time, picture.body[: picture.raw], picture.body[picture.raw :])
        try:
            raster = shown.raster
            if (raster.width, raster.height) != (seat.width, seat.height):
                raise BadValue(f"a picture of {raster.width} x {raster.height} pixels")
        except BadValue as error:
            self._complain(seat, str(error))
            return
        self.pictures[seat.name] = shown
        self.drawn[seat.name] += 1
        self._failed.pop(seat.name, None)
        self.mosaic.show(seat, raster)
        self._changed()

    def _complain(self, seat: Seat, reason: str) -> None:
        """Say once what is wrong with a camera, until that changes."""
        if self._failed.get(seat.name) != reason:
            self._failed[seat.name] = reason
            _LOG.error("'%s' of '%s' cannot be drawn: %s", seat.camera, seat.robot, reason)

    def _changed(self) -> None:
        for listener in tuple(self.listeners):
            listener()
