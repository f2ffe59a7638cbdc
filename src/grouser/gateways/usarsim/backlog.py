"""The backlog of a client in lockstep: what it has said and what is not done yet."""

from __future__ import annotations

from collections import deque

from grouser.errors import BadValue
from grouser.protocol.usarsim.extensions import Step
from grouser.protocol.usarsim.message import Message
from grouser.protocol.usarsim.turns import ends_turn

MOST = 10_000
"""Messages that may wait."""


class Backlog:
    """Messages that belong to this turn's end, and behind them those of turns to come."""

    def __init__(self) -> None:
        """Start with nothing; only STEP ends a turn."""
        self.by_command = False
        """Whether any command that moves ends a turn as well."""
        self._said: deque[Message] = deque()
        self._deeds: list[Message] = []

    def __bool__(self) -> bool:
        """Whether something was said that no turn has taken yet."""
        return bool(self._said)

    def add(self, message: Message) -> None:
        """Put off ``message``; raise `BadValue` if too much waits already."""
        if len(self._said) + len(self._deeds) >= MOST:
            raise BadValue(f"{MOST} commands wait for the end of a turn already")
        self._said.append(message)

    def turn(self) -> bool:
        """Take what was said into the present turn; return whether something ended it."""
        while self._said:
            message = self._said.popleft()
            if not isinstance(message, Step):
                self._deeds.append(message)
            if ends_turn(message, self.by_command):
                return True
        return False

    def deeds(self) -> list[Message]:
        """Take what is to be done now that everybody's turn is over."""
        deeds, self._deeds = self._deeds, []
        return deeds

    def everything(self) -> list[Message]:
        """Take all that is to be done by somebody who has no turns any more."""
        said = [message for message in self._said if not isinstance(message, Step)]
        self._said.clear()
        return self.deeds() + said
