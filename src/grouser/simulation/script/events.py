"""Event execution: delays, chains, chance and clocks of a world's events, and the event log.

An event never stops a run: its errors are logged (`LogEntry`), like triggers, events and messages.
Each event has its own random generator, so that it is independent of other events in the file.
"""

from __future__ import annotations

import fnmatch
import importlib
import logging
import sys
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Literal

from grouser.errors import BadValue, GrouserError, unknown
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
from grouser.simulation.schedule import generator
from grouser.simulation.script.grammar import parse
from grouser.simulation.script.referee import Referee
from grouser.simulation.script.tokens import Names
from grouser.simulation.script.triggers import Crossing, check_name
from grouser.world.events import EACH, Event
from grouser.world.file import World
from grouser.world.triggers import GROUPS

if TYPE_CHECKING:
    from grouser.simulation.simulation import Simulation

CAUSE = "{who}"
"""Placeholder in an event's lines for the robot or object that fired it."""
DEEPEST = 50
"""Largest depth of events that fire each other without delay."""
KEPT = 10_000
"""Capacity of the log, entries."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class LogEntry:
    """An entry in the log of a run."""

    time: float
    """Simulated, s."""
    kind: Literal["enter", "leave", "stay", "event", "message", "failed", "reset"]
    """A body entered, left or stayed in a volume; an event ran; a message was sent; an action
    failed; the world was reset."""
    name: str = ""
    """Of the trigger or event."""
    by: str = ""
    """Robot or object that is the cause; of a message: its sender."""
    text: str = ""
    """Message, or reason of the failure."""
    routine: str = ""
    """User's routine that failed, ``module:function``."""

    def __str__(self) -> str:
        """Return the entry as one line of text."""
        texts = {
            "enter": f"{self.by} enters {self.name}",
            "leave": f"{self.by} leaves {self.name}",
            "stay": f"{self.by} stays in {self.name}",
            "event": f"{self.name} happens" + (f", because of {self.by}" if self.by else ""),
            "message": f"{self.by}: {self.text}" if self.by else self.text,
            "failed": f"{self.name or 'this'} failed: {self.text}",
            "reset": "the world is reset",
        }
        return f"{self.time:.3f} s  {texts[self.kind]}"


class EventLog:
    """Ring buffer of log entries, newest last."""

    def __init__(self) -> None:
        self.entries: deque[LogEntry] = deque(maxlen=KEPT)
        self._new: deque[LogEntry] = deque(maxlen=KEPT)
        self.notify: Callable[[LogEntry], None] | None = None
        """Called with every new entry."""

    def __getstate__(self) -> dict[str, object]:
        return vars(self) | {"notify": None}

    def add(self, entry: LogEntry) -> None:
        """Add an entry."""
        self.entries.append(entry)
        self._new.append(entry)
        if self.notify:
            self.notify(entry)

    def drain(self) -> list[LogEntry]:
        """Return the entries since the last call."""
        new = list(self._new)
        self._new.clear()
        return new


class Events:
    """All events of a run, from one reset to the next."""

    def __init__(self, world: World, seed: int, log: EventLog) -> None:
        """Parse all lines of all events and triggers.

        Raises:
            BadValue: a line is invalid; with its file and line number.
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
        """Referee of the world's match, if there is one."""

    def start(self, simulation: Simulation) -> None:
        """Set the clocks of all events that have one.

        Raises:
            BadValue: a command names a drive that its robot does not have; with file and line.
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

    def apply(
        self,
        simulation: Simulation,
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

    def tick(self, simulation: Simulation, name: str) -> None:
        """Fire an event at a tick of its clock, and set the clock again."""
        event = self._find(name)
        self._ticks[name] += 1
        if event.every is not None or event.between is not None:
            self._set_clock(simulation, event)
        self.fire(simulation, name, "")

    def fire(self, simulation: Simulation, name: str, by: str) -> None:
        """Run an event after its delay, with its probability."""
        event = self._find(name)
        if event.chance < 1 and self._generators[name].random() >= event.chance:
            return
        if event.after:
            simulation.schedule(simulation.time + event.after, RunEvent(name, by))
        else:
            simulation.apply(RunEvent(name, by))

    def run(self, simulation: Simulation, name: str, by: str) -> None:
        """Run the lines of an event, then fire the events that follow it."""
        event = self._find(name)
        if event.times is not None and self._runs[name] >= event.times:
            return
        if self._depth >= DEEPEST:
            raise BadValue(f"event '{name}': events fire each other without a pause")
        self._runs[name] += 1
        self._log.add(LogEntry(simulation.time, "event", name, by))
        self._depth += 1
        try:
            self._run_lines(simulation, event, by)
        finally:
            self._depth -= 1

    def handle_crossing(self, simulation: Simulation, crossing: Crossing) -> None:
        """Run the lines of a trigger after a body entered, left or stayed."""
        trigger, body = self._triggers[crossing.trigger], crossing.body
        self._log.add(LogEntry(simulation.time, crossing.kind, trigger.name, body))
        for line in trigger.do:
            self._run_line(simulation, trigger.name, line.replace(CAUSE, body))
        for name in trigger.fires:
            self._attempt(simulation, trigger.name, FireEvent(name, body))

    def _call_referee(self, simulation: Simulation, action: RefereeCall) -> None:
        """Pass an input to the referee and carry out its actions."""
        if self.referee is None:
            raise BadValue("referee: there is none, the world has no match (key 'match')")
        present = (*simulation.world.robots, *simulation.world.objects)
        watched = {entry.name for entry in simulation.world.robots} | {self.referee.match.ball}
        places = {one.name: simulation.pose(one.name) for one in present if one.name in watched}
        for then in self.referee.handle(action, simulation.time, places):
            simulation.apply(then)

    def _run_lines(self, simulation: Simulation, event: Event, by: str) -> None:
        for line in event.do:
            for dispatched in _dispatch(line, event, simulation.world):
                self._run_line(simulation, event.name, dispatched.replace(CAUSE, by))
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

    def _run_line(self, simulation: Simulation, name: str, line: str) -> None:
        try:
            action = parse(line, Names.of(simulation.world), trusted=True)
        except GrouserError as error:
            self._log.add(LogEntry(simulation.time, "failed", name, text=str(error)))
            return
        self._attempt(simulation, name, action)

    def _attempt(self, simulation: Simulation, name: str, action: Action) -> None:
        routine = action.routine if isinstance(action, CallRoutine) else ""
        try:
            simulation.apply(action)
        except GrouserError as error:
            failed = LogEntry(simulation.time, "failed", name, text=str(error), routine=routine)
            self._log.add(failed)
        except Exception as error:  # a user's routine may raise any exception; the run continues
            if not isinstance(action, CallRoutine):
                raise
            _log.exception("event '%s': %s failed", name, action.routine)
            text = f"{action.routine} raised {type(error).__name__}: {error}"
            failed = LogEntry(simulation.time, "failed", name, text=text, routine=routine)
            self._log.add(failed)

    def _set_clock(self, simulation: Simulation, event: Event) -> None:
        ticks = self._ticks[event.name]
        if event.at is not None and ticks == 0:
            time = event.at
        elif event.between is not None:
            time = simulation.time + float(self._generators[event.name].uniform(*event.between))
        else:
            every = event.every or 0.0
            begin = every if event.at is None else event.at
            time = begin + ticks * every  # counted: no drift
        simulation.schedule(max(time, simulation.time), ClockTick(event.name))

    def _find(self, name: str) -> Event:
        if name not in self._events:
            raise unknown("fire", "event", name, self._events)
        return self._events[name]


def _import(module: str, folder: Path | None) -> ModuleType:
    """Return a module, which may lie in the ``folder`` of the world file."""
    if folder is None or module in sys.modules:
        return importlib.import_module(module)
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(module)
    finally:
        sys.path.remove(str(folder))


def call_routine(routine: str, simulation: Simulation, event: str, by: str) -> None:
    """Call a user's routine, ``module:function``, with the simulation and a log entry."""
    module, _, name = routine.partition(":")
    try:
        function = getattr(_import(module, simulation.world.folder), name)
    except (ImportError, AttributeError) as error:
        raise BadValue(f"call: there is no routine '{routine}' ({error})") from error
    function(simulation, LogEntry(simulation.time, "event", event, by))


def _dispatch(line: str, event: Event, world: World) -> Iterator[str]:
    """Yield ``line`` for each robot or object that it addresses."""
    if EACH not in line:
        yield line
        return
    robots, objects = ([member.name for member in group] for group in (world.robots, world.objects))
    groups = {"robots": robots, "objects": objects, "any": [*robots, *objects]}
    for word in event.each:
        for name in groups.get(word) or fnmatch.filter(groups["any"], word):
            yield line.replace(EACH, name)


def check_lines(world: World) -> list[tuple[str, Command]]:
    """Raise for lines that cannot be parsed and for unknown names of robots and objects.

    Returns:
        Location and command of all robot commands, whose drives are checked later.
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
        blanks = [blank for blank in (CAUSE, EACH) if blank in line]
        try:
            action = parse(line, Names.of(world, also=(*spawned, *blanks)), trusted=True)
        except GrouserError as error:
            raise BadValue(f"{where}: {error}") from error
        while isinstance(action, Delayed):
            action = action.action
        if isinstance(action, Command):
            commands.append((where, action))
    return commands
