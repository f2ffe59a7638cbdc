"""A typed line taken apart, word by word, with an error in one sentence for whatever is wrong."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from grouser.errors import BadValue, nearest, unknown
from grouser.robots.kinds import robot_kinds
from grouser.simulation.changes.world_changes import EVERYWHERE, surfaces
from grouser.world.door import Door
from grouser.world.file import World
from grouser.world.objects import OBJECTS, Lamp
from grouser.world.yaml_source import read_yaml

LONGEST = 1000
"""Characters that a line may have."""
LARGEST = 1e9
"""Greatest number that may be typed: whatever it counts, nobody means more."""
SUN = "sun"
NOT_TYPED = ("mesh",)
"""Kinds of object that only world files and Python may bring: they read files."""

_WORD = re.compile(r'"([^"]*)"|(\S+)')


@dataclass(frozen=True)
class Names:
    """What there is in a world, by name: what a line may speak of."""

    robots: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    doors: tuple[str, ...] = ()
    lamps: tuple[str, ...] = ()
    surfaces: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()

    @staticmethod
    def of(world: World, also: Collection[str] = ()) -> Names:
        """Return the names in ``world``; those in ``also`` count as anything."""
        more = tuple(also)

        def called(members: Collection[Any]) -> tuple[str, ...]:
            return (*(member.name for member in members), *more)

        return Names(
            robots=called(world.robots),
            objects=called(world.objects),
            doors=called([thing for thing in world.objects if isinstance(thing, Door)]),
            lamps=called([thing for thing in world.objects if isinstance(thing, Lamp)]),
            surfaces=(*surfaces(world), EVERYWHERE, *more),
            events=called(world.events),
            triggers=called(world.triggers),
            teams=(*(world.match.names if world.match else ()), *more),
        )

    def slot(self, slot: str) -> tuple[str, ...]:
        """Return what may stand for a word in capitals in a phrase's form, such as ``DOOR``."""
        kinds = tuple(kind for kind in (*robot_kinds(), *OBJECTS) if kind not in NOT_TYPED)
        slots = {
            "ROBOT": self.robots,
            "NAME": tuple(dict.fromkeys((*self.robots, *self.objects))),
            "DOOR": self.doors,
            "LAMP": (*self.lamps, SUN),
            "SURFACE": self.surfaces,
            "EVENT": self.events,
            "TRIGGER": self.triggers,
            "TEAM": self.teams,
            "KIND": kinds,
        }
        return slots.get(slot, ())


class Words:
    """The words of one line, taken from the left."""

    def __init__(self, line: str, names: Names, *, trusted: bool = False) -> None:
        """Cut ``line`` at blanks; double quotes hold words together."""
        if len(line) > LONGEST:
            raise BadValue(f"console: a line has {len(line)} characters, at most {LONGEST} go")
        self.line, self.names, self.trusted = line.strip(), names, trusted
        self._left: list[str] = [quoted or word for quoted, word in _WORD.findall(self.line)]
        self._count = len(self._left)
        self.verb = self._left.pop(0) if self._left else ""

    def __bool__(self) -> bool:
        return bool(self._left)

    def peek(self) -> str:
        """Return the next word, or nothing."""
        return self._left[0] if self._left else ""

    def word(self, what: str) -> str:
        """Take the next word, which says ``what``."""
        if not self._left:
            raise BadValue(f"{self.verb}: {what} is missing")
        return self._left.pop(0)

    def skip(self, *words: str) -> str:
        """Take the next word if it is one of ``words``; return it, or nothing."""
        return self._left.pop(0) if self._left and self._left[0] in words else ""

    def one_of(self, what: str, allowed: Collection[str]) -> str:
        """Take the next word, which must be one of ``allowed``."""
        word = self.word(f"{what} ({', '.join(allowed) or 'there is none'})")
        if word not in allowed:
            raise BadValue(
                f"{self.verb}: {what} is '{word}', allowed: {', '.join(allowed)}"
                f"{nearest(word, allowed)}"
            )
        return word

    def name(self, what: str, slot: str) -> str:
        """Take the next word, which must be the name of something in the world."""
        known = self.names.slot(slot)
        if self._left and self._left[0] not in known:
            raise unknown(self.verb, what, self._left[0], known)
        return self.one_of(what, known)

    def number(self, what: str) -> float:
        """Take the next word, which must be a number of a size that can be meant."""
        word = self.word(f"a number for {what}")
        found = number(word)
        if found is None:
            raise BadValue(f"{self.verb}: {what} is '{word}', a number is needed")
        return found

    def numbers(self) -> list[float]:
        """Take all numbers that come next."""
        found = []
        while self._left and (value := number(self._left[0])) is not None:
            found.append(value)
            self._left.pop(0)
        return found

    def switch(self, what: str) -> bool:
        """Take the next word, on or off."""
        return self.one_of(what, ("on", "off")) == "on"

    def settings(self) -> dict[str, Any]:
        """Take all ``key=value`` that come next; a value is written as in a world file."""
        found = {}
        while self._left and "=" in self._left[0]:
            key, _, value = self._left.pop(0).partition("=")
            if not re.fullmatch(r"[A-Za-z_]\w*", key):
                raise BadValue(f"{self.verb}: '{key}' is no key, key=value is needed")
            found[key] = read_yaml(value, f"{self.verb}: {key}").data
        return found

    def rest(self, what: str) -> str:
        """Take all that is left of the line, as it was typed."""
        taken = self._count - len(self._left)
        self.word(what)
        self._left = []
        return self.line.split(maxsplit=taken)[taken]

    def end(self) -> None:
        """Refuse words that nobody has taken."""
        if self._left:
            line = " ".join(self.line.splitlines())  # an error is one line, whatever was typed
            raise BadValue(f"{self.verb}: '{' '.join(self._left)}' is too much in '{line}'")


def number(word: str) -> float | None:
    """Return the number that ``word`` is; None: it is none, or none that can be meant."""
    try:
        value = float(word)
    except ValueError:
        return None
    return value if abs(value) <= LARGEST and "_" not in word else None
