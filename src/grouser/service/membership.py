"""Who joins and leaves a running world: composed aside where that is possible, else on the spot."""

from __future__ import annotations

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


def check_match_roster(world: World, name: str) -> None:
    """Refuse a newcomer to a match who is not one of the world's own robots.

    Args:
        world: as it is now.
        name: of the robot that somebody wants to have.

    Raises:
        BadValue: a match is played here, and nobody of this name is in it.
    """
    there = [entry.name for entry in world.robots]
    if world.match is not None and name not in there:
        raise BadValue(
            f"nobody called '{name}' plays in this match (there are: {', '.join(sorted(there))})"
            f"{nearest(name, there)}"
        )


_Made = TypeVar("_Made")


class Membership:
    """Changes who is in a simulation's world; what raises has changed nothing.

    Args:
        simulation: whose world it is.
        composer: makes worlds ready aside; None: time stands still meanwhile.
        changed: called when another world runs.
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

    def flush_departures(self) -> None:
        """See to it that everybody who has left is out of the world by now.

        Raises:
            SceneNotReady: a world without them is not ready yet.
        """
        if self._departing:
            self._remove_now()

    def change(self, action: Action) -> None:
        """Carry out ``action``; raise `SceneNotReady` if it needs a world that is not ready yet."""
        with self._aside():
            self._simulation.apply(action)
        self._changed()

    def arrive(self, entry: RobotEntry) -> RobotEntry:
        """Let a robot join where it is to, or at the nearest free spot; return what came.

        Raises:
            BadValue: it would be inside something, and so it would everywhere near.
            SceneNotReady: the world with it is not ready yet.
        """
        simulation = self._simulation
        with self._aside():
            tried = simulation.prepare_join(entry)
            free = stands_free(tried, entry.name)
            if not free:
                entry = self._moved(tried, entry)
                tried = simulation.prepare_join(entry)
        if not free and not stands_free(tried, entry.name):  # somebody went there meanwhile
            entry = at_free_spot(tried, entry)
            tried = simulation.prepare_join(entry)
        simulation.commit_join(entry, tried)
        self._changed()
        return entry

    def _moved(self, tried: SceneState, entry: RobotEntry) -> RobotEntry:
        """Return ``entry`` moved to the nearest spot that was free when it was looked for."""

        def search() -> RobotEntry:
            return at_free_spot(tried, entry)

        if self._composer is None:
            return search()
        moved: RobotEntry = self._composer.compute(
            (entry.name, entry.position), search, lasting=False
        )
        return moved

    def compute(self, key: Hashable, make: Callable[[], _Made]) -> _Made:
        """Return what ``make`` returns, which takes long; it is remembered by its ``key``.

        Raises:
            SceneNotReady: it is being made aside.
        """
        if self._composer is None:
            return make()
        with self._composer.aside():
            made: _Made = self._composer.compute(key, make)
        return made

    def remove(self, names: Collection[str]) -> None:
        """Take robots and objects out of the world, all at once; raise `SceneNotReady` as `change`."""
        with self._aside():
            self._simulation.remove(names)
        self._changed()

    def remove_soon(self, names: Iterable[str]) -> None:
        """Take robots and objects out of the world as soon as one without them is ready."""
        self._departing.update(names)
        self._remove_departing()

    def _remove_departing(self) -> None:
        try:
            self._remove_now()
        except SceneNotReady:
            assert self._composer is not None  # nobody else raises it
            if not self._waits:
                self._waits = True
                self._composer.call_when_ready(self._remove_again)

    def _remove_again(self, cost: float) -> None:
        self._waits = False
        self._remove_departing()

    def _remove_now(self) -> None:
        world = self._simulation.world
        there = {member.name for member in (*world.robots, *world.objects)}
        self.remove(sorted(self._departing & there))
        self._departing.clear()

    def _aside(self) -> AbstractContextManager[None]:
        return self._composer.aside() if self._composer else nullcontext()


def at_free_spot(tried: SceneState, entry: RobotEntry) -> RobotEntry:
    """Return ``entry`` if it is free where it stands in ``tried``, else moved to where it is.

    Raises:
        BadValue: it would be inside something, and so it would everywhere near.
    """
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
