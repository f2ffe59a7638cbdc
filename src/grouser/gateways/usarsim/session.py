"""USARSim session: translate the commands of one client to calls of the host, and answer.

A session has no socket: the connection passes received bytes to `Session.requests` and sends what
is written. Queries are answered at once. Commands that change the simulation are carried out at
once, or at the end of the turn for a client in lockstep. Invalid input never raises: it is counted
and logged, and reported to clients that use Grouser's extensions.
"""

from __future__ import annotations

import logging
from collections import Counter
from functools import partial

from grouser.errors import BadValue, GrouserError, Refused, nearest
from grouser.gateways.client_socket import ClientSocket
from grouser.gateways.usarsim import settings
from grouser.gateways.usarsim.client_writer import ClientWriter
from grouser.gateways.usarsim.context import UsarsimContext
from grouser.gateways.usarsim.geo_conf import configuration, geometry
from grouser.gateways.usarsim.port_profile import STATE_EVERY, PortProfile
from grouser.gateways.usarsim.spawn import spawn_entry, start_poses
from grouser.protocol.lines import Fault
from grouser.protocol.usarsim import commands, control, extensions, setting
from grouser.protocol.usarsim.codec import COMMANDS, ServerSide
from grouser.protocol.usarsim.commands import Greeting
from grouser.protocol.usarsim.extensions import MOVE_COMMANDS, ends_turn
from grouser.protocol.usarsim.message import Message, UnknownMessage
from grouser.service.access import MIN_TOKEN_LENGTH, Role
from grouser.service.lockstep import LONGEST_TURN, DeferredCommand
from grouser.service.participant import Participant
from grouser.service.request_queue import Request
from grouser.simulation.changes.actions import SetPose

CONTROLLER = "worldcontroller"
"""Class, in lower case, whose INIT creates a world controller instead of a robot."""

UNREADABLE = (Fault, UnknownMessage)
"""Lines that cannot be parsed or have an unknown command."""

POWERED = (*MOVE_COMMANDS, setting.Setting, commands.GetGeometry, commands.GetConfiguration)
"""Commands ignored by a robot with an empty battery, as in UDK."""

IMMEDIATE = (
    commands.Login, commands.GetGeometry, commands.GetConfiguration, commands.GetStartPoses,
    extensions.Lockstep,
)  # fmt: skip
"""Commands that do not change the simulation: processed at once, also in lockstep."""

EXTENSIONS = (
    commands.Login, extensions.Lockstep, extensions.Step, extensions.ConsoleLine,
    extensions.Transmit, extensions.Kick,
)  # fmt: skip
"""Grouser's extensions; a client that sends one receives notices of its errors."""

ALWAYS_ANSWERED = (commands.Init, control.Control)
"""Commands whose errors are reported to every client, which would otherwise wait for an answer."""


_LOG = logging.getLogger(__name__)

MAX_LOGGED_FAULTS = 5
"""Maximum number of unreadable lines logged per client."""


def describe_for_log(message: Fault | UnknownMessage) -> str:
    """Return a description of an unreadable line for the log: at most its first, short word."""
    # The line may be a misspelt LOGIN with a valid token.
    if isinstance(message, Fault):
        word, reason = message.line.split(b" ", 1)[0].decode("latin-1"), "syntax error"
    else:
        word, reason = message.word, "unknown command"
    shown = f" '{word}'" if word.isalnum() and len(word) < MIN_TOKEN_LENGTH else ""
    return f"a line{shown}: {reason}"


def fault_reason(message: Fault | UnknownMessage) -> str:
    """Return the error of an unreadable line; empty for a command that is ignored by design."""
    if isinstance(message, Fault):
        return message.reason
    if message.word in commands.IGNORED_COMMANDS:
        return ""
    return f"there is no command '{message.word[:40]}'{nearest(message.word, COMMANDS)}"


class Session:
    """Translation between one client and its participant in the host."""

    def __init__(self, context: UsarsimContext, profile: PortProfile, client: ClientSocket) -> None:
        """Send the greeting."""
        self._context, self._host, self._profile = context, context.host, profile
        self._side = ServerSide(profile.dialect, context.registry.limits.longest_line)
        self._writer = ClientWriter(
            context,
            profile,
            self._side,
            client.outbox,
            process=client.process_first,
            disconnect=client.abort,
        )
        self.participant = Participant(
            context.host,
            client.login,
            self._writer,
            report_every=STATE_EVERY[profile.dialect.name],
            may_join=partial(context.may_join, client.address),
        )
        self._is_controller = False
        self._unprocessed = 0
        """Number of decoded lines that wait."""
        self.counts: Counter[str] = Counter()
        """Number of lines received, faults, rejected commands…"""
        self._writer.write(Greeting(level=context.host.simulation.world.name))

    # -- lines -------------------------------------------------------------------------------

    def requests(self, data: bytes) -> list[Request]:
        """Decode the next bytes; return one request for each completed line."""
        messages = self._side.receive(data)
        self.counts["lines"] += len(messages)
        self._unprocessed += len(messages)
        return [partial(self._receive, message) for message in messages]

    def close(self) -> None:
        """Remove the robot and the temporary objects of a disconnected client."""
        self._log(f"disconnected; {dict(self.counts) or 'nothing received'}")
        self.participant.leave()
        if self._is_controller:
            self._context.controllers.close(self)

    def _receive(self, message: Message | Fault) -> None:
        self._interpret(message)  # may raise SceneNotReady: then the request is retried
        self._unprocessed -= 1

    def _interpret(self, message: Message | Fault) -> None:
        if isinstance(message, UNREADABLE):
            self._drop(message)
            return
        if isinstance(message, EXTENSIONS) and not self._writer.extended:
            self._writer.extended = True
            self.participant.note_informed()
        if self.participant.in_lockstep and not isinstance(message, IMMEDIATE):
            self._defer(message)
        else:
            self.participant.note_message()
            self._process(message)

    def _drop(self, message: Fault | UnknownMessage) -> None:
        """Count an unreadable line; log the first few, which bounds the size of the log."""
        # The error is sent to clients that use extensions, and at first to clients
        # without a robot: the line may have been their INIT, for which they wait.
        self.counts["faults"] += 1
        if (number := self.counts["faults"]) <= MAX_LOGGED_FAULTS:
            more = "; further ones are only counted" if number == MAX_LOGGED_FAULTS else ""
            self._log(f"dropped {describe_for_log(message)}{more}")
        before_init = not (self.participant.robot or self._is_controller)
        reported = self._writer.extended or (before_init and number <= MAX_LOGGED_FAULTS)
        if reported and (reason := fault_reason(message)):
            self._writer.send_notice("Refused", reason)

    def _log(self, text: str) -> None:
        """Log an event of the client."""
        robot = self.participant.robot or "no robot"
        self._context.registry.log.info(_LOG, self.participant.address, f"({robot}) {text}")

    def _defer(self, message: Message) -> None:
        """Defer ``message`` to the end of its turn."""
        only_ends = isinstance(message, extensions.Step)
        deferred = DeferredCommand(
            None if only_ends else partial(self._process, message),
            ends_turn=ends_turn(message, False),
            moves=ends_turn(message, True),
        )
        try:
            self.participant.defer(deferred)
        except BadValue as error:
            self._refuse(message, error)

    def _process(self, message: Message) -> None:
        try:
            self._dispatch(message)
        except GrouserError as error:
            self._refuse(message, error)

    def _dispatch(self, message: Message) -> None:
        if self.participant.battery_empty and isinstance(message, POWERED):
            self.counts["idle"] += 1
            return
        match message:
            case _ if isinstance(message, MOVE_COMMANDS):  # first: the most frequent
                self._move(message)
            case commands.Login():
                self.participant.login.show(message.token)
            case commands.Init():
                self._init(message)
            case commands.GetStartPoses():
                self.participant.login.require()
                self._writer.write(start_poses(self._host.simulation.world, self._profile))
            case commands.GetGeometry():
                layout = self._context.adapters[self._require_robot()].layout
                self._writer.write(*geometry(layout, message, self._profile))
            case commands.GetConfiguration():
                self._writer.write(*self._configurations(message))
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
                self._host.transmit(self._require_robot(), message.data, message.to)
            case _:  # TRACE and path nodes of avatars: accepted without effect
                self.counts["idle"] += 1

    def _refuse(self, message: Message, error: Exception) -> None:
        kind = "refused" if isinstance(error, Refused) else "bad"
        self.counts[kind] += 1
        self._log(f"{type(message).__name__}: {error}")
        if isinstance(message, setting.Setting):
            self._writer.write(self._response(message, setting.FAILED))
        answered = isinstance(error, Refused) or isinstance(message, ALWAYS_ANSWERED)
        if self._writer.extended or answered:
            self._writer.send_notice("Refused", str(error))

    # -- commands ----------------------------------------------------------------------------

    def _require_robot(self) -> str:
        """Return the name of the client's robot; raise `BadValue` if it has none."""
        if self.participant.robot is None:
            raise BadValue("there is no robot yet, INIT comes first")
        return self.participant.robot

    def _init(self, message: commands.Init) -> None:
        participant = self.participant
        if message.token is not None:
            participant.login.show(message.token)
        if participant.robot is not None or self._is_controller:
            raise BadValue("INIT was already received on this connection")
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
        if not self._profile.dialect.packed:
            # UDK sends the tile of a camera unrequested when it is known: after the answers to
            # questions that came right behind INIT.
            camera = commands.GetConfiguration("Camera")
            self._writer.announce(
                lambda: self._configurations(camera), ready=lambda: not self._unprocessed
            )

    def _move(self, message: Message) -> None:
        name, host = self._require_robot(), self._host
        adapter = self._context.adapters[name]
        positions = partial(host.simulation.angles, name)
        drive_state = self._writer.drive_state
        self.participant.command(adapter.command(message, self._profile, positions, drive_state))
        if adapter.requests_flip(message) and (
            upright := adapter.upright_pose(host.simulation.pose(name))
        ):
            host.apply(SetPose(name, upright), source=self.participant.address)
        if isinstance(message, setting.Setting):
            self._writer.write(self._response(message, setting.OK))

    def _set(self, message: setting.Setting) -> None:
        host, layout = self._host, self._context.adapters[self._require_robot()].layout
        result = settings.apply(
            message, layout, host.simulation, self._profile, host.tags, host.rules.tick
        )
        for action in result.actions:
            host.apply(action, source=self.participant.address)
        self._writer.requested_scans |= set(result.requested)
        self._writer.write(result.response)

    def _response(self, message: setting.Setting, status: str) -> setting.Response:
        segments = dict(message.segments(self._profile.dialect))
        result = setting.Result("Name", segments.get("Name", ""), status)
        return setting.Response(self._host.time, segments.get("Type", ""), (result,))

    def _configurations(self, message: commands.GetConfiguration) -> list[Message]:
        name, views = self._require_robot(), self._context.views
        layout = self._context.adapters[name].layout
        return configuration(
            layout,
            message,
            self._profile,
            cameras=views.tiles(name) if views else {},
            key=views.key(name) if views else None,
            zooms=settings.camera_zooms(layout, self._host.simulation),
        )

    def _lockstep(self, message: extensions.Lockstep) -> None:
        if not 0 <= message.every <= LONGEST_TURN:
            allowed = f"0 (no more) to {LONGEST_TURN:g}"
            raise BadValue(f"LOCKSTEP: Every is {message.every:g} s, must be {allowed}")
        if message.every == 0 and self.participant.robot is None:
            return  # used by clients to announce that they use extensions
        self._require_robot()
        if message.every == 0:
            self.participant.leave_lockstep()
        else:
            self.participant.enter_lockstep(message.every, by_command=bool(message.by_command))

    def _console(self, message: extensions.ConsoleLine) -> None:
        self.participant.login.require(Role.CONTROL)
        try:
            answer = self._host.console(message.line, source=self.participant.address)
            self._writer.write(extensions.ConsoleAnswer(answer))
        except GrouserError as error:
            self._writer.write(extensions.ConsoleAnswer(str(error), failed=True))

    def _control(self, message: control.Control) -> None:
        self.participant.login.require(Role.CONTROL)
        if not self._is_controller:
            raise Refused("CONTROL requires an INIT of class USARBotAPI.WorldController first")
        controllers, source = self._context.controllers, self.participant.address
        self._writer.write(*controllers.execute(message, self, self._profile, source))
