"""Events at run time: fired, delayed, chained, by chance, by the clock; what they do and what came.

An event never stops a run: what goes wrong in one is told in the log (`LogEntry`), like everything
else that happens. Each event draws from its own random generator, so another event in the file
changes nobody else's luck.
"""

from __future__ import annotations

import fnmatch
import importlib
import logging
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

from grouser.errors import BadValue, GrouserError, unknown
from grouser.frames import Pose
from grouser.simulation.changes.actions import (
    Action,
    CallRoutine,
    ClockTick,
    Command,
    Delayed,
    FireEvent,
    RefereeCall,
    RunEvent,
)
from grouser.simulation.scene_state import SceneState
from grouser.simulation.schedule import generator
from grouser.simulation.script.grammar import parse
from grouser.simulation.script.referee import Referee
from grouser.simulation.script.tokens import Names
from grouser.simulation.script.triggers import Crossing, check_name
from grouser.world.events import EACH, Event
from grouser.world.file import World
from grouser.world.triggers import GROUPS


class RunningWorld(Protocol):
    """A world in which time passes and actions are carried out: a `Simulation`."""

    @property
    def live(self) -> SceneState:
        """The scene that runs now; another one after somebody has joined or left."""
        ...

    @property
    def world(self) -> World:
        """The world as it is now."""
        ...

    @property
    def time(self) -> float:
        """Simulated time, s."""
        ...

    def apply(self, action: Action) -> None:
        """Carry out ``action`` now."""
        ...

    def schedule(self, time: float, action: Action) -> None:
        """Carry out ``action`` when simulated time reaches ``time`` (s)."""
        ...

    def pose(self, name: str) -> Pose:
        """Return where a robot's root or an object is now, X_WB."""
        ...


WHO = "{who}"
"""In an event's lines: whoever fired it."""
DEEPEST = 50
"""How many events may fire one another in no time."""
KEPT = 10_000
"""How much of the log is kept, entries."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class LogEntry:
    """An entry in the log of a run."""

    time: float
    """Simulated, s."""
    kind: Literal["enter", "leave", "stay", "event", "said", "failed", "reset"]
    """Somebody entered, left or stayed in a volume; an event happened; somebody said something;
    something could not be done; the world began anew."""
    name: str = ""
    """Of the trigger or event."""
    by: str = ""
    """The robot or object that is the reason."""
    text: str = ""
    """What was said, or why it failed."""

    def __str__(self) -> str:
        """Return it as one line for people."""
        texts = {
            "enter": f"{self.by} enters {self.name}",
            "leave": f"{self.by} leaves {self.name}",
            "stay": f"{self.by} stays in {self.name}",
            "event": f"{self.name} happens" + (f", because of {self.by}" if self.by else ""),
            "said": f"{self.by}: {self.text}" if self.by else self.text,
            "failed": f"{self.name or 'this'} failed: {self.text}",
            "reset": "the world begins anew",
        }
        return f"{self.time:.3f} s  {texts[self.kind]}"


class EventLog:
    """What happened, newest last; the first entries are forgotten in a very long run."""

    def __init__(self) -> None:
        self.happened: deque[LogEntry] = deque(maxlen=KEPT)
        self._fresh: deque[LogEntry] = deque(maxlen=KEPT)

    def add(self, happened: LogEntry) -> None:
        """Write an entry."""
        self.happened.append(happened)
        self._fresh.append(happened)

    def drain(self) -> list[LogEntry]:
        """Return the entries since the last call."""
        new = list(self._fresh)
        self._fresh.clear()
        return new


class Events:
    """All events of a run, from one reset to the next."""

    def __init__(self, world: World, seed: int, log: EventLog) -> None:
        """Read every line of every event and trigger.

        Raises:
            BadValue: one of them says something impossible; with its file and line.
        """
        self._commands = check_lines(world)
        self._log = log
        self._events = {event.name: event for event in world.events}
        self._triggers = {trigger.name: trigger for trigger in world.triggers}
        self._generators = {name: generator(seed, f"event/{name}") for name in self._events}
        self._runs = dict.fromkeys(self._events, 0)
        self._ticks = dict.fromkeys(self._events, 0)
        self._depth = 0
        self.referee = Referee(world.match) if world.match else None
        """Who looks after the world's match, if there is one."""

    def start(self, simulation: RunningWorld) -> None:
        """Set the clocks of all events that have one.

        Raises:
            BadValue: a robot is told what it has no drive for; with file and line.
        """
        for where, command in self._commands:
            if robot := simulation.state.scene.robots.get(command.robot):
                try:
                    robot.gait_inputs(command.command)
                    robot.setpoints(command.command)
                except GrouserError as error:
                    raise BadValue(f"{where}: {error}") from error
        for event in self._events.values():
            if event.at is not None or event.every is not None or event.between is not None:
                self._set_clock(simulation, event)
        if self.referee is not None:
            for action in self.referee.start():
                simulation.apply(action)

    def do(
        self,
        simulation: RunningWorld,
        action: FireEvent | RunEvent | ClockTick | CallRoutine | RefereeCall,
    ) -> None:
        """Carry out ``action``."""
        match action:
            case FireEvent(event, by):
                self.fire(simulation, event, by)
            case RunEvent(event, by):
                self.run(simulation, event, by)
            case ClockTick(event):
                self.tick(simulation, event)
            case CallRoutine(routine, event, by):
                call_routine(routine, simulation, event, by)
            case RefereeCall():
                self._call_referee(simulation, action)

    def tick(self, simulation: RunningWorld, name: str) -> None:
        """Fire an event whose own clock has ticked, and set the clock again."""
        event = self._find(name)
        self._ticks[name] += 1
        if event.every is not None or event.between is not None:
            self._set_clock(simulation, event)
        self.fire(simulation, name, "")

    def fire(self, simulation: RunningWorld, name: str, by: str) -> None:
        """Let an event happen after its delay, if chance will have it."""
        event = self._find(name)
        if event.chance < 1 and self._generators[name].random() >= event.chance:
            return
        if event.after:
            simulation.schedule(simulation.time + event.after, RunEvent(name, by))
        else:
            simulation.apply(RunEvent(name, by))

    def run(self, simulation: RunningWorld, name: str, by: str) -> None:
        """Do what an event says, then fire what comes after it."""
        event = self._find(name)
        if event.times is not None and self._runs[name] >= event.times:
            return
        if self._depth >= DEEPEST:
            raise BadValue(f"event '{name}': events fire one another without a pause")
        self._runs[name] += 1
        self._log.add(LogEntry(simulation.time, "event", name, by))
        self._depth += 1
        try:
            self._do(simulation, event, by)
        finally:
            self._depth -= 1

    def handle_crossing(self, simulation: RunningWorld, crossing: Crossing) -> None:
        """Do what a trigger says when somebody came, went or stayed."""
        trigger, who = self._triggers[crossing.trigger], crossing.who
        self._log.add(LogEntry(simulation.time, crossing.kind, trigger.name, who))
        for line in trigger.do:
            self._run_line(simulation, trigger.name, line.replace(WHO, who))
        for name in trigger.fires:
            self._attempt(simulation, trigger.name, FireEvent(name, who))

    def _call_referee(self, simulation: RunningWorld, action: RefereeCall) -> None:
        """Let the referee hear something, and do what it says."""
        if self.referee is None:
            raise BadValue("referee: there is none, the world has no match (key 'match')")
        present = (*simulation.world.robots, *simulation.world.objects)
        watched = {entry.name for entry in simulation.world.robots} | {self.referee.match.ball}
        places = {one.name: simulation.pose(one.name) for one in present if one.name in watched}
        for then in self.referee.handle(action, simulation.time, places):
            simulation.apply(then)

    def _do(self, simulation: RunningWorld, event: Event, by: str) -> None:
        for line in event.do:
            for dispatched in _dispatched(line, event, simulation.world):
                self._run_line(simulation, event.name, dispatched.replace(WHO, by))
        if event.call is not None:
            self._attempt(simulation, event.name, CallRoutine(event.call, event.name, by))
        if event.one_of:
            drawn = float(self._generators[event.name].random())
            for choice in event.one_of:
                if drawn < choice.chance:
                    self._attempt(simulation, event.name, FireEvent(choice.fire, by))
                    break
                drawn -= choice.chance
        for name in event.then:
            self._attempt(simulation, event.name, FireEvent(name, by))

    def _run_line(self, simulation: RunningWorld, name: str, line: str) -> None:
        try:
            action = parse(line, Names.of(simulation.world), trusted=True)
        except GrouserError as error:
            self._log.add(LogEntry(simulation.time, "failed", name, text=str(error)))
            return
        self._attempt(simulation, name, action)

    def _attempt(self, simulation: RunningWorld, name: str, action: Action) -> None:
        try:
            simulation.apply(action)
        except GrouserError as error:
            self._log.add(LogEntry(simulation.time, "failed", name, text=str(error)))
        except Exception as error:  # a user's routine may raise anything; the world goes on
            if not isinstance(action, CallRoutine):
                raise
            _log.exception("event '%s': %s failed", name, action.routine)
            text = f"{action.routine} raised {type(error).__name__}: {error}"
            self._log.add(LogEntry(simulation.time, "failed", name, text=text))

    def _set_clock(self, simulation: RunningWorld, event: Event) -> None:
        ticks = self._ticks[event.name]
        if event.at is not None and ticks == 0:
            time = event.at
        elif event.between is not None:
            time = simulation.time + float(self._generators[event.name].uniform(*event.between))
        else:
            every = event.every or 0.0
            begin = every if event.at is None else event.at
            time = begin + ticks * every  # counted, so nothing drifts
        simulation.schedule(max(time, simulation.time), ClockTick(event.name))

    def _find(self, name: str) -> Event:
        if name not in self._events:
            raise unknown("fire", "event", name, self._events)
        return self._events[name]


def call_routine(routine: str, simulation: RunningWorld, event: str, by: str) -> None:
    """Call a user's routine, ``module:function``, with the simulation and what happened."""
    module, _, name = routine.partition(":")
    try:
        function = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise BadValue(f"call: there is no routine '{routine}' ({error})") from error
    function(simulation, LogEntry(simulation.time, "event", event, by))


def _dispatched(line: str, event: Event, world: World) -> Iterator[str]:
    """Yield ``line`` for each of those that it goes to."""
    if EACH not in line:
        yield line
        return
    robots, objects = ([member.name for member in group] for group in (world.robots, world.objects))
    groups = {"robots": robots, "objects": objects, "any": [*robots, *objects]}
    for word in event.each:
        for name in groups.get(word) or fnmatch.filter(groups["any"], word):
            yield line.replace(EACH, name)


def check_lines(world: World) -> list[tuple[str, Command]]:
    """Refuse lines that cannot be understood and targets that nobody is called.

    Returns:
        What robots are told by the lines, and where; whoever knows their drives can judge it.
    """
    own = Names.of(world)
    named = own.slot("NAME")
    for i, event in enumerate(world.events):
        for j, word in enumerate(event.each):
            check_name(word, [*named, *GROUPS], named, world.where("events", i, "each", j))
    lines = [
        (line, world.where(group, i, "do", j))
        for group, members in (("events", world.events), ("triggers", world.triggers))
        for i, member in enumerate(members)
        for j, line in enumerate(member.do)
    ]
    spawned = [words[2] for line, _ in lines if len(words := line.split()) > 2 and "spawn" in words]
    commands = []
    for line, where in lines:
        blanks = [blank for blank in (WHO, EACH) if blank in line]
        try:
            action = parse(line, Names.of(world, also=(*spawned, *blanks)), trusted=True)
        except GrouserError as error:
            raise BadValue(f"{where}: {error}") from error
        while isinstance(action, Delayed):
            action = action.action
        if isinstance(action, Command):
            commands.append((where, action))
    return commands
