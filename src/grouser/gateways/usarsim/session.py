"""A session: one client. Messages in, commands and actions out; readings in, lines out.

No socket: whoever has one feeds `Session.receive` and passes on what `Session` says. Questions are
answered at once. What changes the world is done at once, too, but put off to the end of everybody's
turn for a client in lockstep. Nothing that a client says raises: what is wrong is counted and
logged, and told to clients that speak Grouser's own lines.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from functools import partial

from grouser.errors import BadValue, GrouserError, Refused
from grouser.gateways.usarsim import settings
from grouser.gateways.usarsim.backlog import Backlog
from grouser.gateways.usarsim.drive_modes import Driving
from grouser.gateways.usarsim.geo_conf import configuration, geometry
from grouser.gateways.usarsim.message_kinds import (
    CONTROLLER,
    NOTHING,
    OWN,
    POWERED,
    QUESTIONS,
    complaint,
)
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.usarsim.sensor_encoding import say
from grouser.gateways.usarsim.spawn import arrival, start_poses
from grouser.gateways.usarsim.world_controller import Controllers
from grouser.gateways.usarsim.writer import MessageWriter
from grouser.protocol.lines import Fault
from grouser.protocol.usarsim import commands, control, extensions, response, setting
from grouser.protocol.usarsim.codec import ServerSide
from grouser.protocol.usarsim.message import Message, UnknownMessage
from grouser.protocol.usarsim.nfo import Greeting
from grouser.protocol.usarsim.turns import MOVE_COMMANDS
from grouser.sensors.sensor import Reading, Sensor
from grouser.service.access import AccessControl, Role
from grouser.service.host import Host
from grouser.service.lockstep import LONGEST_TURN
from grouser.service.outbox import Sender
from grouser.service.watchdog import STATE_EVERY, Watchdog
from grouser.simulation.changes.actions import SetPose

_LOG = logging.getLogger("grouser.server")

LOGGED = 5
"""Lines without a meaning that are logged of one client."""


class Session:
    """One client of a host."""

    def __init__(
        self,
        host: Host,
        profile: PortProfile,
        sender: Sender,
        access: AccessControl,
        address: str,
        *,
        controllers: Controllers,
        longest: int,
        may_join: Callable[[], bool],
    ) -> None:
        """Greet a client.

        Args:
            host: the world it comes to.
            profile: dialect, axes and units of its port.
            sender: takes what it is told.
            access: says what it may do.
            address: where it is, for access and log.
            controllers: what world controllers have made.
            longest: bytes that a line may have.
            may_join: says whether one more robot may come from its address.
        """
        self._host, self._profile = host, profile
        self._access, self.address, self._may_join = access, address, may_join
        self._controllers = controllers
        self._side = ServerSide(profile.dialect, longest)
        self._writer = MessageWriter(self._side, sender)
        self._roles = frozenset[Role]() if access.needs_token else access.check(address)
        self._driving = Driving()
        self._backlog = Backlog()
        self._vitals = self._alive()
        self._asked: set[str] = set()
        """Depth cameras whose next picture is to be said."""
        self.robot: str | None = None
        """Name of its robot in the world."""
        self.is_controller = False
        self.counts: Counter[str] = Counter()
        """Lines heard, faults, refusals…"""
        self._writer.say(Greeting(level=host.simulation.world.name))

    # -- what it says ------------------------------------------------------------------------

    @property
    def let_in(self) -> bool:
        """Whether it may do anything at all."""
        return bool(self._roles)

    def receive(self, data: bytes) -> int:
        """Take the next bytes; return how many lines they completed."""
        heard = self._side.receive(data)
        for message in heard:
            self._hear(message)
        return len(heard)

    def close(self) -> None:
        """The client is gone: its robot leaves, and what it put there for a while."""
        _LOG.info("%s: gone; %s", self._who, dict(self.counts) or "it said nothing")
        if self.robot is not None:
            name, self.robot = self.robot, None
            self._host.leave(name)
        if self.is_controller:
            self._controllers.close(self)

    def _hear(self, message: Message | Fault) -> None:
        self.counts["lines"] += 1
        if isinstance(message, NOTHING):
            self._drop(message)
            return
        self._writer.modern = self._writer.modern or isinstance(message, OWN)
        if self.robot in self._host.turns and not isinstance(message, QUESTIONS):
            self._put_off(message)
        else:
            self._vitals.heard(self._host.time)
            self._do(message)

    def _drop(self, message: Fault | UnknownMessage) -> None:
        """Count what means nothing here; log the first few, so that nobody can fill a disk.

        Those who know notices are told of a line that is wrong: else they would wait in vain.
        """
        self.counts["faults"] += 1
        if (number := self.counts["faults"]) <= LOGGED:
            more = "; further ones are only counted" if number == LOGGED else ""
            _LOG.info("%s: dropped %s%s", self._who, message, more)
        if self._writer.modern and (why := complaint(message)):
            self.notice("Refused", why)

    def _do(self, message: Message) -> None:
        try:
            self._carry_out(message)
        except GrouserError as error:
            self._refuse(message, error)
        except Exception:  # a fault of ours: it must not stop the world for everybody else
            self.counts["broken"] += 1
            _LOG.exception("%s: %s broke off", self._who, type(message).__name__)

    def _carry_out(self, message: Message) -> None:
        if self._empty and isinstance(message, POWERED):
            self.counts["idle"] += 1
            return
        match message:
            case _ if isinstance(message, MOVE_COMMANDS):  # first: nothing else comes as often
                self._move(message)
            case commands.Login():
                self._roles = self._access.check(self.address, message.token)
            case commands.Init():
                self._init(message)
            case commands.GetStartPoses():
                self._admit()
                self._writer.say(start_poses(self._host.simulation.world, self._profile))
            case commands.GetGeometry():
                self._writer.say_all(geometry(self._host.body(self.own()), message, self._profile))
            case commands.GetConfiguration():
                self._writer.say_all(self._configurations(message))
            case setting.Setting():
                self._set(message)
            case control.Control():
                self._control(message)
            case extensions.Lockstep():
                self._lockstep(message)
            case extensions.Step():
                raise BadValue("STEP ends a turn, LOCKSTEP {Every …} comes first")
            case extensions.ConsoleLine():
                self._typed(message)
            case extensions.Transmit():
                self._host.transmit(self.own(), message.data, message.to)
            case _:  # TRACE and the path nodes of avatars: known, and nothing comes of them
                self.counts["idle"] += 1

    def _refuse(self, message: Message, error: Exception) -> None:
        kind = "refused" if isinstance(error, Refused) else "bad"
        self.counts[kind] += 1
        _LOG.info("%s: %s: %s", self._who, type(message).__name__, error)
        if isinstance(message, setting.Setting):
            self._writer.say(self._result(message, response.FAILED))
        if self._writer.modern or isinstance(error, Refused):
            self.notice("Refused", str(error))

    # -- turns -------------------------------------------------------------------------------

    def _put_off(self, message: Message) -> None:
        try:
            self._backlog.add(message)
        except BadValue as error:
            self._refuse(message, error)
        self._take_turn()

    def _take_turn(self) -> None:
        """Take what was put off into this turn, up to what ends it."""
        name = self.robot
        if name is None or not self._backlog or not self._host.turns.thinking(name):
            return
        self._vitals.heard(self._host.time)  # by turns, not by when it came over the wire
        if self._backlog.turn():
            self._host.turns.end(name)

    def act(self) -> None:
        """Do what was put off until everybody's turn was over."""
        for message in self._backlog.deeds():
            self._do(message)

    def turn(self, time: float) -> None:
        """Say that it is the client's turn; it may have said already what to do."""
        self._writer.say(extensions.Tick(time))
        self._take_turn()

    # -- what it is told ---------------------------------------------------------------------

    def tell(self, readings: list[tuple[Sensor, Reading]]) -> None:
        """Say what the robot's sensors said; an empty battery feeds none."""
        if self._empty:
            return
        assert self.robot is not None  # only guests with a robot are told
        body = self._host.body(self.robot)
        self._writer.say_stale(say(readings, body, self._profile, self._asked))
        if self._asked:
            self._asked -= {reading.sensor for _, reading in readings}

    def beat(self, time: float) -> None:
        """Say how the robot is when that is due; stop it when it must not go on."""
        vitals = self._vitals
        vitals.beat(time)
        if vitals.state_due(time):
            self._state(time)
        if vitals.runs_down(time):
            self._halt()
            self.notice("Empty", "the battery is empty, the robot stops")
        if vitals.falls_silent(time):
            timeout = self._host.rules.command_timeout
            self._halt()
            _LOG.info("%s: silent for %.1f s, its robot was stopped", self._who, timeout)
            self.notice("Stopped", f"nothing was heard for {timeout:g} s, the robot stops")

    def notice(self, kind: str, text: str) -> None:
        """Say something that concerns the client; only those who know our own lines hear it."""
        self._writer.notice(kind, text)

    def lost(self) -> None:
        """Note that somebody took the robot out of the world."""
        self.notice("Removed", f"{self.robot} was taken out of the world")
        self.robot = None

    def _state(self, time: float) -> None:
        assert self.robot is not None  # only guests with a robot hear beats
        views = self._host.views
        states = self._host.body(self.robot).state(
            time,
            self._host.simulation.angles(self.robot),
            self._profile,
            battery=self._vitals.seconds_left(time),
            light=self._driving.light,
            view=views.tile(self.robot) if views else -1,
        )
        # With an empty battery nothing but STA goes on (reference: UT2004, UDK).
        self._writer.say_stale(states[-1:] if self._empty else states)

    def _alive(self, battery: float | None = None) -> Watchdog:
        """Begin to count simulated time for a robot."""
        every, timeout = STATE_EVERY[self._profile.dialect.name], self._host.rules.command_timeout
        return Watchdog(every, timeout, self._host.time, battery)

    @property
    def _empty(self) -> bool:
        return not self._vitals.endless and self._vitals.empty(self._host.time)

    def _halt(self) -> None:
        assert self.robot is not None
        self._host.command(self.robot, self._host.body(self.robot).halt(self._driving))

    # -- what is done about it ---------------------------------------------------------------

    @property
    def _who(self) -> str:
        return f"{self.address} ({self.robot or 'no robot'})"

    def need(self, role: Role) -> None:
        """Raise `Refused` if the client has not got ``role``."""
        self._admit()
        if role not in self._roles:
            raise Refused(f"this needs a token with the role '{role.value}'")

    def _admit(self) -> None:
        """Raise `Refused` if the client has not been let in."""
        if not self._roles:
            self._access.check(self.address)  # says what to do about it

    def own(self) -> str:
        """Return the name of its robot; raise if it has none, or one that cannot move any more."""
        if self.robot is None:
            raise BadValue("there is no robot yet, INIT comes first")
        return self.robot

    def _init(self, message: commands.Init) -> None:
        if message.token is not None:
            self._roles = self._access.check(self.address, message.token)
        if self.robot is not None or self.is_controller:
            raise BadValue("INIT was said before on this connection")
        if message.robot.lower() == CONTROLLER:
            self.need(Role.CONTROL)
            self.is_controller = True
            return
        self.need(Role.DRIVE)
        if not self._may_join():
            raise Refused("no further robot may come from this address")
        entry = arrival(message, self._host, self._profile)
        self._host.join(entry, self)
        self.robot = entry.name
        self._vitals = self._alive(message.battery_s)
        _LOG.info("%s: joined as a %s", self._who, entry.kind)
        if not self._profile.dialect.packed:  # UDK says unasked where a camera's picture is
            self._writer.say_all(self._configurations(commands.GetConfiguration("Camera")))

    def _move(self, message: Message) -> None:
        name, host = self.own(), self._host
        body = host.body(name)
        angles = partial(host.simulation.angles, name)
        orders = body.orders(message, self._profile, angles, self._driving)
        self._vitals.moved()
        host.command(name, orders)
        if body.flips(message) and (upright := body.righted(host.simulation.pose(name))):
            host.do(SetPose(name, upright))
        if isinstance(message, setting.Setting):
            self._writer.say(self._result(message, response.OK))

    def _set(self, message: setting.Setting) -> None:
        host, body = self._host, self._host.body(self.own())
        outcome = settings.apply(message, body, host.simulation, self._profile, host.tags)
        for action in outcome.actions:
            host.do(action)
        self._asked |= set(outcome.asked)
        self._writer.say(outcome.response)

    def _result(self, message: setting.Setting, status: str) -> response.Response:
        said = dict(message.segments(self._profile.dialect))
        result = response.Result("Name", said.get("Name", ""), status)
        return response.Response(self._host.time, said.get("Type", ""), (result,))

    def _configurations(self, message: commands.GetConfiguration) -> list[Message]:
        name, views = self.own(), self._host.views
        return configuration(
            self._host.body(name),
            message,
            self._profile,
            cameras=views.tiles(name) if views else {},
            key=views.key(name) if views else None,
            zooms=settings.zooms(self._host.body(name), self._host.simulation),
        )

    def _lockstep(self, message: extensions.Lockstep) -> None:
        if not 0 <= message.every <= LONGEST_TURN:
            allowed = f"0 (no more) to {LONGEST_TURN:g}"
            raise BadValue(f"LOCKSTEP: Every is {message.every:g} s, must be {allowed}")
        if message.every == 0 and self.robot is None:
            return  # nothing to leave: how a client shows that it knows our own lines
        name, host = self.own(), self._host
        if message.every == 0:
            host.turns.leave(name)
            for said in self._backlog.everything():
                self._do(said)
            return
        self._backlog.by_command = bool(message.by_command)
        host.turns.ask(name, host.steps(message.every), host.step)
        host.tell(name)
        self.turn(host.time)

    def _typed(self, message: extensions.ConsoleLine) -> None:
        self.need(Role.CONTROL)
        try:
            self._writer.say(extensions.ConsoleAnswer(self._host.say(message.line)))
        except GrouserError as error:
            self._writer.say(extensions.ConsoleAnswer(str(error), failed=True))

    def hear(self, message: extensions.RadioMessage) -> None:
        """Say what was heard over the radio."""
        self._writer.modern = True
        self._writer.say(message)

    def _control(self, message: control.Control) -> None:
        self.need(Role.CONTROL)
        if not self.is_controller:
            raise Refused("CONTROL is for those whose INIT named USARBotAPI.WorldController")
        self._writer.say_all(self._controllers.obey(message, self, self._profile))
