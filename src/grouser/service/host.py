"""The host: a simulation, and those who have robots in it. No wire, no socket, no wall clock.

Time passes in ticks, a few physics steps each. Between two ticks robots join, leave and are
commanded; after a tick each owner receives what its own robot's sensors measured, and nothing else.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Protocol

from grouser.errors import BadValue, SimulationDiverged, unknown
from grouser.frames import Pose
from grouser.physics.drives import Setpoint
from grouser.service.background_composer import BackgroundComposer
from grouser.service.console import Console
from grouser.service.lockstep import Lockstep
from grouser.service.membership import Membership
from grouser.service.radio import Delivery, Radio, RadioSignal
from grouser.service.reading_queues import CameraListener, ReadingQueues, SensorReading
from grouser.simulation.changes.actions import Action, Equip, Join, Leave, SetPose
from grouser.simulation.changes.placement import free_spot
from grouser.simulation.divergence.recovery import DivergenceCounter, DivergenceRecovery
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry

FIRST_DROPPED = 100_000
"""Number of the first tag that robots drop: above those that world files use."""


@dataclass
class TagMemory:
    """The tags of a world: what is written on them, and which were dropped by robots."""

    stored: dict[str, str] = field(default_factory=dict)
    """Number of a tag → what is written on it."""
    numbers: Iterator[int] = field(default_factory=lambda: count(FIRST_DROPPED))
    """Numbers of the tags that are still to be dropped."""
    dropped: Counter[str] = field(default_factory=Counter)
    """Robot → how many it has dropped."""


_LOG = logging.getLogger(__name__)

REPORT_EVERY = 0.01
"""Simulated seconds between two moments at which owners learn that time has passed."""


class RobotOwner(Protocol):
    """Whoever has a robot here."""

    address: str
    """Where it is; empty: in this process."""

    def receive_readings(self, readings: list[SensorReading]) -> None:
        """Receive what the robot's sensors have measured."""

    def time_passed(self, time: float) -> None:
        """Note that time has passed, up to ``time`` (s); every few ticks is often enough."""

    def carry_out_deferred(self) -> None:
        """Do what was put off until everybody's turn was over."""

    def begin_turn(self, time: float) -> None:
        """Note that it is the owner's turn, at ``time`` (s); all readings have been received."""

    def notice(self, kind: str, text: str) -> None:
        """Learn something that concerns the owner."""

    def receive_radio(self, message: RadioSignal) -> None:
        """Receive something over the robot's radio."""

    def robot_removed(self) -> None:
        """Note that somebody took the robot out of the world."""

    def turn_missed(self, seconds: float) -> None:
        """Note that its turn took too long (wall time, s): the world waits for it no more."""


@dataclass(frozen=True, kw_only=True)
class HostRules:
    """How a host lets time pass."""

    tick: float = 0.002
    """Simulated seconds of one tick, about: whole physics steps, at least one."""
    players: int = 0
    """Owners in lockstep that must be there before time begins."""
    command_timeout: float = 0.0
    """Simulated seconds after which the robot of a silent client is stopped; 0: never."""
    informed_timeout: float = 0.0
    """The same for clients that know of it, where ``command_timeout`` is 0: programs from before
    Grouser command once and wait."""
    equipment: bool = True
    """Owners' robots carry their standard equipment where nobody said what they carry."""
    robot_files: tuple[str, ...] = ()
    """Robots of files that owners may bring, by the files' own names for them."""


class Host:
    """A simulation whose robots belong to others."""

    def __init__(
        self,
        simulation: Simulation,
        rules: HostRules,
        cameras: CameraListener | None = None,
        composer: BackgroundComposer | None = None,
    ) -> None:
        """Open ``simulation`` to others.

        Args:
            simulation: the world; nobody else steps it.
            rules: how time passes.
            cameras: who shows what cameras see; None: nobody does.
            composer: makes worlds ready aside into which somebody joins; None: time stands still
                meanwhile.
        """
        self.simulation, self.rules = simulation, rules
        self.members = Membership(simulation, composer, self._follow_scene)
        """Changes who is in the world."""
        self.lockstep = Lockstep(rules.players)
        self.tags = TagMemory()
        self.given_names: dict[str, str] = {}
        """Robot → the name that its client gave it, where a world cannot take that."""
        self.titles: dict[str, str] = {}
        """Object that a client made → the class by which it asked for it."""
        self._cameras = cameras
        self._radio = Radio(simulation)
        self._rescue = DivergenceRecovery(simulation)
        self._relapses = DivergenceCounter()
        self._owners: dict[str, RobotOwner] = {}
        world = simulation.world
        self._native = {entry.name for entry in (*world.robots, *world.objects)}
        self._taken_over: set[str] = set()
        """Owners' robots that were there before them, and stay when they leave."""
        self._scene = simulation.scene
        self._then = simulation.time
        self._reported = 0
        """The step at which owners last learned that time has passed."""
        self._queues = ReadingQueues(simulation, cameras)
        if cameras:
            cameras.rebind(simulation.scene)

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
    def owners(self) -> Mapping[str, RobotOwner]:
        """Robot → whose it is."""
        return self._owners

    def steps(self, seconds: float) -> int:
        """Return ``seconds`` in whole physics steps, at least one."""
        return max(1, round(seconds / self.simulation.scene.timestep))

    def join(self, entry: RobotEntry, owner: RobotOwner) -> None:
        """Let a robot join; or take over one of the world's own that nobody has.

        Raises:
            BadValue: somebody has this name, or the robot cannot be built.
            SceneNotReady: the world with it is not ready yet; then nothing was changed.
        """
        name = entry.name
        self.members.flush_departures()
        if name in self._owners:
            raise BadValue(f"there is already somebody called '{name}'")
        if self.rules.equipment:
            entry = entry.equipped()
        own = {robot.name: robot for robot in self.simulation.world.robots}
        if name not in own:
            came = self.members.arrive(entry)
            if came is not entry:
                x, y, z = came.position
                place = f"{x:.2f}, {y:.2f}, {z:.2f} m"
                owner.notice("Moved", f"something was there already; {name} stands at {place}")
        elif own[name].kind != entry.kind:
            raise BadValue(f"the world's own '{name}' is a {own[name].kind}, not a {entry.kind}")
        else:
            if self._lacks_equipment(own[name], entry):
                self.members.change(Equip(name, entry.sensors))
            self._take_over(name)
        self._admit(name, owner)

    def borrow(self, name: str, owner: RobotOwner) -> None:
        """Let somebody have a robot that nobody has, as it is; `leave` gives it back.

        Raises:
            BadValue: somebody has it.
            UnknownName: there is no such robot.
            SceneNotReady: somebody is still leaving.
        """
        self.members.flush_departures()
        if name not in self.simulation.scene.robots:
            raise unknown("borrow", "robot", name, self.simulation.scene.robots)
        if name in self._owners:
            raise BadValue(f"'{name}' belongs to another client, who drives it")
        self._take_over(name)
        self._admit(name, owner)

    def _take_over(self, name: str) -> None:
        """Note that a robot was there before its owner, and stays when that one leaves."""
        self._queues.collect(self._owners)  # what was measured before is nobody's
        self._taken_over.add(name)

    def _admit(self, name: str, owner: RobotOwner) -> None:
        """Let a robot be somebody's from now on."""
        self._owners[name] = owner
        self._reported -= self.steps(REPORT_EVERY)  # it learns how it is at the next tick
        self._queues.collect(self._owners)
        if (referee := self.simulation.events.referee) is not None:
            owner.notice("Referee", referee.game.summary(self.time))

    def leave(self, name: str) -> None:
        """Take an owner's robot away; one of the world's own stops where it is."""
        self._owners.pop(name)
        self.given_names.pop(name, None)
        self.lockstep.leave(name)
        self._queues.pop(name)
        if name in self._taken_over:
            self._taken_over.discard(name)
            self.halt(name)
        elif name in self.simulation.scene.robots:
            self.halt(name)
            self.members.remove_soon([name])

    # -- what they do ------------------------------------------------------------------------

    def do(self, action: Action) -> None:
        """Carry out ``action``; what it raises has changed nothing."""
        self.simulation.apply(action)
        self._follow_scene()

    def console(self, line: str) -> str:
        """Carry out a typed line of the console; return its answer."""
        answer = Console(self.simulation, awaited=self.lockstep.awaited).execute(line)
        self._follow_scene()
        return answer

    def command(self, robot: str, command: Mapping[str, float | Setpoint]) -> None:
        """Command a robot, as `Simulation.command` does."""
        self.simulation.command(robot, command)

    def halt(self, robot: str) -> None:
        """Stop a robot: wheels, belts and its gait stand, other joints hold."""
        self.command(robot, self.simulation.scene.robots[robot].halt())

    def transmit(self, sender: str, data: bytes, to: str | None) -> None:
        """Let everybody in reach receive what a robot sends over its radio."""
        self._deliver(self._radio.transmit(sender, data, to))

    # -- time passes -------------------------------------------------------------------------

    def advance(self, seconds: float = 0.0) -> None:
        """Let one tick pass, or what is left of it until somebody's turn.

        Args:
            seconds: how long the tick is, if longer than usual: a host that is behind saves time.
        """
        self._carry_out_deferred()
        steps = self.steps(max(seconds, self.rules.tick))
        if (due := self.lockstep.next_turn()) is not None:
            steps = min(steps, max(1, due - self.step))
        try:
            rescued = self._rescue.step(steps * self.simulation.scene.timestep)
        except SimulationDiverged as error:
            rescued = []
            self._evict(error)
        for name in rescued:
            self._report_rescue(name)
        self._follow_scene()  # an event may have let somebody in
        self._queues.collect(self._owners)
        self._announce()
        self._then = time = self.time
        self._deliver(self._radio.arrived())
        step = self.step
        begun = self.lockstep.begin_turns(step)
        if begun or not 0 <= step - self._reported < self.steps(REPORT_EVERY):
            self._reported = step
            for owner in list(self._owners.values()):
                owner.time_passed(time)
        for name in begun:
            self.publish(name)
            self._owners[name].begin_turn(time)

    def enter_lockstep(self, name: str, every: float) -> None:
        """Wait for a robot's owner every ``every`` simulated seconds, from now on.

        Its first turn has a reading of each of its sensors, even if no time has passed yet.
        """
        self.lockstep.enter(name, self.steps(every), self.step)
        self._queues.fill_up(name)

    def expire_turn(self, name: str, seconds: float) -> None:
        """Wait no more for somebody whose turn has taken ``seconds`` of wall time already."""
        self.lockstep.leave(name)
        self._owners[name].turn_missed(seconds)

    def publish(self, name: str) -> bool:
        """Send one owner all its readings now; return whether there were any."""
        readings = self._queues.pop(name)
        if not readings or name not in self._owners:
            return False
        self._owners[name].receive_readings(readings)
        return True

    def publish_next(self) -> bool:
        """Send the next owner in the queue its readings; return whether there was one."""
        return any(self.publish(name) for name in self._queues.in_order())

    def _deliver(self, deliveries: Iterable[Delivery]) -> None:
        """Let owners receive what came over the radio."""
        for name, message in deliveries:
            if name in self._owners:
                self._owners[name].receive_radio(message)

    def _carry_out_deferred(self) -> None:
        """Let everybody in lockstep do what they put off, in the order of their names."""
        if not self.lockstep:
            return
        for name in sorted(self._owners):
            if name in self.lockstep:
                self._owners[name].carry_out_deferred()

    def _announce(self) -> None:
        """Let everybody learn what was said in the world: by its referee, by the console's say."""
        for entry in self.simulation.drain_events():
            if entry.kind == "said":
                for owner in list(self._owners.values()):
                    owner.notice((entry.by or "world").capitalize(), entry.text)

    def _lacks_equipment(self, robot: RobotEntry, wanted: RobotEntry) -> bool:
        """Return whether ``robot`` has less than ``wanted``, of a kind that has equipment."""
        equipment = self.simulation.scene.robots[robot.name].equipment
        return bool(equipment) and robot.sensors != wanted.sensors

    def _evict(self, error: SimulationDiverged) -> None:
        """Take out who most likely cannot even be where it started, and came after the world."""
        brought = [name for name in self._rescue.suspects if name not in self._native]
        if not brought:
            raise error
        _LOG.error("%s; '%s' is taken out of the world", error, brought[0])
        self.do(Leave(brought[0]))

    def _report_rescue(self, name: str) -> None:
        _LOG.warning("the physics of '%s' diverged at %.3f s; it was reset", name, self.time)
        again = self._relapses.count(name, self.time)
        text = f"the physics of {name} diverged at {self.time:.3f} s; it is back at its start"
        if again >= 2:  # it cannot be there, nor near there
            _LOG.error("'%s' diverged three times in a row; it is taken out of the world", name)
            self.do(Leave(name))
            return
        if again:
            live = self.simulation.state
            place = self.simulation.pose(name)
            move = free_spot(live.model, live.data, live.ownership.bodies(name), away=True)
            self.do(SetPose(name, Pose(place.position + move, place.wxyz)))
            text += ", and was moved aside"
        if name in self._owners:
            self._owners[name].notice("Reset", text)

    def _follow_scene(self) -> None:
        """Notice a scene that was recomposed, by whomever: an owner, an event, the console."""
        if self._scene is self.simulation.scene:
            return
        entries = {entry.name: entry for entry in self._scene.world.robots}
        for name in sorted(set(self._owners) - set(self.simulation.scene.robots)):
            if self.time < self._then:  # the world started over: owners stay
                self.simulation.apply(Join(entries[name]))
            else:
                self._owners.pop(name).robot_removed()
                self.given_names.pop(name, None)
                self._taken_over.discard(name)
                self.lockstep.leave(name)
        if self.time < self._then:
            now = {entry.name: entry for entry in self.simulation.world.robots}
            for name in sorted(self._taken_over):
                if self._lacks_equipment(now[name], entries[name]):
                    self.simulation.apply(Equip(name, entries[name].sensors))
            self.lockstep.restart(self.step)
        self._then = self.time
        there = {thing.name for thing in self.simulation.world.objects}
        self.titles = {name: title for name, title in self.titles.items() if name in there}
        self._scene = self.simulation.scene
        if self._cameras:
            self._cameras.rebind(self._scene)
