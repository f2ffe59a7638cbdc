"""Teams: named tactics, and tactics of a user's own file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from grouser.errors import BadValue, unknown
from grouser.football.player import Tactics
from grouser.simulation.policy_source import PolicySource

TEAMS: Mapping[str, Tactics] = {
    "passers": Tactics(),
    "shooters": Tactics(passes=False),
    "hasty": Tactics(passes=False, hasty=True),
    "pressers": Tactics(passes=False, press=True),
}
"""Name of a team → its tactics."""


def find_team(name: str) -> Tactics:
    """Return the tactics of a team of `TEAMS`, or those that a file or module defines.

    Args:
        name: a key of `TEAMS`, or ``FILE.py:NAME`` of a function that returns `Tactics`.

    Raises:
        UnknownName: there is no such team.
        BadValue: the function returns something else.
    """
    if name in TEAMS:
        return TEAMS[name]
    if ":" not in name:
        raise unknown("team", "team", name, TEAMS)
    made = PolicySource(name, Path.cwd(), where="team", what="function").target()
    if not isinstance(made, Tactics):
        raise BadValue(f"team '{name}' is a value of type {type(made).__name__}, must be Tactics")
    return made
