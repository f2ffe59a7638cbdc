"""Packets of RoboCup's GameController: UDP port 3838, little endian.

Versions 4 (2005, four-legged league), 6 (2008) and 7 (2009) of ``RoboCupGameControlData``. The
GameController sends one every 500 ms; robots answer with ``RoboCupGameControlReturnData``.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from grouser.errors import BadValue

PORT = 3838
"""UDP port of both directions."""
HEADER, RETURN_HEADER = b"RGme", b"RGrt"
STATES = ("initial", "ready", "set", "playing", "finished")
"""States by their numbers."""
COLOURS = ("blue", "red")
"""Team colours by their numbers."""
DROP_BALL = 2
"""Kick-off team of a dropped ball."""
RETURN_VERSION = 1
PENALISE, UNPENALISE, ALIVE = 0, 1, 2
"""Messages of return packets; `ALIVE` since version 7."""
MOST_SECONDS = 3600
"""Longest plausible time, s; larger numbers are unsigned overflows."""


@dataclass(frozen=True)
class _Layout:
    """Layout of a version."""

    players: int
    """Entries per team."""
    head: struct.Struct
    """All fields after the version."""
    fields: tuple[str, ...]
    """Their names."""
    team: struct.Struct
    """Number, colour, (goal colour,) score."""
    score: int
    """Index of the score in `team`."""
    robot: struct.Struct
    """Penalty, seconds."""


_OLD_HEAD = ("state", "first_half", "kickoff", "seconds", "drop_in_team", "drop_in_time")
_NEW_HEAD = (
    *("players", "state", "first_half", "kickoff", "secondary", "drop_in_team", "drop_in_time"),
    "seconds",
)
_LAYOUTS = {
    4: _Layout(4, struct.Struct("<6I"), _OLD_HEAD, struct.Struct("<3I"), 2, struct.Struct("<2I")),
    6: _Layout(
        11, struct.Struct("<6BHI"), _NEW_HEAD, struct.Struct("<BBH"), 2, struct.Struct("<2H")
    ),
    7: _Layout(
        11, struct.Struct("<6BHI"), _NEW_HEAD, struct.Struct("<4B"), 3, struct.Struct("<2H")
    ),
}
VERSIONS = tuple(_LAYOUTS)
"""Supported versions."""
_START = struct.Struct("<4sI")


@dataclass(frozen=True, kw_only=True)
class TeamData:
    """One team in a packet."""

    number: int
    colour: str
    """One of `COLOURS`."""
    score: int
    penalties: tuple[tuple[int, int], ...] = ()
    """Penalty (0: none) and remaining seconds of each player; further players have none."""


@dataclass(frozen=True, kw_only=True)
class GameControlData:
    """State of a game, as the GameController sends it."""

    version: int = 7
    state: str = "initial"
    """One of `STATES`."""
    first_half: bool = True
    kickoff: str = "blue"
    """Colour of the team that kicks off; empty: dropped ball."""
    seconds: int = 600
    """Estimated remaining time of the half, s."""
    players: int = 4
    """Players per team."""
    teams: tuple[TeamData, TeamData]

    def encode(self) -> bytes:
        """Return the packet."""
        layout = _LAYOUTS[self.version]
        values = {
            "players": self.players,
            "state": STATES.index(self.state),
            "first_half": int(self.first_half),
            "kickoff": COLOURS.index(self.kickoff) if self.kickoff else DROP_BALL,
            "secondary": 0,
            "drop_in_team": 0,
            "drop_in_time": 0xFFFF,
            "seconds": self.seconds,
        }
        parts = [_START.pack(HEADER, self.version)]
        parts.append(layout.head.pack(*(values[name] for name in layout.fields)))
        for team in self.teams:
            colour = COLOURS.index(team.colour)
            goal = (colour,) if layout.score == 3 else ()
            parts.append(layout.team.pack(team.number, colour, *goal, team.score))
            for i in range(layout.players):
                penalty = team.penalties[i] if i < len(team.penalties) else (0, 0)
                parts.append(layout.robot.pack(*penalty))
        return b"".join(parts)


def parse(data: bytes) -> GameControlData:
    """Return the content of a packet.

    Raises:
        BadValue: it is no packet of a supported version.
    """
    if len(data) < _START.size:
        raise BadValue(f"GameController: {len(data)} bytes, must be a packet of {_sizes()} bytes")
    header, version = _START.unpack_from(data)
    if header != HEADER:
        raise BadValue(f"GameController: the packet begins with {header!r}, must be {HEADER!r}")
    if version not in _LAYOUTS:
        allowed = ", ".join(map(str, VERSIONS))
        raise BadValue(f"GameController: version is {version}, allowed: {allowed}")
    layout = _LAYOUTS[version]
    if len(data) != _size(layout):
        raise BadValue(
            f"GameController: {len(data)} bytes, version {version} has {_size(layout)} bytes"
        )
    numbers = layout.head.unpack_from(data, _START.size)
    head = dict(zip(layout.fields, numbers, strict=True))
    _check("state", head["state"], len(STATES) - 1)
    _check("kickOffTeam", head["kickoff"], DROP_BALL)
    begin = _START.size + layout.head.size
    one, two = (_team(layout, data, begin + i * _team_size(layout)) for i in range(2))
    if one.colour == two.colour:
        raise BadValue(f"GameController: both teams are {one.colour}")
    return GameControlData(
        version=version,
        state=STATES[head["state"]],
        first_half=head["first_half"] == 1,
        kickoff="" if head["kickoff"] == DROP_BALL else COLOURS[head["kickoff"]],
        seconds=head["seconds"] if head["seconds"] <= MOST_SECONDS else 0,
        players=head.get("players", layout.players),
        teams=(one, two),
    )


def _team(layout: _Layout, data: bytes, at: int) -> TeamData:
    values = layout.team.unpack_from(data, at)
    _check("teamColour", values[1], len(COLOURS) - 1)
    robots = at + layout.team.size
    penalties = [
        layout.robot.unpack_from(data, robots + i * layout.robot.size)
        for i in range(layout.players)
    ]
    return TeamData(
        number=values[0],
        colour=COLOURS[values[1]],
        score=values[layout.score],
        penalties=tuple((int(why), int(seconds)) for why, seconds in penalties),
    )


def _check(name: str, value: int, most: int) -> None:
    if value > most:
        raise BadValue(f"GameController: {name} is {value}, must be from 0 to {most}")


def _team_size(layout: _Layout) -> int:
    return layout.team.size + layout.players * layout.robot.size


def _size(layout: _Layout) -> int:
    return _START.size + layout.head.size + 2 * _team_size(layout)


def _sizes() -> str:
    return " or ".join(
        str(size) for size in sorted({_size(layout) for layout in _LAYOUTS.values()})
    )


_RETURN = struct.Struct("<4sIHHI")


@dataclass(frozen=True, kw_only=True)
class ReturnData:
    """Answer of a robot."""

    team: int
    """Number of its team."""
    player: int
    """Number of the player, from 1."""
    message: int = ALIVE
    """`PENALISE`, `UNPENALISE` or `ALIVE`."""

    def encode(self) -> bytes:
        """Return the packet."""
        return _RETURN.pack(RETURN_HEADER, RETURN_VERSION, self.team, self.player, self.message)


def parse_return(data: bytes) -> ReturnData:
    """Return the content of a return packet.

    Raises:
        BadValue: it is none.
    """
    if len(data) != _RETURN.size:
        raise BadValue(f"GameController: {len(data)} bytes, a return packet has {_RETURN.size}")
    header, version, team, player, message = _RETURN.unpack(data)
    if header != RETURN_HEADER or version != RETURN_VERSION:
        raise BadValue(f"GameController: return packet begins with {header!r}, version {version}")
    return ReturnData(team=team, player=player, message=message)
