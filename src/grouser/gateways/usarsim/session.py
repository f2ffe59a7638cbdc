"""A session: one client's lines in, what they ask of the host done, its answers out.

No socket: whoever has one feeds `Session.receive` and passes on what is written. Questions are
answered at once. What changes the world is done at once, too, but put off to the end of everybody's
turn for a client in lockstep. Nothing that a client sends raises: what is wrong is counted and
logged, and told to clients that speak Grouser's own lines.
"""

from __future__ import annotations

import logging
from collections import Counter
from functools import partial

from grouser.errors import BadValue, GrouserError, Refused, nearest
from grouser.gateways.usarsim import settings
from grouser.gateways.usarsim.context import UsarsimContext
from grouser.gateways.usarsim.geo_conf import configuration, geometry
from grouser.gateways.usarsim.port_profile import STATE_EVERY, PortProfile
from grouser.gateways.usarsim.reports import MessageWriter, RobotReports
from grouser.gateways.usarsim.spawn import spawn_entry, start_poses
from grouser.protocol.lines import Fault
from grouser.protocol.usarsim import commands, control, extensions, setting
from grouser.protocol.usarsim.codec import COMMANDS, ServerSide
from grouser.protocol.usarsim.commands import Greeting
from grouser.protocol.usarsim.extensions import MOVE_COMMANDS, ends_turn
from grouser.protocol.usarsim.message import Message, UnknownMessage
from grouser.service.access import SHORTEST, Role
from grouser.service.background_composer import SceneNotReady
from grouser.service.lockstep import LONGEST_TURN, DeferredCommand
from grouser.service.outbox import Sender
from grouser.service.participant import Participant
from grouser.service.request_queue import Request
from grouser.simulation.changes.actions import SetPose

CONTROLLER = "worldcontroller"
"""Class, in lower case, whose INIT makes no robot but opens the world to CONTROL."""

MEANINGLESS = (Fault, UnknownMessage)
"""What means nothing here."""

POWERED = (*MOVE_COMMANDS, setting.Setting, commands.GetGeometry, commands.GetConfiguration)
"""What a robot with an empty battery does not obey (reference: UDK)."""

QUESTIONS = (
    commands.Login, commands.GetGeometry, commands.GetConfiguration, commands.GetStartPoses,
    extensions.Lockstep,
)  # fmt: skip
"""What is seen to at once, also in lockstep: it does not change the world."""

OWN = (
    commands.Login, extensions.Lockstep, extensions.Step, extensions.ConsoleLine,
    extensions.Transmit, extensions.Kick,
)  # fmt: skip
"""Lines of Grouser's own: who sends one is told what is wrong, which old clients never are."""


ALWAYS_ANSWERED = (commands.Init, control.Control)
"""What everybody is told if it cannot be done: old servers said nothing, and clients waited."""


def for_log(message: Fault | UnknownMessage) -> str:
    """Return a line that means nothing as the log may have it.

    No more than its first word, if that is shorter than any token: somebody may have misspelt LOGIN
    and said a right one.
    """
    if isinstance(message, Fault):
        word, reason = message.line.split(b" ", 1)[0].decode("latin-1"), "it cannot be read"
    else:
        word, reason = message.word, "it means nothing here"
    shown = f" '{word}'" if word.isalnum() and len(word) < SHORTEST else ""
    return f"a line{shown}: {reason}"


def complaint(message: Fault | UnknownMessage) -> str:
    """Return what is wrong with a line that means nothing; nothing, if it never meant anything."""
    if isinstance(message, Fault):
        return message.reason
    if message.word in commands.IGNORED_COMMANDS:
        return ""
    return f"there is no command '{message.word[:40]}'{nearest(message.word, COMMANDS)}"


_LOG = logging.getLogger(__name__)

LOGGED = 5
"""Lines without a meaning that are logged of one client."""


class Session:
    """Translates between one client and its participant in the host."""

    def __init__(
        self, context: UsarsimContext, profile: PortProfile, sender: Sender, address: str
    ) -> None:
        """Greet a client.

        Args:
            context: the host, and what all clients share.
            profile: dialect, axes and units of its port.
            sender: takes the lines for it.
            address: where it is, for access control and log.

        Raises:
            Refused: nobody may come from this address.
        """
        self._context, self._host, self._profile = context, context.host, profile
        self._side = ServerSide(profile.dialect, context.registry.limits.longest_line)
        self._writer = MessageWriter(self._side, sender)
        self._reports = RobotReports(context, profile, self._writer)
        self.participant = Participant(
            context.host,
            context.registry.access,
            address,
            self._reports,
            report_every=STATE_EVERY[profile.dialect.name],
            may_join=partial(context.may_join, address),
        )
        self._is_controller = False
        self.counts: Counter[str] = Counter()
        """Lines received, faults, refusals…"""
        self._writer.write(Greeting(level=context.host.simulation.world.name))

    # -- lines -------------------------------------------------------------------------------

    def receive(self, data: bytes) -> int:
        """Take the next bytes and do all they ask for; return how many lines they completed."""
        requests = self.requests(data)
        for request in requests:
            request()
        return len(requests)

    def requests(self, data: bytes) -> list[Request]:
        """Take the next bytes; return what is to be done about each line that they completed."""
        messages = self._side.receive(data)
        self.counts["lines"] += len(messages)
        return [partial(self._receive, message) for message in messages]

    def close(self) -> None:
        """The client is gone: its robot leaves, and what it put there for a while."""
        self._note(f"gone; {dict(self.counts) or 'it said nothing'}")
        self.participant.leave()
        if self._is_controller:
            self._context.controllers.close(self)

    def _receive(self, message: Message | Fault) -> None:
        if isinstance(message, MEANINGLESS):
            self._drop(message)
            return
        if isinstance(message, OWN) and not self._writer.modern:
            self._writer.modern = True
            self.participant.note_informed()
        if self.participant.in_lockstep and not isinstance(message, QUESTIONS):
            self._defer(message)
        else:
            self.participant.note_message()
            self._do(message)

    def _drop(self, message: Fault | UnknownMessage) -> None:
        """Count what means nothing here; log the first few, so that nobody can fill a disk.

        Those who know notices are told of a line that is wrong, and at first those who have no
        robot yet: it may have been their INIT, and they would wait in vain.
        """
        self.counts["faults"] += 1
        if (number := self.counts["faults"]) <= LOGGED:
            more = "; further ones are only counted" if number == LOGGED else ""
            self._note(f"dropped {for_log(message)}{more}")
        newcomer = number <= LOGGED and not (self.participant.robot or self._is_controller)
        if (self._writer.modern or newcomer) and (why := complaint(message)):
            self._writer.notice("Refused", why)

    def _note(self, text: str) -> None:
        """Log something about the client."""
        who = self.participant.robot or "no robot"
        self._context.registry.log.info(_LOG, self.participant.address, f"({who}) {text}")

    def _defer(self, message: Message) -> None:
        """Put off ``message`` to the end of the turn it belongs to."""
        only_ends = isinstance(message, extensions.Step)
        deferred = DeferredCommand(
            None if only_ends else partial(self._do, message),
            ends_turn=ends_turn(message, False),
            moves=ends_turn(message, True),
        )
        try:
            self.participant.defer(deferred)
        except BadValue as error:
            self._refuse(message, error)

    def _do(self, message: Message) -> None:
        try:
            self._carry_out(message)
        except SceneNotReady:
            raise  # it is tried again
        except GrouserError as error:
            self._refuse(message, error)
        except Exception:  # a fault of ours: it must not stop the world for everybody else
            self.counts["broken"] += 1
            _LOG.exception("%s: %s broke off", self.participant, type(message).__name__)

    def _carry_out(self, message: Message) -> None:
        if self.participant.battery_empty and isinstance(message, POWERED):
            self.counts["idle"] += 1
            return
        match message:
            case _ if isinstance(message, MOVE_COMMANDS):  # first: nothing else comes as often
                self._move(message)
            case commands.Login():
                self.participant.login.show(message.token)
            case commands.Init():
                self._init(message)
            case commands.GetStartPoses():
                self.participant.login.require()
                self._writer.write(start_poses(self._host.simulation.world, self._profile))
            case commands.GetGeometry():
                layout = self._context.adapters[self._own()].layout
                self._writer.write_all(geometry(layout, message, self._profile))
            case commands.GetConfiguration():
                self._writer.write_all(self._configurations(message))
            case setting.Setting():
                self._set(message)
            case control.Control():
                self._control(message)
            case extensions.Lockstep():
                self._lockstep(message)
            case extensions.Step():
                raise BadValue("STEP ends a turn, LOCKSTEP {Every …} comes first")
            case extensions.ConsoleLine():
                self._console(message)
            case extensions.Transmit():
                self._host.transmit(self._own(), message.data, message.to)
            case _:  # TRACE and the path nodes of avatars: known, and nothing comes of them
                self.counts["idle"] += 1

    def _refuse(self, message: Message, error: Exception) -> None:
        kind = "refused" if isinstance(error, Refused) else "bad"
        self.counts[kind] += 1
        self._note(f"{type(message).__name__}: {error}")
        if isinstance(message, setting.Setting):
            self._writer.write(self._response(message, setting.FAILED))
        answered = isinstance(error, Refused) or isinstance(message, ALWAYS_ANSWERED)
        if self._writer.modern or answered:
            self._writer.notice("Refused", str(error))

    # -- what is done about each -------------------------------------------------------------

    def _own(self) -> str:
        """Return the name of its robot; raise if it has none."""
        if self.participant.robot is None:
            raise BadValue("there is no robot yet, INIT comes first")
        return self.participant.robot

    def _init(self, message: commands.Init) -> None:
        participant = self.participant
        if message.token is not None:
            participant.login.show(message.token)
        if participant.robot is not None or self._is_controller:
            raise BadValue("INIT was said before on this connection")
        if message.robot.lower() == CONTROLLER:
            participant.login.require(Role.CONTROL)
            self._is_controller = True
            return
        participant.require_room()
        entry = spawn_entry(message, self._host, self._profile)
        participant.join(entry, message.battery_s)
        given = self._host.given_names
        if message.name and message.name != entry.name and message.name not in given.values():
            given[entry.name] = message.name
        if not self._profile.dialect.packed:  # UDK says unasked where a camera's picture is
            self._writer.write_all(self._configurations(commands.GetConfiguration("Camera")))

    def _move(self, message: Message) -> None:
        name, host = self._own(), self._host
        adapter = self._context.adapters[name]
        positions = partial(host.simulation.angles, name)
        drive_state = self._reports.drive_state
        self.participant.command(adapter.command(message, self._profile, positions, drive_state))
        if adapter.flips(message) and (upright := adapter.righted(host.simulation.pose(name))):
            host.do(SetPose(name, upright))
        if isinstance(message, setting.Setting):
            self._writer.write(self._response(message, setting.OK))

    def _set(self, message: setting.Setting) -> None:
        host, layout = self._host, self._context.adapters[self._own()].layout
        result = settings.apply(
            message, layout, host.simulation, self._profile, host.tags, host.rules.tick
        )
        for action in result.actions:
            host.do(action)
        self._reports.requested_scans |= set(result.requested)
        self._writer.write(result.response)

    def _response(self, message: setting.Setting, status: str) -> setting.Response:
        segments = dict(message.segments(self._profile.dialect))
        result = setting.Result("Name", segments.get("Name", ""), status)
        return setting.Response(self._host.time, segments.get("Type", ""), (result,))

    def _configurations(self, message: commands.GetConfiguration) -> list[Message]:
        name, views = self._own(), self._context.views
        layout = self._context.adapters[name].layout
        return configuration(
            layout,
            message,
            self._profile,
            cameras=views.tiles(name) if views else {},
            key=views.key(name) if views else None,
            zooms=settings.zooms(layout, self._host.simulation),
        )

    def _lockstep(self, message: extensions.Lockstep) -> None:
        if not 0 <= message.every <= LONGEST_TURN:
            allowed = f"0 (no more) to {LONGEST_TURN:g}"
            raise BadValue(f"LOCKSTEP: Every is {message.every:g} s, must be {allowed}")
        if message.every == 0 and self.participant.robot is None:
            return  # nothing to leave: how a client shows that it knows our own lines
        self._own()  # raises if there is none
        if message.every == 0:
            self.participant.leave_lockstep()
        else:
            self.participant.enter_lockstep(message.every, by_command=bool(message.by_command))

    def _console(self, message: extensions.ConsoleLine) -> None:
        self.participant.login.require(Role.CONTROL)
        try:
            self._writer.write(extensions.ConsoleAnswer(self._host.console(message.line)))
        except GrouserError as error:
            self._writer.write(extensions.ConsoleAnswer(str(error), failed=True))

    def _control(self, message: control.Control) -> None:
        self.participant.login.require(Role.CONTROL)
        if not self._is_controller:
            raise Refused("CONTROL is for those whose INIT named USARBotAPI.WorldController")
        self._writer.write_all(self._context.controllers.carry_out(message, self, self._profile))
