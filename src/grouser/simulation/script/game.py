"""How a game stands: a frozen record, changed only by the referee."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

State = Literal["initial", "ready", "set", "playing", "finished"]
"""As RoboCup's game controller calls them: nothing yet; walk to your places; stand still; play; it
is over."""


@dataclass(frozen=True)
class Game:
    """How a game stands."""

    kicking: str
    """The team that kicks off next, or did last."""
    score: Mapping[str, int]
    """Goals by team, in the match's order."""
    state: State = "initial"
    since: float = 0.0
    """Simulated time at which that began, s."""
    half: int = 1
    played: float = 0.0
    """How much of the half was played until `since`, s."""
    calls: int = 0
    """How many calls of the referee a clock was set for."""
    clock: int = 0
    """The call whose clock ends this state; earlier ones count no more."""
    out: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """Robots that are taken out, and the call whose clock brings them back."""
    thrown: float = -math.inf
    """When a ball was last put back, s."""

    @property
    def changed(self) -> bool:
        """Whether the teams have changed ends."""
        return self.half == 2

    def elapsed(self, time: float) -> float:
        """Return how much of the half has been played at ``time``, s."""
        return self.played + (time - self.since if self.state == "playing" else 0.0)

    @property
    def result(self) -> str:
        """The score in words: ``red 1 : 0 blue``."""
        (one, goals), (two, others) = self.score.items()
        return f"{one} {goals} : {others} {two}"

    def summary(self, time: float) -> str:
        """Return how it stands at ``time``, in one line for people."""
        parts = [f"half {self.half}", f"{self.elapsed(time):.0f} s played", self.result]
        if self.state in ("initial", "ready", "set"):
            parts.append(f"{self.kicking} kicks off")
        if self.out:
            parts.append(f"{' and '.join(self.out)} out")
        return f"{self.state}: {', '.join(parts)}"
