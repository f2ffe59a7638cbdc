"""Console: execute a typed line and return its answer; help, completion, queries.

"To manually control objects and robots in the simulation environment, we defined new … console
commands able, for example, to reset the simulation, to change lighting conditions, to transfer
objects and robots from one place to another" (Zaratti et al. 2006, section 4). Commands are
those of world files (`grouser.simulation.script.grammar`); the console adds queries. It has neither
socket nor terminal: the caller passes the lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from grouser.errors import BadValue, nearest
from grouser.frames import degrees, to_rpy
from grouser.simulation.changes.world_changes import door_named, doors
from grouser.simulation.script.grammar import PHRASES, Phrase, parse
from grouser.simulation.script.tokens import Names, Words
from grouser.simulation.simulation import Simulation
from grouser.world.objects import Lamp

LISTS = ("robots", "objects", "doors", "lamps", "events", "triggers", "kinds")
LOG = 20
"""Default number of log entries."""
LONGEST_STEP = 3600.0
"""Longest simulated time of one ``step``, s."""


@dataclass(frozen=True)
class ConsoleQuery:
    """Query word and its arguments; as `Phrase`."""

    form: str
    help: str
    example: str
    answer: Callable[[Console, Words], str]


class Console:
    """Console of one simulation."""

    def __init__(
        self,
        simulation: Simulation,
        *,
        trusted: bool = False,
        steps: bool = False,
        awaited: str = "",
        source: str = "console",
    ) -> None:
        """Create a console for ``simulation``.

        Args:
            simulation: the world.
            trusted: allow lines to call Python routines; never for lines from a network.
            steps: allow lines to step the simulation; not where the caller paces it.
            awaited: clients for which time stands still; empty: none.
            source: cause of the actions, for observers.
        """
        self.simulation = simulation
        self._trusted, self._steps, self._awaited = trusted, steps, awaited
        self._source = source

    @property
    def _words(self) -> dict[str, tuple[str, str, str]]:
        """Word -> its form, help and example."""
        known: dict[str, ConsoleQuery | Phrase] = {**QUERIES, **PHRASES}
        hidden = {"complete"} | (set() if self._steps else {"step"})
        hidden |= set() if self._trusted else {"call"}
        return {
            word: (entry.form, entry.help, entry.example)
            for word, entry in known.items()
            if word not in hidden
        }

    def execute(self, line: str) -> str:
        """Execute ``line``; return the answer, of one or more lines.

        An empty line and one that begins with ``#`` have no effect.

        Raises:
            GrouserError: the line is invalid, and has changed nothing.
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
        self.simulation.apply(parse(line, names, trusted=self._trusted), source=self._source)
        return "done"

    def complete(self, text: str) -> list[str]:
        """Return the completions of the last word of ``text``; after a blank, the next words."""
        *before, begun = re.split(r"\s+", text.lstrip()) or [""]
        if before and before[0] == "after" and len(before) > 1:
            return self.complete(" ".join([*before[2:], begun]))
        return [word for word in self._next(before) if word.startswith(begun)]

    def _next(self, before: list[str]) -> list[str]:
        """Return the words that may follow ``before``."""
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
        """Return the command inputs of a robot, or the names of its motors."""
        known = self.simulation.scene.robots.get(robot)
        if known is None:
            return []
        moves = known.gait.inputs if known.gait else ("forward", "turn") if known.steering else ()
        return [*(moves if verb == "tell" else ()), *known.groups, *known.drives]

    # -- queries -----------------------------------------------------------------------------

    def help(self, words: Words) -> str:
        """Return the help of one word, or of all."""
        known = self._words
        if words:
            word = words.one_of("word", list(known))
            form, help_, example = known[word]
            return f"{' '.join((word, form)).strip()}\n  {help_}\n  e.g.  {example}"
        return "\n".join(f"{word:10s} {help_}" for word, (_, help_, _) in known.items())

    def list(self, words: Words) -> str:
        """Return a list of robots, objects, doors, lamps, events, triggers or kinds."""
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
        """Return the pose of a robot or object."""
        name = words.name("robot or object", "NAME")
        text = self._whereabouts(name)
        is_door = name in doors(self.simulation.world)
        return f"{text}  {self._open(name):.0%} open" if is_door else text

    def inside(self, words: Words) -> str:
        """Return the robots and objects in the volume of a trigger."""
        inside = self.simulation.inside(words.name("trigger", "TRIGGER"))
        return ", ".join(inside) or "none"

    def log(self, words: Words) -> str:
        """Return the last entries of the event log."""
        count = int(words.number("how many")) if words else LOG
        happened = self.simulation.event_log
        return "\n".join(str(entry) for entry in happened[-max(1, count) :]) or "nothing yet"

    def time(self, words: Words) -> str:
        """Return the simulated time."""
        return f"{self.simulation.time:.3f} s" + (", paused" if self.simulation.paused else "")

    def waits(self, words: Words) -> str:
        """Return the clients for which time stands still."""
        return self._awaited or "none"

    def score(self, words: Words) -> str:
        """Return the score of the match."""
        referee = self.simulation.events.referee
        if referee is None:
            raise BadValue("score: the world has no match (key 'match')")
        return referee.game.summary(self.simulation.time)

    def hash(self, words: Words) -> str:
        """Return a hash of the whole state; equal for bit-identical states."""
        return self.simulation.fingerprint()

    def step(self, words: Words) -> str:
        """Step the simulation; return the events."""
        if not self._steps:
            raise BadValue("step: not available, this simulation is paced by its server")
        seconds = words.number("time")
        if not 0 <= seconds <= LONGEST_STEP:
            raise BadValue(f"step: the time is {seconds:g} s, must be 0 to {LONGEST_STEP:g}")
        self.simulation.drain_events()
        self.simulation.step(self.simulation.round_to_steps(seconds))
        happened = [str(entry) for entry in self.simulation.drain_events()]
        return "\n".join([*happened, self.time(words)])

    def completions(self, words: Words) -> str:
        """Return the completions of a line, for remote consoles."""
        text = words.line.partition(" ")[2]
        while words:
            words.word("text")
        # A dot marks the end of the line: trailing blanks are lost on the wire.
        return "\n".join(self.complete(text.removesuffix(".")))

    def _whereabouts(self, name: str, kind: str = "") -> str:
        pose = self.simulation.pose(name)
        x, y, z = pose.position.tolist()
        yaw = degrees(to_rpy(pose.wxyz)[2])
        label = f"{name} ({kind})" if kind else name
        return f"{label}  x {x:.3f}  y {y:.3f}  z {z:.3f} m  yaw {yaw:.1f} deg"

    def _open(self, name: str) -> float:
        """Return the opening of a door, 0 to 1."""
        door = door_named(self.simulation.world, name)
        return float(self.simulation.data.joint(door.joint).qpos[0]) / door.travel


QUERIES: dict[str, ConsoleQuery] = {
    "help": ConsoleQuery("[WORD]", "List all words, or explain one.", "help open", Console.help),
    "list": ConsoleQuery(
        f"[{'|'.join(LISTS)}]", "List robots, objects and more.", "list robots", Console.list
    ),
    "where": ConsoleQuery("NAME", "Pose of a robot or object.", "where rex", Console.where),
    "inside": ConsoleQuery(
        "TRIGGER", "Robots and objects in a trigger's volume.", "inside goal", Console.inside
    ),
    "log": ConsoleQuery("[NUMBER]", "Last entries of the event log.", "log 5", Console.log),
    "time": ConsoleQuery("", "Simulated time.", "time", Console.time),
    "waits": ConsoleQuery("", "Clients for which time stands still.", "waits", Console.waits),
    "score": ConsoleQuery("", "Score of the match.", "score", Console.score),
    "hash": ConsoleQuery("", "Hash of the whole state, to compare two runs.", "hash", Console.hash),
    "step": ConsoleQuery("S", "Step the simulation by S seconds.", "step 2", Console.step),
    "complete": ConsoleQuery("TEXT", "Completions of a line.", "complete op", Console.completions),
}
"""Query words."""
