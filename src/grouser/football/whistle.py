"""The referee's announcements as a player understands them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import get_args

from grouser.football.player_io import GameState, Whistle

STATES: tuple[GameState, ...] = get_args(GameState)


class WhistleReader:
    """Newest announcement for one robot, from the referee's messages."""

    def __init__(self, robot: str, team: str) -> None:
        self._robot, self._team = robot, team
        self.whistle = Whistle()

    def read(self, text: str) -> None:
        """Read a message, such as ``set: blue kicks off, half 1, red 0 : 0 blue``."""
        word, _, rest = text.partition(": ")
        for state in STATES:
            if word == state:
                self.whistle = replace(self.whistle, state=state)
        if half := re.search(r"\bhalf ([12])\b", rest):
            self.whistle = replace(self.whistle, half=int(half[1]))
        if kicker := re.search(r"(\S+) kicks off", rest):
            self.whistle = replace(self.whistle, own_kickoff=kicker[1] == self._team)
        if word == "penalty" and rest.split()[0] == self._robot:
            self.whistle = replace(self.whistle, penalized=True)
        if word == "back" and rest.split()[0] == self._robot:
            self.whistle = replace(self.whistle, penalized=False)
