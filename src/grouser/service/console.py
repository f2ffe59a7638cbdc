"""The console: a typed line in, an answer out; help, completion, questions about the world.

"To manually control objects and robots in the simulation environment, we defined new … console
commands able, for example, to reset the simulation, to change lighting conditions, to transfer
objects and robots from one place to another" (Zaratti et al. 2006, section 4). Words that do
something are those of world files (`grouser.simulation.script.grammar`); the console adds words
that ask. No socket and no terminal: both give it lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from grouser.errors import BadValue, nearest
from grouser.frames import degrees, to_rpy
from grouser.simulation.changes.world_changes import door_named, doors
from grouser.simulation.script.grammar import PHRASES, Phrase, parse
from grouser.simulation.script.tokens import Names, Words
from grouser.simulation.simulation import Simulation
from grouser.world.lamp import Lamp

LISTS = ("robots", "objects", "doors", "lamps", "events", "triggers", "kinds")
LOG = 20
"""Entries of the log that are shown unless more are asked for."""
LONGEST_STEP = 3600.0
"""The most time that one ``step`` may let pass, s."""


@dataclass(frozen=True)
class ConsoleQuery:
    """A word that asks about the world, and what may follow it; as `Phrase`."""

    form: str
    help: str
    example: str
    answer: Callable[[Console, Words], str]


class Console:
    """Answers typed lines about one simulation."""

    def __init__(
        self,
        simulation: Simulation,
        *,
        trusted: bool = False,
        steps: bool = False,
        awaited: str = "",
    ) -> None:
        """Talk about ``simulation``.

        Args:
            simulation: the world.
            trusted: whether lines may call Python routines; never for those off a wire.
            steps: whether lines may let time pass; not where somebody else paces it.
            awaited: for whom the world waits now; empty: for nobody.
        """
        self.simulation = simulation
        self._trusted, self._steps, self._awaited = trusted, steps, awaited

    @property
    def _words(self) -> dict[str, tuple[str, str, str]]:
        """Every word: its form, help and example."""
        known: dict[str, ConsoleQuery | Phrase] = {**QUERIES, **PHRASES}
        hidden = {"complete"} | (set() if self._steps else {"step"})
        hidden |= set() if self._trusted else {"call"}
        return {
            word: (entry.form, entry.help, entry.example)
            for word, entry in known.items()
            if word not in hidden
        }

    def execute(self, line: str) -> str:
        """Carry out ``line``; return the answer, of one line or many.

        An empty line and one that begins with ``#`` do nothing.

        Raises:
            GrouserError: in one sentence, why not; then nothing was done.
        """
        if not line.strip() or line.lstrip().startswith("#"):
            return ""
        names = Names.of(self.simulation.world)
        words = Words(line, names, trusted=self._trusted)
        if words.verb in QUERIES:
            answer = QUERIES[words.verb].answer(self, words)
            words.end()
            return answer
        if words.verb not in PHRASES:
            known = self._words
            raise BadValue(
                f"console: there is no word '{words.verb}'{nearest(words.verb, known)} "
                "('help' lists all)"
            )
        self.simulation.apply(parse(line, names, trusted=self._trusted))
        return "done"

    def complete(self, text: str) -> list[str]:
        """Return what the last word of ``text`` may become; after a blank, what may come next."""
        *before, begun = re.split(r"\s+", text.lstrip()) or [""]
        if before and before[0] == "after" and len(before) > 1:
            return self.complete(" ".join([*before[2:], begun]))
        return [word for word in self._next(before) if word.startswith(begun)]

    def _next(self, before: list[str]) -> list[str]:
        """Return the words that may follow those ``before``."""
        known = self._words
        if not before:
            return list(known)
        if before[0] == "help":
            return list(known) if len(before) == 1 else []
        if before[0] not in known:
            return []
        form = known[before[0]][0].replace("[", "").replace("]", "").split()
        place = len(before) - 1
        names = Names.of(self.simulation.world)
        if before[0] in ("tell", "motor") and place >= 1 + (before[0] == "motor"):
            return self._commandable(before[0], before[1])
        if place >= len(form):
            return []
        slot = form[place]
        return list(names.slot(slot)) if slot.isupper() else slot.split("|")

    def _commandable(self, verb: str, robot: str) -> list[str]:
        """Return what a robot may be commanded, or its motors' names."""
        known = self.simulation.scene.robots.get(robot)
        if known is None:
            return []
        moves = known.gait.inputs if known.gait else ("forward", "turn") if known.steering else ()
        return [*(moves if verb == "tell" else ()), *known.groups, *known.drives]

    # -- questions ---------------------------------------------------------------------------

    def help(self, words: Words) -> str:
        """Return what one word does, or all."""
        known = self._words
        if words:
            word = words.one_of("word", list(known))
            form, help_, example = known[word]
            return f"{' '.join((word, form)).strip()}\n  {help_}\n  e.g.  {example}"
        return "\n".join(f"{word:10s} {help_}" for word, (_, help_, _) in known.items())

    def list(self, words: Words) -> str:
        """Return who or what there is."""
        what = words.one_of("what", LISTS) if words else "robots"
        world = self.simulation.world
        match what:
            case "robots":
                lines = [self._whereabouts(entry.name, entry.kind) for entry in world.robots]
            case "objects":
                kinds = [(thing.name, str(getattr(thing, "kind", ""))) for thing in world.objects]
                lines = [self._whereabouts(name, kind) for name, kind in kinds]
            case "doors":
                lines = [f"{name}  {self._open(name):.0%} open" for name in doors(world)]
            case "lamps":
                lamps = [thing for thing in world.objects if isinstance(thing, Lamp)]
                lines = [f"{lamp.name}  {'on' if lamp.lit else 'off'}" for lamp in lamps]
                lines.append(f"sun  {world.daylight:g}")
            case "events":
                lines = [event.name for event in world.events]
            case "triggers":
                lines = [
                    f"{one.name}  on {one.on}  by {', '.join(one.by)}" for one in world.triggers
                ]
            case _:
                lines = [", ".join(Names().slot("KIND"))]
        return "\n".join(lines) or "none"

    def where(self, words: Words) -> str:
        """Return where somebody is."""
        name = words.name("robot or object", "NAME")
        text = self._whereabouts(name)
        is_door = name in doors(self.simulation.world)
        return f"{text}  {self._open(name):.0%} open" if is_door else text

    def inside(self, words: Words) -> str:
        """Return who is in a trigger's volume."""
        return _listed(self.simulation.inside(words.name("trigger", "TRIGGER")))

    def log(self, words: Words) -> str:
        """Return what happened lately."""
        count = int(words.number("how many")) if words else LOG
        happened = self.simulation.event_log
        return "\n".join(str(entry) for entry in happened[-max(1, count) :]) or "nothing yet"

    def time(self, words: Words) -> str:
        """Return what time it is."""
        return f"{self.simulation.time:.3f} s" + (", paused" if self.simulation.paused else "")

    def waits(self, words: Words) -> str:
        """Return for whom the world waits."""
        return self._awaited or "for nobody"

    def score(self, words: Words) -> str:
        """Return how the match stands."""
        referee = self.simulation.events.referee
        if referee is None:
            raise BadValue("score: the world has no match (key 'match')")
        return referee.game.summary(self.simulation.time)

    def hash(self, words: Words) -> str:
        """Return a hash of the whole state: equal to the bit, equal here."""
        return self.simulation.fingerprint()

    def step(self, words: Words) -> str:
        """Let time pass; return what happened in it."""
        if not self._steps:
            raise BadValue("step: time passes by itself here")
        seconds = words.number("time")
        if not 0 <= seconds <= LONGEST_STEP:
            raise BadValue(f"step: the time is {seconds:g} s, must be 0 to {LONGEST_STEP:g}")
        self.simulation.drain_events()
        self.simulation.step(seconds)
        happened = [str(entry) for entry in self.simulation.drain_events()]
        return "\n".join([*happened, self.time(words)])

    def completions(self, words: Words) -> str:
        """Return how a line may go on: for consoles at the far end of a wire."""
        text = words.line.partition(" ")[2]
        while words:
            words.word("text")
        # The blank at a line's end is lost on its way; a dot stands for it.
        return "\n".join(self.complete(text.removesuffix(".")))

    def _whereabouts(self, name: str, kind: str = "") -> str:
        pose = self.simulation.pose(name)
        x, y, z = pose.position.tolist()
        yaw = degrees(to_rpy(pose.wxyz)[2])
        who = f"{name} ({kind})" if kind else name
        return f"{who}  x {x:.3f}  y {y:.3f}  z {z:.3f} m  yaw {yaw:.1f} deg"

    def _open(self, name: str) -> float:
        """Return how far a door is open, 0 to 1."""
        door = door_named(self.simulation.world, name)
        return float(self.simulation.data.joint(door.joint).qpos[0]) / door.travel


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "nobody"


QUERIES: dict[str, ConsoleQuery] = {
    "help": ConsoleQuery(
        "[WORD]", "What can be said, or one word of it.", "help open", Console.help
    ),
    "list": ConsoleQuery(
        f"[{'|'.join(LISTS)}]", "Who and what there is.", "list robots", Console.list
    ),
    "where": ConsoleQuery("NAME", "Where somebody is.", "where rex", Console.where),
    "inside": ConsoleQuery("TRIGGER", "Who is in a volume.", "inside goal", Console.inside),
    "log": ConsoleQuery("[NUMBER]", "What happened lately.", "log 5", Console.log),
    "time": ConsoleQuery("", "What time it is in the world.", "time", Console.time),
    "waits": ConsoleQuery("", "For whom the world waits.", "waits", Console.waits),
    "score": ConsoleQuery("", "How the match stands.", "score", Console.score),
    "hash": ConsoleQuery(
        "", "A hash of the whole state, to compare two runs.", "hash", Console.hash
    ),
    "step": ConsoleQuery("S", "Let time pass.", "step 2", Console.step),
    "complete": ConsoleQuery("TEXT", "How a line may go on.", "complete op", Console.completions),
}
"""Every word that asks."""
