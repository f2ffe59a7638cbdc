"""Lockstep: whom the world waits for. Counted in physics steps, so nothing drifts."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from grouser.errors import BadValue

MOST = 10_000
"""Commands that may wait."""


@dataclass(frozen=True)
class DeferredCommand:
    """Something to be carried out at the end of a turn."""

    action: Callable[[], None] | None
    """None: nothing, it only ends a turn."""
    ends_turn: bool = False
    """Whether it ends a turn whatever was agreed on."""
    moves: bool = False
    """Whether it ends a turn where every command that moves does."""


class DeferredCommands:
    """Commands that belong to this turn's end, and behind them those of turns to come."""

    def __init__(self) -> None:
        """Start with none."""
        self.by_command = False
        """Whether any command that moves ends a turn as well."""
        self._coming: deque[DeferredCommand] = deque()
        self._actions: list[Callable[[], None]] = []

    def __bool__(self) -> bool:
        """Whether something came that no turn has taken yet."""
        return bool(self._coming)

    def add(self, command: DeferredCommand) -> None:
        """Put off ``command``; raise `BadValue` if too much waits already."""
        if len(self._coming) + len(self._actions) >= MOST:
            raise BadValue(f"{MOST} commands wait for the end of a turn already")
        self._coming.append(command)

    def fill_turn(self) -> bool:
        """Take what came into the present turn; return whether something ended it."""
        while self._coming:
            command = self._coming.popleft()
            if command.action:
                self._actions.append(command.action)
            if command.ends_turn or (self.by_command and command.moves):
                return True
        return False

    def pop_turn(self) -> list[Callable[[], None]]:
        """Return and forget what is to be done now that everybody's turn is over."""
        actions, self._actions = self._actions, []
        return actions

    def pop_all(self) -> list[Callable[[], None]]:
        """Return and forget all that is to be done by somebody who has no turns any more."""
        coming = [command.action for command in self._coming if command.action]
        self._coming.clear()
        return self.pop_turn() + coming


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
