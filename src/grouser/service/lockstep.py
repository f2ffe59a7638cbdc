"""Lockstep: whom the world waits for. Counted in physics steps, so nothing drifts."""

from __future__ import annotations

from dataclasses import dataclass

LONGEST_TURN = 3600.0
"""Simulated seconds from one turn of somebody to the next, at most."""


@dataclass
class _Turn:
    """One who is waited for."""

    every: int
    """Steps from one turn to the next."""
    due: int
    """The step at which the turn began, or will."""
    thinking: bool = True
    """Whether it is their turn now."""


class Lockstep:
    """Everybody the world waits for, by name.

    Args:
        players: how many there must be before time begins to pass.
    """

    def __init__(self, players: int = 0) -> None:
        self._players = players
        self._turns: dict[str, _Turn] = {}

    def __bool__(self) -> bool:
        """Whether there is anybody to wait for."""
        return bool(self._turns)

    def __contains__(self, name: str | None) -> bool:
        return name in self._turns

    def ask(self, name: str, every: int, now: int) -> None:
        """Wait for ``name`` every ``every`` steps, for the first time at the step ``now``."""
        self._turns[name] = _Turn(every, now)

    def leave(self, name: str) -> None:
        """Wait for ``name`` no more."""
        self._turns.pop(name, None)

    def end(self, name: str) -> None:
        """Let ``name``'s turn be over."""
        turn = self._turns[name]
        turn.due += turn.every
        turn.thinking = False

    def restart(self, now: int) -> None:
        """Let everybody's turn begin at the step ``now``: the world started over."""
        for turn in self._turns.values():
            turn.due, turn.thinking = now, False

    def thinking(self, name: str) -> bool:
        """Return whether it is ``name``'s turn."""
        return name in self._turns and self._turns[name].thinking

    @property
    def open(self) -> bool:
        """Whether time may pass: enough players are there, and it is nobody's turn."""
        if len(self._turns) < self._players:
            return False
        self._players = 0  # the game has begun: whoever leaves now does not stop it
        return not any(turn.thinking for turn in self._turns.values())

    def next(self) -> int | None:
        """Return the step at which somebody's turn will begin; None: the world waits for nobody."""
        return min((turn.due for turn in self._turns.values() if not turn.thinking), default=None)

    def begin(self, now: int) -> list[str]:
        """Let every turn begin that is due at the step ``now``; return whose, by name."""
        begun = sorted(
            name for name, turn in self._turns.items() if not turn.thinking and turn.due <= now
        )
        for name in begun:
            self._turns[name].thinking = True
        return begun
