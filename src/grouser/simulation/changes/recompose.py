"""A running world composed anew: somebody joined or left, or something fixed is elsewhere.

What takes long, composing and finding out who is where in both models, needs nothing but what does
not change while time passes: it may be done beforehand, also by another thread. What is left to be
done between two steps takes about as long as a step (`Recomposition.carry_over`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from grouser.simulation.live_scene import LiveScene
from grouser.simulation.scene import RobotShelf, Scene, compose, no_need
from grouser.simulation.transfer import StateTransfer, transfer_memory
from grouser.world.file import World

REMEMBERED = 2
"""Worlds that a `Recomposer` keeps ready: a robot's arrival may try out a second place."""


@dataclass(frozen=True, eq=False)
class Recomposition:
    """A world that is ready to take over from one that runs."""

    before: Scene
    """What runs until then."""
    world: World
    live: LiveScene
    """What will run."""
    _transfer: StateTransfer

    @staticmethod
    def prepare(
        before: Scene,
        world: World,
        shelf: RobotShelf | None = None,
        give_way: Callable[[], None] = no_need,
        look_ahead: Callable[[Scene], None] | None = None,
    ) -> Recomposition:
        """Make ``world`` ready to take over from ``before``; nothing in that is touched.

        Args:
            before: what runs.
            world: what will.
            shelf: as for `compose`.
            give_way: as for `compose`.
            look_ahead: called with what will run; makes ready what it can.
        """
        scene = compose(world, shelf=shelf, give_way=give_way)
        give_way()
        if look_ahead:
            look_ahead(scene)
            give_way()
        data = scene.initial()
        give_way()
        live = LiveScene.begin(scene, data)
        give_way()
        assert live.scratch is not None  # made now: a beat has no time for it
        assert live.movers.names is not None
        give_way()
        return Recomposition(before, world, live, StateTransfer(before.model, scene.model))

    def carry_over(self, live: LiveScene, *, started: bool) -> LiveScene:
        """Return the new world, in which everybody who is in ``live`` goes on and notices nothing.

        It may be called again later, with the same ``live``: only the last time counts.

        Args:
            live: what runs.
            started: whether time has passed; if not, nobody's order of coming leaves a trace.
        """
        after = self.live
        self._transfer.carry_over(live.model, live.data, after.model, after.data)
        if not started:
            after.data.qacc_warmstart[:] = 0.0
        transfer_memory(live.stepper, live.memory, after.stepper, after.memory)
        return after


class Recomposing(Protocol):
    """Whoever makes worlds ready for a simulation."""

    def prepare(
        self, before: Scene, world: World, look_ahead: Callable[[Scene], None]
    ) -> Recomposition:
        """Return ``world`` ready to take over from ``before``; see `Recomposition.prepare`."""
        ...

    def forget(self, before: LiveScene | None) -> None:
        """Let go of what is ready, and of what ran before: another world runs now."""


class Recomposer:
    """Makes worlds ready when they are asked for; one that was only tried out is kept."""

    def __init__(self) -> None:
        """Start with none."""
        self._ready: list[Recomposition] = []

    def prepare(
        self, before: Scene, world: World, look_ahead: Callable[[Scene], None]
    ) -> Recomposition:
        """Return ``world`` ready to take over from ``before``; see `Recomposition.prepare`."""
        found = self._find(before, world)
        if found is None:
            found = Recomposition.prepare(before, world)
            self._keep(found)
        return found

    def forget(self, before: LiveScene | None) -> None:
        """Let go of what is ready, and of what ran before: another world runs now."""
        self._ready.clear()

    def _find(self, before: Scene, world: World) -> Recomposition | None:
        return next(
            (one for one in self._ready if one.before is before and one.world == world), None
        )

    def _keep(self, ready: Recomposition) -> None:
        self._ready = [*self._ready[1 - REMEMBERED :], ready]
