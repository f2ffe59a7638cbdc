"""Lockstep: whom the world waits for. Counted in physics steps, so nothing drifts."""

from __future__ import annotations

from dataclasses import dataclass

LONGEST_TURN = 3600.0
"""Simulated seconds from one turn of somebody to the next, at most."""


@dataclass
class _Player:
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
        self._needed = players
        self._players: dict[str, _Player] = {}

    def __bool__(self) -> bool:
        """Whether there is anybody to wait for."""
        return bool(self._players)

    def __contains__(self, name: str | None) -> bool:
        return name in self._players

    def enter(self, name: str, every: int, now: int) -> None:
        """Wait for ``name`` every ``every`` steps, for the first time at the step ``now``."""
        self._players[name] = _Player(every, now)

    def leave(self, name: str) -> None:
        """Wait for ``name`` no more."""
        self._players.pop(name, None)

    def end_turn(self, name: str) -> None:
        """Let ``name``'s turn be over."""
        player = self._players[name]
        player.due += player.every
        player.thinking = False

    def restart(self, now: int) -> None:
        """Let everybody's turn begin at the step ``now``: the world started over."""
        for player in self._players.values():
            player.due, player.thinking = now, False

    def has_turn(self, name: str) -> bool:
        """Return whether it is ``name``'s turn."""
        return name in self._players and self._players[name].thinking

    @property
    def open(self) -> bool:
        """Whether time may pass: enough players are there, and it is nobody's turn."""
        if len(self._players) < self._needed:
            return False
        self._needed = 0  # the game has begun: whoever leaves now does not stop it
        return not any(player.thinking for player in self._players.values())

    def turns(self) -> dict[str, int]:
        """Return whose turn it is, and since which step."""
        return {name: player.due for name, player in self._players.items() if player.thinking}

    @property
    def awaited(self) -> str:
        """For whom the world waits, in words; empty: for nobody."""
        missing = self._needed - len(self._players)
        if missing > 0:
            return f"{missing} more {'player' if missing == 1 else 'players'}"
        return ", ".join(sorted(self.turns()))

    def next_turn(self) -> int | None:
        """Return the step at which somebody's turn will begin; None: the world waits for nobody."""
        waiting = (player.due for player in self._players.values() if not player.thinking)
        return min(waiting, default=None)

    def begin_turns(self, now: int) -> list[str]:
        """Let every turn begin that is due at the step ``now``; return whose, by name."""
        begun = sorted(
            name
            for name, player in self._players.items()
            if not player.thinking and player.due <= now
        )
        for name in begun:
            self._players[name].thinking = True
        return begun
