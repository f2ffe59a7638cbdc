"""Lockstep: clients in turns, for which simulated time stands still; counted in physics steps."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from grouser.errors import BadValue

LONGEST_TURN = 3600.0
"""Longest simulated time from one turn of a client to its next, s."""
MOST = 10_000
"""Deferred commands of one client."""


@dataclass
class _Player:
    """One client in lockstep."""

    every: int
    """Steps from one turn to the next."""
    due: int
    """Step at which the present turn began, or the next one will."""
    in_turn: bool = True


class Lockstep:
    """Clients in lockstep, by the names of their robots.

    Args:
        players: number of clients in lockstep before time begins to pass.
    """

    def __init__(self, players: int = 0) -> None:
        self._needed = players
        self._players: dict[str, _Player] = {}

    def __bool__(self) -> bool:
        """Return True if any client is in lockstep."""
        return bool(self._players)

    def __contains__(self, name: str | None) -> bool:
        return name in self._players

    def enter(self, name: str, every: int, now: int) -> None:
        """Give ``name`` a turn every ``every`` steps, the first one at the step ``now``."""
        self._players[name] = _Player(every, now)

    def leave(self, name: str) -> None:
        """Remove ``name``; no effect if it is not in lockstep."""
        self._players.pop(name, None)

    def end_turn(self, name: str) -> None:
        """End the turn of ``name``."""
        player = self._players[name]
        player.due += player.every
        player.in_turn = False

    def restart(self, now: int) -> None:
        """Let all turns begin at the step ``now``, as after a reset of the world."""
        for player in self._players.values():
            player.due, player.in_turn = now, False

    def has_turn(self, name: str) -> bool:
        """Return True if ``name`` is in its turn."""
        return name in self._players and self._players[name].in_turn

    @property
    def open(self) -> bool:
        """True if time may pass: enough clients have entered, and none is in its turn."""
        if len(self._players) < self._needed:
            return False
        self._needed = 0  # once begun, a client that leaves does not stop the run
        return not any(player.in_turn for player in self._players.values())

    def turns(self) -> dict[str, int]:
        """Return client in its turn -> step at which the turn began."""
        return {name: player.due for name, player in self._players.items() if player.in_turn}

    @property
    def awaited(self) -> str:
        """Clients for which time stands still, as text; empty: none."""
        missing = self._needed - len(self._players)
        if missing > 0:
            return f"{missing} more {'player' if missing == 1 else 'players'}"
        return ", ".join(sorted(self.turns()))

    def next_turn(self) -> int | None:
        """Return the step at which the next turn begins; None: no turn is due."""
        waiting = (player.due for player in self._players.values() if not player.in_turn)
        return min(waiting, default=None)

    def begin_turns(self, now: int) -> list[str]:
        """Begin all turns that are due at the step ``now``; return their clients, sorted."""
        begun = sorted(
            name
            for name, player in self._players.items()
            if not player.in_turn and player.due <= now
        )
        for name in begun:
            self._players[name].in_turn = True
        return begun


@dataclass(frozen=True)
class DeferredCommand:
    """Command that is executed at the end of a turn."""

    action: Callable[[], None] | None
    """None: the command only ends a turn."""
    ends_turn: bool = False
    """True if the command ends a turn in every mode."""
    moves: bool = False
    """True if the command ends a turn in the mode ``by_command``."""


class DeferredCommands:
    """Queue of the commands of one client in lockstep: those of this turn, then of later ones."""

    def __init__(self) -> None:
        self.by_command = False
        """True if any motion command ends a turn."""
        self._later: deque[DeferredCommand] = deque()
        self._actions: list[Callable[[], None]] = []

    def __bool__(self) -> bool:
        """Return True if commands wait that are not assigned to a turn yet."""
        return bool(self._later)

    def add(self, command: DeferredCommand) -> None:
        """Append ``command``; raise `BadValue` if the queue is full."""
        if len(self._later) + len(self._actions) >= MOST:
            raise BadValue(f"{MOST} commands wait for the end of a turn already")
        self._later.append(command)

    def fill_turn(self) -> bool:
        """Assign waiting commands to the present turn; return True if one of them ends it."""
        while self._later:
            command = self._later.popleft()
            if command.action:
                self._actions.append(command.action)
            if command.ends_turn or (self.by_command and command.moves):
                return True
        return False

    def pop_turn(self) -> list[Callable[[], None]]:
        """Remove and return the actions of the present turn."""
        actions, self._actions = self._actions, []
        return actions

    def pop_all(self) -> list[Callable[[], None]]:
        """Remove and return all actions, as when a client leaves lockstep."""
        later = [command.action for command in self._later if command.action]
        self._later.clear()
        return self.pop_turn() + later
