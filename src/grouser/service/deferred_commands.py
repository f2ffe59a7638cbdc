"""What a client in lockstep has sent and what is not carried out yet: turn by turn."""

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
