"""Multi-client host: a simulation whose robots belong to clients. No wire, socket or wall clock.

Time passes in ticks of a few physics steps. Between two ticks robots join, leave and are commanded;
after a tick each owner receives the readings of its own robot's sensors only.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import count

from grouser.errors import BadValue, SimulationDiverged, unknown
from grouser.frames import Pose
from grouser.service.background_composer import BackgroundComposer
from grouser.service.console import Console
from grouser.service.lockstep import Lockstep
from grouser.service.membership import Membership
from grouser.service.radio import Delivery, Radio, RadioSignal
from grouser.service.reading_queues import CameraListener, ReadingQueues, SensorReading
from grouser.simulation.changes.actions import Action, Command, Equip, Join, Leave, SetPose
from grouser.simulation.changes.placement import free_joint, free_spot
from grouser.simulation.divergence.recovery import DivergenceCounter, DivergenceRecovery
from grouser.simulation.simulation import Simulation
from grouser.world.file import STANDARD_EQUIPMENT, RobotEntry

_LOG = logging.getLogger(__name__)

REPORT_EVERY = 0.01
"""Simulated seconds between two calls of `RobotOwner.time_passed`."""
FIRST_DROPPED = 100_000
"""Number of the first tag that robots drop: above those that world files use."""


@dataclass
class TagMemory:
    """RFID tags of a world: their contents, and those that robots dropped."""

    stored: dict[str, str] = field(default_factory=dict)
    """Number of a tag -> its content."""
    numbers: Iterator[int] = field(default_factory=lambda: count(FIRST_DROPPED))
    """Numbers for tags that will be dropped."""
    dropped: Counter[str] = field(default_factory=Counter)
    """Robot -> number of tags it has dropped."""


class RobotOwner:
    """Owner of a robot in a `Host`; subclasses override the callbacks that they need."""

    address: str = ""
    """Address of the client; empty: in this process."""

    def receive_readings(self, readings: list[SensorReading]) -> None:
        """Receive readings of the robot's sensors."""

    def time_passed(self, time: float) -> None:
        """React to the simulated time ``time`` (s); called every few ticks."""

    def execute_deferred(self) -> None:
        """Execute the commands that were deferred to the end of the turn."""

    def begin_turn(self, time: float) -> None:
        """Begin a turn at ``time`` (s); all readings have been received."""

    def turn_expired(self, seconds: float) -> None:
        """End lockstep: the turn took longer than ``seconds`` (wall time)."""

    def notice(self, kind: str, text: str) -> None:
        """Receive a notice for the owner."""

    def receive_radio(self, message: RadioSignal) -> None:
        """Receive a message over the robot's radio."""

    def robot_removed(self) -> None:
        """React to the removal of the robot by another client, an event or the console."""

    def disconnect(self) -> None:
        """End the connection after an internal error; the robot is released already."""


@dataclass(frozen=True, kw_only=True)
class HostRules:
    """Rules of a host."""

    tick: float = 0.002
    """Simulated seconds of one tick, rounded to whole physics steps, at least one."""
    players: int = 0
    """Owners in lockstep that must have entered before time begins."""
    command_timeout: float = 0.0
    """Simulated seconds after which the robot of a silent client is stopped; 0: never."""
    informed_timeout: float = 0.0
    """The same for clients of Grouser's own protocol, where ``command_timeout`` is 0: other
    programs command once and wait."""
    equipment: bool = True
    """Owners' robots carry their standard equipment unless sensors are listed explicitly."""
    robot_files: tuple[str, ...] = ()
    """Robot files whose robots owners may add, by the names in the files."""


class Host:
    """A simulation whose robots belong to owners."""

    def __init__(
        self,
        simulation: Simulation,
        rules: HostRules,
        cameras: CameraListener | None = None,
        composer: BackgroundComposer | None = None,
    ) -> None:
        """Host ``simulation``.

        Args:
            simulation: the world; only the host steps it.
            rules: tick, lockstep and time-outs.
            cameras: receives the readings of cameras; None: they are dropped.
            composer: compiles scenes in the background; None: synchronously.
        """
        self.simulation, self.rules = simulation, rules
        self.members = Membership(simulation, composer, self._follow_scene)
        """Adds and removes robots and objects."""
        self.lockstep = Lockstep(rules.players)
        self.tags = TagMemory()
        self.given_names: dict[str, str] = {}
        """Robot -> name given by its client, where it is not valid in a world."""
        self.titles: dict[str, str] = {}
        """Object created by a client -> class name in the request."""
        self._cameras = cameras
        self._radio = Radio(simulation)
        self._recovery = DivergenceRecovery(simulation)
        self._divergences = DivergenceCounter()
        self._owners: dict[str, RobotOwner] = {}
        world = simulation.world
        self._native = {entry.name for entry in (*world.robots, *world.objects)}
        self._taken_over: set[str] = set()
        """Owned robots of the world itself; they stay when their owners leave."""
        self._scene, self._generation = simulation.scene, simulation.generation
        self._then, self._resets = simulation.time, simulation.resets
        self._reported = 0
        """Step of the last call of `RobotOwner.time_passed`."""
        self._queues = ReadingQueues(simulation, cameras)
        if cameras:
            cameras.rebind(simulation.scene)

    # -- owners ------------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self.simulation.time

    @property
    def step(self) -> int:
        """Physics steps since the start."""
        return round(self.simulation.time / self.simulation.scene.timestep)

    @property
    def owners(self) -> Mapping[str, RobotOwner]:
        """Robot -> its owner."""
        return self._owners

    def steps(self, seconds: float) -> int:
        """Return ``seconds`` in whole physics steps, at least one."""
        return max(1, round(seconds / self.simulation.scene.timestep))

    def join(self, entry: RobotEntry, owner: RobotOwner) -> None:
        """Add a robot, or assign an unowned robot of the world itself.

        Raises:
            BadValue: the name is in use, or the robot cannot be built.
            SceneNotReady: the scene with it is not compiled yet; nothing was changed.
        """
        name = entry.name
        self.members.flush_departures()
        if name in self._owners:
            raise BadValue(f"the name '{name}' is in use already")
        if self.rules.equipment:
            entry = entry.equipped()
        own = {robot.name: robot for robot in self.simulation.world.robots}
        if name not in own:
            self._add(entry, owner)
            return
        if own[name].kind != entry.kind:
            raise BadValue(f"the world's own '{name}' is a {own[name].kind}, not a {entry.kind}")
        if self._lacks_equipment(own[name], entry):
            self.members.change(Equip(name, entry.sensors), owner.address)
        self._take_over(name)
        self._assign(name, owner)

    def _add(self, entry: RobotEntry, owner: RobotOwner) -> None:
        """Add a robot for an owner; if that fails, remove it again."""
        try:
            came = self.members.arrive(entry, owner.address)
            if came is not entry:
                x, y, z = came.position
                place = f"{x:.2f}, {y:.2f}, {z:.2f} m"
                text = f"something was there already; {entry.name} stands at {place}"
                owner.notice("Moved", text)
            self._assign(entry.name, owner)
        except BaseException:
            self._owners.pop(entry.name, None)
            if entry.name in self.simulation.scene.robots:
                self.members.remove_soon([entry.name])
            raise

    def borrow(self, name: str, owner: RobotOwner) -> None:
        """Assign an unowned robot to ``owner`` as it is, until `leave`.

        Raises:
            UnknownName: there is no such robot, or its client has just left.
            BadValue: it has an owner.
        """
        robots, leaving = self.simulation.scene.robots, self.members.departing
        if name not in robots or name in leaving:
            there = [robot for robot in robots if robot not in leaving]
            raise unknown("borrow", "robot", name, there)
        if name in self._owners:
            raise BadValue(f"'{name}' belongs to another client")
        self._take_over(name)
        self._assign(name, owner)

    def _take_over(self, name: str) -> None:
        """Register that a robot belongs to the world itself, and stays when its owner leaves."""
        self._queues.collect(self._owners)  # drops earlier readings
        self._taken_over.add(name)

    def _assign(self, name: str, owner: RobotOwner) -> None:
        """Assign a robot to an owner."""
        self._owners[name] = owner
        self._reported -= self.steps(REPORT_EVERY)  # report at the next tick
        self._queues.collect(self._owners)
        if (referee := self.simulation.events.referee) is not None:
            owner.notice("Referee", referee.game.summary(self.time))

    def leave(self, name: str) -> None:
        """Remove an owner's robot; a robot of the world itself stops and stays."""
        self._release(name)
        native = name in self._taken_over
        self._taken_over.discard(name)
        if name not in self.simulation.scene.robots:
            return
        try:
            self.halt(name)
        finally:
            if not native:
                self.members.remove_soon([name])

    def _release(self, name: str) -> RobotOwner:
        """Remove and return the owner of a robot."""
        self.given_names.pop(name, None)
        self.lockstep.leave(name)
        self._queues.pop(name)
        return self._owners.pop(name)

    # -- callbacks of owners -----------------------------------------------------------------

    def _call(self, name: str, callback: Callable[[RobotOwner], None]) -> None:
        """Call the owner of a robot, if it has one; an exception costs it its connection."""
        if name in self._owners:
            self._guard(name, self._owners[name], callback)

    def _guard(self, name: str, owner: RobotOwner, callback: Callable[[RobotOwner], None]) -> None:
        """Call ``owner``; after an exception release its robot and disconnect it."""
        try:
            callback(owner)
        except Exception:  # one client's error must not stop the simulation for others
            _LOG.exception("%s: disconnected after an internal error", owner.address or name)
            owner.disconnect()
            if self._owners.get(name) is owner:
                self.leave(name)

    def _notify(self, name: str, kind: str, text: str) -> None:
        """Send a notice to the owner of a robot, if it has one."""
        self._call(name, lambda owner: owner.notice(kind, text))

    # -- commands ----------------------------------------------------------------------------

    def apply(self, action: Action, *, source: str = "server") -> None:
        """Apply ``action`` for ``source``; one that raises has changed nothing."""
        self.simulation.apply(action, source=source)
        self._follow_scene()

    def console(self, line: str, *, source: str = "console") -> str:
        """Execute a console line of ``source``; return its answer."""
        console = Console(self.simulation, awaited=self.lockstep.awaited, source=source)
        answer = console.execute(line)
        self._follow_scene()
        return answer

    def halt(self, robot: str, *, source: str = "server") -> None:
        """Stop a robot: wheels, belts and gait stop, other joints hold."""
        self.apply(Command(robot, self.simulation.scene.robots[robot].halt()), source=source)

    def transmit(self, sender: str, data: bytes, to: str | None) -> None:
        """Send ``data`` over a robot's radio to all robots in range, or to one."""
        self._deliver(self._radio.transmit(sender, data, to))

    # -- time --------------------------------------------------------------------------------

    def advance(self, seconds: float = 0.0) -> None:
        """Advance by one tick (or ``seconds``), or by the rest of it until the next turn."""
        self._execute_deferred()
        steps = self.steps(max(seconds, self.rules.tick))
        if (due := self.lockstep.next_turn()) is not None:
            steps = min(steps, max(1, due - self.step))
        try:
            recovered = self._recovery.step(steps * self.simulation.scene.timestep)
        except SimulationDiverged as error:
            recovered = []
            self._evict(error)
        for name in recovered:
            self._report_recovery(name)
        self._follow_scene()  # an event may have changed the scene
        self._queues.collect(self._owners)
        self._announce()
        self._then = time = self.time
        self._deliver(self._radio.arrived())
        step = self.step
        begun = self.lockstep.begin_turns(step)
        if begun or not 0 <= step - self._reported < self.steps(REPORT_EVERY):
            self._reported = step
            for name in list(self._owners):
                self._call(name, lambda owner: owner.time_passed(time))
        for name in begun:
            self.publish(name)
            self._call(name, lambda owner: owner.begin_turn(time))

    def enter_lockstep(self, name: str, every: float) -> None:
        """Give a robot's owner a turn every ``every`` simulated seconds, from now on."""
        # The first turn has a reading of each sensor, even if no time has passed yet.
        self.lockstep.enter(name, self.steps(every), self.step)
        self._queues.fill_up(name)

    def expire_turn(self, name: str, seconds: float) -> None:
        """Remove an owner from lockstep, whose turn took longer than ``seconds`` of wall time."""
        self.lockstep.leave(name)
        self._call(name, lambda owner: owner.turn_expired(seconds))

    def publish(self, name: str) -> bool:
        """Send the queued readings of a robot to its owner; return True if there were any."""
        readings = self._queues.pop(name)
        if not readings or name not in self._owners:
            return False
        self._call(name, lambda owner: owner.receive_readings(readings))
        return True

    def publish_next(self) -> bool:
        """Send the readings of the next robot in the queue; return True if there were any."""
        return any(self.publish(name) for name in self._queues.in_order())

    def _deliver(self, deliveries: Iterable[Delivery]) -> None:
        """Pass radio messages to the owners of their receivers."""
        for name, message in deliveries:
            self._call(name, partial(_pass_radio, message))

    def _execute_deferred(self) -> None:
        """Execute the deferred commands of all owners in lockstep, in the order of their names."""
        if not self.lockstep:
            return
        for name in sorted(self._owners):
            if name in self.lockstep:
                self._call(name, lambda owner: owner.execute_deferred())

    def _announce(self) -> None:
        """Send announcements (of the referee or the console) to all owners."""
        for entry in self.simulation.drain_events():
            if entry.kind == "message":
                kind, text = (entry.by or "world").capitalize(), entry.text
                for name in list(self._owners):
                    self._notify(name, kind, text)

    def _lacks_equipment(self, robot: RobotEntry, wanted: RobotEntry) -> bool:
        """Return True if ``robot`` lacks sensors of ``wanted``: listed ones or the equipment."""
        equipment = self.simulation.scene.robots[robot.name].equipment
        listed = wanted.sensors not in ((), (STANDARD_EQUIPMENT,))
        return (listed or bool(equipment)) and robot.sensors != wanted.sensors

    def _evict(self, error: SimulationDiverged) -> None:
        """Remove the most suspicious robot that joined after the start; raise if there is none."""
        brought = [name for name in self._recovery.suspects if name not in self._native]
        if not brought:
            raise error
        _LOG.error("%s; '%s' is removed from the world", error, brought[0])
        self.apply(Leave(brought[0]))

    def _report_recovery(self, name: str) -> None:
        _LOG.warning("the physics of '%s' diverged at %.3f s; it was reset", name, self.time)
        again = self._divergences.count(name, self.time)
        text = f"the physics of {name} diverged at {self.time:.3f} s; it is back at its start"
        if again >= 2:  # neither its place nor one near it is possible
            _LOG.error("'%s' diverged three times in a row; it is removed from the world", name)
            self.apply(Leave(name))
            return
        live = self.simulation.state
        bodies = live.ownership.bodies(name)
        if again and free_joint(live.model, bodies) is not None:
            place = self.simulation.pose(name)
            move = free_spot(live.model, live.data, bodies, away=True)
            self.apply(SetPose(name, Pose(place.position + move, place.wxyz)))
            text += ", and was moved aside"
        self._notify(name, "Reset", text)

    def _follow_scene(self) -> None:
        """Update owners and cameras after the scene was replaced."""
        if self._generation == self.simulation.generation:
            return
        self._generation = self.simulation.generation
        was_reset = self._resets != self.simulation.resets or self.time < self._then
        self._resets = self.simulation.resets
        entries = {entry.name: entry for entry in self._scene.world.robots}
        for name in sorted(set(self._owners) - set(self.simulation.scene.robots)):
            if was_reset:  # owned robots stay
                self.simulation.apply(Join(entries[name]), source="server")
            else:
                owner = self._release(name)
                self._taken_over.discard(name)
                self._guard(name, owner, lambda owner: owner.robot_removed())
        if was_reset:
            now = {entry.name: entry for entry in self.simulation.world.robots}
            for name in sorted(self._taken_over):
                if self._lacks_equipment(now[name], entries[name]):
                    self.simulation.apply(Equip(name, entries[name].sensors), source="server")
            self.lockstep.restart(self.step)
        self._then = self.time
        there = {thing.name for thing in self.simulation.world.objects}
        self.titles = {name: title for name, title in self.titles.items() if name in there}
        self._scene = self.simulation.scene
        if self._cameras:
            self._cameras.rebind(self._scene)


def _pass_radio(message: RadioSignal, owner: RobotOwner) -> None:
    owner.receive_radio(message)
