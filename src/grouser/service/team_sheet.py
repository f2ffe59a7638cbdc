"""Who may join a match: those who are in it.

A match's robots are put to their places by the referee; one that plays in no team would be put
nowhere, and would stand on the ball as likely as anywhere.
"""

from __future__ import annotations

from grouser.errors import BadValue, nearest
from grouser.world.file import World


def require_player(world: World, name: str) -> None:
    """Refuse a newcomer to a match who is not one of the world's own robots.

    Args:
        world: as it is now.
        name: of the robot that somebody wants to have.

    Raises:
        BadValue: a match is played here, and nobody of this name is in it.
    """
    there = [entry.name for entry in world.robots]
    if world.match is not None and name not in there:
        raise BadValue(
            f"nobody called '{name}' plays in this match (there are: {', '.join(sorted(there))})"
            f"{nearest(name, there)}"
        )
