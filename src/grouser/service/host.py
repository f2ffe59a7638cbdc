"""The host: a simulation, and the guests whose robots are in it. No socket, no wall clock.

Time passes in beats, a few physics steps each. Between two beats guests come, go and command; after
a beat each is told what its own robot's sensors say, and nothing else.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from grouser.errors import BadValue, SimulationDiverged
from grouser.gateways.images.views import Views
from grouser.gateways.usarsim.robot_adapter import Body
from grouser.gateways.usarsim.settings import TagMemory
from grouser.physics.drives import Setpoint
from grouser.protocol.usarsim.extensions import RadioMessage
from grouser.sensors.camera import Camera
from grouser.sensors.sensor import Reading, Sensor
from grouser.service.console import Console
from grouser.service.lockstep import Lockstep
from grouser.service.radio import Delivery, Radio
from grouser.simulation.changes.actions import Action, Join, Leave
from grouser.simulation.divergence.rescue import Rescue
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry

_LOG = logging.getLogger("grouser.server")

LOOK_EVERY = 0.01
"""Simulated seconds between two looks at what guests are due: states, silence, batteries."""


class Guest(Protocol):
    """Whoever has a robot here."""

    def tell(self, readings: list[tuple[Sensor, Reading]]) -> None:
        """Hear what the robot's sensors have said."""

    def beat(self, time: float) -> None:
        """Note that time has passed, up to ``time`` (s); every few beats is often enough."""

    def act(self) -> None:
        """Do what was put off until everybody's turn was over."""

    def turn(self, time: float) -> None:
        """Note that it is the guest's turn, at ``time`` (s); all readings have been told."""

    def notice(self, kind: str, text: str) -> None:
        """Hear something that concerns the guest."""

    def hear(self, message: RadioMessage) -> None:
        """Hear something over the radio."""

    def lost(self) -> None:
        """Note that somebody took the robot out of the world."""


@dataclass(frozen=True, kw_only=True)
class Rules:
    """How a host lets time pass."""

    beat: float = 0.002
    """Simulated seconds of one beat, about: whole physics steps, at least one."""
    players: int = 0
    """Guests in lockstep that must be there before time begins."""
    command_timeout: float = 0.0
    """Simulated seconds after which the robot of a silent guest is stopped; 0: never."""


class Host:
    """A simulation with guests."""

    def __init__(self, simulation: Simulation, rules: Rules, views: Views | None = None) -> None:
        """Open ``simulation`` to guests.

        Args:
            simulation: the world; nobody else steps it.
            rules: how time passes.
            views: who draws what cameras see; None: nobody does.
        """
        self.simulation, self.rules, self.views = simulation, rules, views
        self.turns = Lockstep(rules.players)
        self.tags = TagMemory()
        self.used: Callable[[str, Mapping[str, float | Setpoint]], None] | None = None
        """Called just before the first step that uses a robot's new command, with both."""
        self.radio = Radio(simulation)
        self._rescue = Rescue(simulation)
        self._guests: dict[str, Guest] = {}
        world = simulation.world
        self._native = {entry.name for entry in (*world.robots, *world.objects)}
        self._own: set[str] = set()
        """Guests' robots that were there before them, and stay when they leave."""
        self._bodies: dict[str, Body] = {}
        self._scene = simulation.scene
        self._then = simulation.time
        self._looked = 0
        """The step at which guests were last told that time has passed."""
        self._news: dict[str, list[tuple[Sensor, Reading]]] = {}
        self._waiting: deque[str] = deque()
        self._commanded: dict[str, Mapping[str, float | Setpoint]] = {}
        simulation.drain_readings()  # from now on readings are kept
        if views:
            views.rebind(simulation.scene)

    # -- who is there ------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """Simulated, s."""
        return self.simulation.time

    @property
    def step(self) -> int:
        """Physics steps since the start."""
        return round(self.simulation.time / self.simulation.scene.timestep)

    @property
    def guests(self) -> Mapping[str, Guest]:
        """Robot → whose it is."""
        return self._guests

    def steps(self, seconds: float) -> int:
        """Return ``seconds`` in whole physics steps, at least one."""
        return max(1, round(seconds / self.simulation.scene.timestep))

    def join(self, entry: RobotEntry, guest: Guest) -> None:
        """Let a robot join; or take over one of the world's own that nobody has.

        Raises:
            BadValue: somebody has this name, or the robot cannot be built.
        """
        name = entry.name
        if name in self._guests:
            raise BadValue(f"there is already somebody called '{name}'")
        own = {robot.name: robot.kind for robot in self.simulation.world.robots}
        if name not in own:
            self.do(Join(entry))
        elif own[name] != entry.kind:
            raise BadValue(f"the world's own '{name}' is a {own[name]}, not a {entry.kind}")
        else:
            self._own.add(name)
        self._guests[name] = guest
        self._looked -= self.steps(LOOK_EVERY)  # it hears how it is at the next beat
        self._collect()
        if name in self._own:  # its readings came before its guest did
            self._tell_again(name)
        if (referee := self.simulation.events.referee) is not None:
            guest.notice("Referee", referee.game.told(self.time))

    def leave(self, name: str) -> None:
        """Take a guest's robot away; one of the world's own stops where it is."""
        self._guests.pop(name)
        self.turns.leave(name)
        self._news.pop(name, None)
        if name in self._own:
            self._own.discard(name)
            self.command(name, self.body(name).halt())
        elif name in self.simulation.scene.robots:
            self.do(Leave(name))

    def body(self, name: str) -> Body:
        """Return how a robot appears on the wire."""
        if name not in self._bodies:
            scene = self.simulation.scene
            entry = next(entry for entry in scene.world.robots if entry.name == name)
            sensors = {
                key: sensor for (who, key), (sensor, _) in scene.sensors.items() if who == name
            }
            self._bodies[name] = Body(name, entry.kind, scene.robots[name], sensors, scene.model)
        return self._bodies[name]

    def do(self, action: Action) -> None:
        """Carry out ``action``; what it raises has changed nothing."""
        self.simulation.do(action)
        self._compose()

    def say(self, line: str) -> str:
        """Let the console do a typed line; return its answer."""
        answer = Console(self.simulation).say(line)
        self._compose()
        return answer

    def command(self, robot: str, command: Mapping[str, float | Setpoint]) -> None:
        """Tell a robot what to do."""
        self.simulation.command(robot, command)
        if self.used:
            self._commanded[robot] = command

    def transmit(self, sender: str, data: bytes, to: str | None) -> None:
        """Let everybody in reach hear what a robot says over its radio."""
        self._deliver(self.radio.transmit(sender, data, to))

    # -- time passes -------------------------------------------------------------------------

    @property
    def open(self) -> bool:
        """Whether time may pass: it is nobody's turn."""
        return self.turns.open

    def beat(self, seconds: float = 0.0) -> None:
        """Let one beat pass, or what is left of it until somebody's turn.

        Args:
            seconds: how long the beat is, if longer than usual: a host that is behind saves time.
        """
        self._act()
        steps = self.steps(max(seconds, self.rules.beat))
        if (due := self.turns.next()) is not None:
            steps = min(steps, max(1, due - self.step))
        if self.used:
            for robot, command in self._commanded.items():
                self.used(robot, command)
            self._commanded.clear()
        try:
            rescued = self._rescue.beat(steps * self.simulation.scene.timestep)
        except SimulationDiverged as error:
            rescued = []
            self._evict(error)
        for name in rescued:
            self._rescued(name)
        self._compose()  # an event may have let somebody in
        self._collect()
        self._announce()
        self._then = time = self.time
        self._deliver(self.radio.arrived())
        step = self.step
        begun = self.turns.begin(step)
        if begun or not 0 <= step - self._looked < self.steps(LOOK_EVERY):
            self._looked = step
            for guest in list(self._guests.values()):
                guest.beat(time)
        for name in begun:
            self._publish(name)
            self._guests[name].turn(time)

    def tell(self, name: str) -> None:
        """Tell one guest all its news now."""
        self._publish(name)

    def publish(self) -> bool:
        """Tell the next guest that has news; return whether there was one."""
        while self._waiting:
            if self._publish(self._waiting.popleft()):
                return True
        return False

    def _deliver(self, heard: Iterable[Delivery]) -> None:
        """Let guests hear what came over the radio."""
        for name, message in heard:
            if name in self._guests:
                self._guests[name].hear(message)

    def _act(self) -> None:
        """Let everybody in lockstep do what they put off, in the order of their names."""
        if not self.turns:
            return
        for name in sorted(self._guests):
            if name in self.turns:
                self._guests[name].act()

    def _collect(self) -> None:
        """Sort fresh readings by whose they are; let cameras' be drawn."""
        sensors = self.simulation.scene.sensors
        for robot, reading in self.simulation.drain_readings():
            known = sensors.get((robot, reading.sensor))
            if known is None:
                continue
            sensor, _ = known
            if isinstance(sensor, Camera):
                if self.views:
                    self.views.offer(robot, reading)
                continue
            if robot not in self._guests:
                continue
            news = self._news.get(robot)
            if news is None:
                news = self._news[robot] = []
                self._waiting.append(robot)
            news.append((sensor, reading))

    def _announce(self) -> None:
        """Let everybody hear what was said in the world: by its referee, by the console's say."""
        for entry in self.simulation.drain_events():
            if entry.kind == "said":
                for guest in list(self._guests.values()):
                    guest.notice((entry.by or "world").capitalize(), entry.text)

    def _publish(self, name: str) -> bool:
        news = self._news.pop(name, None)
        if news is None or name not in self._guests:
            return False
        self._guests[name].tell(news)
        return True

    def _tell_again(self, name: str) -> None:
        """Let a guest hear the newest readings of a robot that was there before it."""
        for (robot, key), (sensor, _) in self.simulation.scene.sensors.items():
            if robot == name and not isinstance(sensor, Camera):
                reading = self.simulation.read(robot, key)
                self._news.setdefault(name, []).append((sensor, reading))
        if name in self._news and name not in self._waiting:
            self._waiting.append(name)

    def _evict(self, error: SimulationDiverged) -> None:
        """Take out who most likely cannot even be where it started, and came after the world."""
        brought = [name for name in self._rescue.suspects if name not in self._native]
        if not brought:
            raise error
        _LOG.error("%s; '%s' is taken out of the world", error, brought[0])
        self.do(Leave(brought[0]))

    def _rescued(self, name: str) -> None:
        _LOG.warning("the physics of '%s' diverged at %.3f s; it was reset", name, self.time)
        if name in self._guests:
            text = f"the physics of {name} diverged at {self.time:.3f} s; it is back at its start"
            self._guests[name].notice("Reset", text)

    def _compose(self) -> None:
        """Notice a scene that was composed anew, by whomever: a guest, an event, the console."""
        if self._scene is self.simulation.scene:
            return
        entries = {entry.name: entry for entry in self._scene.world.robots}
        for name in sorted(set(self._guests) - set(self.simulation.scene.robots)):
            if self.time < self._then:  # the world started over: guests stay
                self.simulation.do(Join(entries[name]))
            else:
                self._guests.pop(name).lost()
                self._own.discard(name)
                self.turns.leave(name)
        if self.time < self._then:
            self.turns.restart(self.step)
        self._then = self.time
        self._scene = self.simulation.scene
        self._bodies.clear()
        if self.views:
            self.views.rebind(self._scene)
