"""What scripts and guards see of the simulation that runs them."""

from __future__ import annotations

from typing import Protocol

from grouser.frames import Pose
from grouser.simulation.changes.actions import Action
from grouser.simulation.live_scene import LiveScene
from grouser.world.file import World


class RunningWorld(Protocol):
    """A world in which time passes and actions are carried out: a `Simulation`."""

    @property
    def live(self) -> LiveScene:
        """The scene that runs now; another one after somebody has joined or left."""
        ...

    @property
    def world(self) -> World:
        """The world as it is now."""
        ...

    @property
    def time(self) -> float:
        """Simulated time, s."""
        ...

    def do(self, action: Action) -> None:
        """Carry out ``action`` now."""
        ...

    def schedule(self, time: float, action: Action) -> None:
        """Carry out ``action`` when simulated time reaches ``time`` (s)."""
        ...

    def pose(self, name: str) -> Pose:
        """Return where a robot's root or an object is now, X_WB."""
        ...
