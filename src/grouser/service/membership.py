"""Membership: robots and objects that join or leave a running world.

The new scene is compiled in the background where that is possible, else synchronously.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Hashable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar

from grouser.errors import BadValue, nearest
from grouser.service.background_composer import BackgroundComposer, SceneNotReady
from grouser.simulation.changes.actions import Action
from grouser.simulation.changes.placement import arrival_spot, stands_free
from grouser.simulation.scene_state import SceneState
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World

_Made = TypeVar("_Made")

_LOG = logging.getLogger(__name__)


class Membership:
    """Adds and removes robots and objects; a call that raises has changed nothing.

    Args:
        simulation: the running world.
        composer: compiles scenes in the background; None: synchronously.
        changed: called after the scene was replaced.
    """

    def __init__(
        self,
        simulation: Simulation,
        composer: BackgroundComposer | None,
        changed: Callable[[], None],
    ) -> None:
        self._simulation, self._composer, self._changed = simulation, composer, changed
        if composer:
            simulation.scene_builder = composer
        self._departing: set[str] = set()
        self._waits = False

    @property
    def departing(self) -> Collection[str]:
        """Robots and objects that are removed once the scene without them is compiled."""
        return self._departing

    def flush_departures(self) -> None:
        """Remove all robots whose clients have left; raise `SceneNotReady` until then."""
        if self._departing:
            self._remove_now()

    def change(self, action: Action, source: str = "server") -> None:
        """Apply ``action`` for ``source``; raise `SceneNotReady` while a scene compiles."""
        with self._deferring():
            self._simulation.apply(action, source=source)
        self._changed()

    def arrive(self, entry: RobotEntry, source: str) -> RobotEntry:
        """Add a robot at its place or at the nearest free spot; return its actual entry.

        Raises:
            BadValue: the place is occupied, and no spot near it is free.
            SceneNotReady: the scene with it is not compiled yet.
        """
        simulation = self._simulation
        with self._deferring():
            tried = simulation.prepare_join(entry)
            free = stands_free(tried, entry.name)
            if not free:
                entry = self._move_to_free_spot(tried, entry)
                tried = simulation.prepare_join(entry)
        if not free and not stands_free(tried, entry.name):  # another robot moved there meanwhile
            entry = at_free_spot(tried, entry)
            tried = simulation.prepare_join(entry)
        simulation.commit_join(entry, tried, source=source)
        self._changed()
        return entry

    def _move_to_free_spot(self, tried: SceneState, entry: RobotEntry) -> RobotEntry:
        """Return ``entry`` moved to the nearest spot that is free in ``tried``; cached."""

        def search() -> RobotEntry:
            return at_free_spot(tried, entry)

        if self._composer is None:
            return search()
        moved: RobotEntry = self._composer.compute(
            (entry.name, entry.position), search, lasting=False
        )
        return moved

    def compute(self, key: Hashable, make: Callable[[], _Made]) -> _Made:
        """Return the result of the slow ``make``, by ``key``; `SceneNotReady` meanwhile."""
        if self._composer is None:
            return make()
        with self._composer.deferring():
            made: _Made = self._composer.compute(key, make)
        return made

    def remove(self, names: Collection[str], source: str = "server") -> None:
        """Remove robots and objects, all at once; raise `SceneNotReady` as `change`."""
        with self._deferring():
            self._simulation.remove(names, source=source)
        self._changed()

    def remove_soon(self, names: Iterable[str]) -> None:
        """Remove robots and objects as soon as the scene without them is compiled."""
        self._departing.update(names)
        self._remove_departing()

    def _remove_departing(self) -> None:
        try:
            self._remove_now()
        except SceneNotReady:
            if self._composer and not self._waits:
                self._waits = True
                self._composer.call_when_ready(self._remove_again)

    def _remove_again(self, cost: float) -> None:
        self._waits = False
        try:
            self._remove_departing()
        except Exception:  # clients wait for their scenes after this one
            _LOG.exception("robots of closed connections could not be removed")

    def _remove_now(self) -> None:
        world = self._simulation.world
        there = {member.name for member in (*world.robots, *world.objects)}
        self.remove(sorted(self._departing & there))
        self._departing.clear()

    def _deferring(self) -> AbstractContextManager[None]:
        return self._composer.deferring() if self._composer else nullcontext()


def check_match_roster(world: World, name: str) -> None:
    """Raise `BadValue` if a match is played and the world has no robot ``name``."""
    # The referee places the robots of a match; one outside the teams would get no place.
    there = [entry.name for entry in world.robots]
    if world.match is not None and name not in there:
        raise BadValue(
            f"'{name}' is not in this match (there are: {', '.join(sorted(there))})"
            f"{nearest(name, there)}"
        )


def at_free_spot(tried: SceneState, entry: RobotEntry) -> RobotEntry:
    """Return ``entry``, moved to the nearest spot that is free in ``tried`` if it has to be."""
    move = arrival_spot(tried, entry.name)
    x, y, z = entry.position
    if move is None:
        raise BadValue(
            f"'{entry.name}' would be inside something at {x:.2f}, {y:.2f}, {z:.2f} m, and no "
            "spot near is free"
        )
    if not move.any():
        return entry
    x, y, z = (float(a + b) for a, b in zip(entry.position, move, strict=True))
    return entry.model_copy(update={"position": (x, y, z)})
