"""Tokenizer of console lines: typed access to words, names and numbers, with error messages."""

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
"""Most characters of a line."""
LARGEST = 1e9
"""Largest number that is accepted."""
SUN = "sun"
NOT_TYPED = ("mesh",)
"""Kinds of object for world files and Python only: they read files."""

_WORD = re.compile(r'"([^"]*)"|(\S+)')


@dataclass(frozen=True)
class Names:
    """Names in a world that a line may contain."""

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
        """Return the names in ``world``; those in ``also`` are allowed for everything."""
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
        """Return the allowed values of a placeholder in a phrase's form, such as ``DOOR``."""
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
    """The words of one line, consumed from the left."""

    def __init__(self, line: str, names: Names, *, trusted: bool = False) -> None:
        """Split ``line`` at blanks; double quotes group words, a line end counts as a blank."""
        if len(line) > LONGEST:
            raise BadValue(
                f"console: a line has {len(line)} characters, at most {LONGEST} are allowed"
            )
        self.line = " ".join(line.splitlines()).strip()
        self.names, self.trusted = names, trusted
        self._left: list[str] = [quoted or word for quoted, word in _WORD.findall(self.line)]
        self._count = len(self._left)
        self.verb = self._left.pop(0) if self._left else ""

    def __bool__(self) -> bool:
        return bool(self._left)

    def peek(self) -> str:
        """Return the next word, or an empty string."""
        return self._left[0] if self._left else ""

    def word(self, what: str) -> str:
        """Consume the next word; ``what`` names it in errors."""
        if not self._left:
            raise BadValue(f"{self.verb}: {what} is missing")
        return self._left.pop(0)

    def skip(self, *words: str) -> str:
        """Consume the next word if it is one of ``words``; return it, or an empty string."""
        return self._left.pop(0) if self._left and self._left[0] in words else ""

    def one_of(self, what: str, allowed: Collection[str]) -> str:
        """Consume the next word, which must be one of ``allowed``."""
        word = self.word(f"{what} ({', '.join(allowed) or 'there is none'})")
        if word not in allowed:
            raise BadValue(
                f"{self.verb}: {what} is '{word}', allowed: {', '.join(allowed)}"
                f"{nearest(word, allowed)}"
            )
        return word

    def name(self, what: str, slot: str) -> str:
        """Consume the next word, which must be a name in the world."""
        known = self.names.slot(slot)
        if self._left and self._left[0] not in known:
            raise unknown(self.verb, what, self._left[0], known)
        return self.one_of(what, known)

    def number(self, what: str) -> float:
        """Consume the next word, which must be a number of at most `LARGEST`."""
        word = self.word(f"a number for {what}")
        found = number(word)
        if found is None:
            raise BadValue(f"{self.verb}: {what} is '{word}', a number is needed")
        return found

    def numbers(self) -> list[float]:
        """Consume all numbers that come next."""
        found = []
        while self._left and (value := number(self._left[0])) is not None:
            found.append(value)
            self._left.pop(0)
        return found

    def switch(self, what: str) -> bool:
        """Consume the next word, on or off."""
        return self.one_of(what, ("on", "off")) == "on"

    def settings(self) -> dict[str, Any]:
        """Consume all ``key=value`` that come next; a value is YAML as in a world file."""
        found = {}
        while self._left and "=" in self._left[0]:
            key, _, value = self._left.pop(0).partition("=")
            if not re.fullmatch(r"[A-Za-z_]\w*", key):
                raise BadValue(f"{self.verb}: '{key}' is not a key, key=value is needed")
            found[key] = read_yaml(value, f"{self.verb}: {key}").data
        return found

    def rest(self, what: str) -> str:
        """Consume the rest of the line, as it was typed."""
        taken = self._count - len(self._left)
        self.word(what)
        self._left = []
        return self.line.split(maxsplit=taken)[taken]

    def end(self) -> None:
        """Raise if words are left."""
        if self._left:
            line = " ".join(self.line.splitlines())  # an error message is one line
            raise BadValue(f"{self.verb}: '{' '.join(self._left)}' is too much in '{line}'")


def number(word: str) -> float | None:
    """Return ``word`` as a number; None: it is none, or too large."""
    try:
        value = float(word)
    except ValueError:
        return None
    return value if abs(value) <= LARGEST and "_" not in word else None
