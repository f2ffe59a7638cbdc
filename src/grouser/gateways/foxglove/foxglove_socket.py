"""Session of one client of Foxglove's websocket protocol: channels, commands, services."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from grouser.errors import BadValue, GrouserError
from grouser.gateways.client_socket import ConnectionRegistry
from grouser.gateways.ros_graph.client_subscriptions import ClientSubscriptions
from grouser.gateways.ros_graph.live_topics import LiveTopics, Publication
from grouser.gateways.ros_graph.mesh_files import MeshFiles
from grouser.gateways.ros_graph.mesh_socket import ClientLink, MeshSocket
from grouser.gateways.ros_graph.robot_commands import (
    CommandTopic,
    RobotCommands,
    find_command_topic,
)
from grouser.gateways.ros_graph.robot_services import RobotServices
from grouser.protocol import foxglove
from grouser.protocol.rosbridge import Subscribe
from grouser.ros.definitions import definition_text, deserialize
from grouser.ros.json_fields import check_finite, from_json
from grouser.ros.services import SERVICE_FIELDS, encode_response
from grouser.service.access import Login, Role

if TYPE_CHECKING:
    from websockets.http11 import Request as HttpRequest

QUEUE = 50
"""Messages of a small topic that wait for a slow client."""
LARGE = ("sensor_msgs/msg/CompressedImage", "sensor_msgs/msg/Image", "sensor_msgs/msg/PointCloud2")
"""Types of which only the newest message waits."""
CLOCK = "/clock"
MOST_CALLS = 64
"""Most pending calls of one client."""
MOST_CHANNELS = 256
"""Most channels of one client."""

_LOG = logging.getLogger(__name__)


@dataclass
class FoxgloveGraph:
    """Channels and services of a server, shared by its clients."""

    name: str
    services: RobotServices
    topics: LiveTopics
    meshes: MeshFiles
    channels: dict[int, foxglove.Channel] = field(default_factory=dict)
    """Channels by id."""
    called: dict[int, str] = field(default_factory=dict)
    """Services by id."""
    sessions: set[FoxgloveSession] = field(default_factory=set)
    _ids: count[int] = field(default_factory=lambda: count(1))

    def __post_init__(self) -> None:
        self.topics.on_change = self.update
        self.update()

    def update(self) -> None:
        """Follow the topics and services of the world; announce what has changed."""
        known = {(each.topic, each.schemaName): id_ for id_, each in self.channels.items()}
        wanted = {(each.name, each.type) for each in self.topics.topics.values()}
        gone = [self.channels.pop(id_).id for key, id_ in known.items() if key not in wanted]
        new = [
            foxglove.Channel(next(self._ids), name, kind, definition_text(kind))
            for name, kind in sorted(wanted - known.keys())
        ]
        self.channels |= {each.id: each for each in new}
        names = set(self.services.names())
        ended = [id_ for id_, name in self.called.items() if name not in names]
        for id_ in ended:
            del self.called[id_]
        added = {next(self._ids): name for name in sorted(names - set(self.called.values()))}
        self.called |= added
        for session in self.sessions:
            session.announce(gone, new, ended, added)

    def described(self, services: Mapping[int, str]) -> dict[int, tuple[str, str, str, str]]:
        """Return name, type and definitions of services."""
        kinds = {
            id_: self.services.type_of(name).replace("/", "/srv/") for id_, name in services.items()
        }
        return {
            id_: (f"/{services[id_]}", kind, *SERVICE_FIELDS[kind]) for id_, kind in kinds.items()
        }


class FoxgloveSocket(MeshSocket):
    """Connection of one client; it may show its token in the query, ``?token=SECRET``."""

    ORIGIN_OPTION = "--gateway foxglove:origins=[URL]"
    SUBPROTOCOLS = foxglove.SUBPROTOCOLS

    def __init__(
        self, registry: ConnectionRegistry, graph: FoxgloveGraph, origins: Collection[str]
    ) -> None:
        super().__init__(registry, origins, graph.meshes)
        self._graph = graph

    def open_session(self) -> FoxgloveSession:
        """Return the session of an accepted client."""
        return FoxgloveSession(self._graph, self.login, self.link())

    def _token_in(self, request: HttpRequest) -> str:
        """Return the token in the header, or in the query: Foxglove's app sends no header."""
        shown = parse_qs(urlsplit(request.path).query).get("token", [""])
        return super()._token_in(request) or (shown[0] if len(shown) == 1 else "")


class FoxgloveSession:
    """State of one client."""

    def __init__(self, graph: FoxgloveGraph, login: Login, link: ClientLink) -> None:
        self._graph, self._login, self._link = graph, login, link
        self._subscribed: dict[int, str] = {}
        self._advertised: dict[int, tuple[CommandTopic, str]] = {}
        self._calls: set[asyncio.Task[None]] = set()
        self._subscriptions = ClientSubscriptions(
            graph.topics, _encode, link.send, link.is_ready, link.fail
        )
        self._commands = RobotCommands(graph.services, link.address, link.may_drive)
        # The first message must follow the answer to the request of the websocket.
        self._beginning = asyncio.get_running_loop().call_soon(self._begin)
        self._end_clock: Callable[[], None] = lambda: None

    @property
    def drives(self) -> bool:
        """True if the client drives a robot."""
        return self._commands.drives

    def _begin(self) -> None:
        self._link.send(foxglove.server_info(f"Grouser: {self._graph.name}", secrets.token_hex(8)))
        self.announce((), self._graph.channels.values(), (), self._graph.called)
        self._graph.sessions.add(self)
        self._end_clock = self._graph.topics.subscribe(CLOCK, self._send_time)

    def announce(
        self,
        gone: Collection[int],
        new: Collection[foxglove.Channel],
        ended: Collection[int],
        added: Mapping[int, str],
    ) -> None:
        """Announce changed channels and services."""
        if gone:
            self._link.send(foxglove.unadvertise(gone))
        if new:
            self._link.send(foxglove.advertise(new))
        if ended:
            self._link.send(foxglove.unadvertise_services(ended))
        if added:
            self._link.send(foxglove.advertise_services(self._graph.described(added)))

    def receive(self, text: str | bytes) -> None:
        """Process one message."""
        try:
            match foxglove.read_request(text):
                case foxglove.SubscribeChannels(subscriptions):
                    self._login.require(Role.WATCH)
                    for id_, channel in subscriptions:
                        self._subscribe(id_, channel)
                case foxglove.UnsubscribeChannels(ids):
                    for id_ in ids:
                        if topic := self._subscribed.pop(id_, ""):
                            self._subscriptions.remove(topic, id_)
                case foxglove.AdvertiseChannels(channels):
                    self._login.require(Role.DRIVE)
                    for each in channels:
                        self._advertise(each)
                case foxglove.UnadvertiseChannels(ids):
                    for id_ in ids:
                        self._unadvertise(id_)
                case foxglove.ChannelMessage(id_, content):
                    self._login.require(Role.DRIVE)
                    self._command(id_, content)
                case foxglove.ChannelCall() as call:
                    self._begin_call(call)
                case foxglove.BadMessage(why):
                    raise BadValue(why)
        except GrouserError as error:
            self._link.log(f"refused: {error}")
            self._link.send(foxglove.status(str(error)))

    def resume(self) -> None:
        """Send what waited for the client to read."""
        self._subscriptions.flush()

    def close(self) -> None:
        """End everything."""
        self._beginning.cancel()
        self._graph.sessions.discard(self)
        self._end_clock()
        self._subscriptions.close()
        self._commands.close()
        for call in self._calls:
            call.cancel()

    def _send_time(self, published: Publication) -> None:
        if self._link.is_ready():
            self._link.send(foxglove.time_data(published.time))

    # -- topics ------------------------------------------------------------------------------

    def _subscribe(self, id_: int, channel: int) -> None:
        known = self._graph.channels.get(channel)
        if known is None:
            raise BadValue(f"subscribe: there is no channel {channel}")
        if id_ in self._subscribed or known.topic in self._subscribed.values():
            raise BadValue(f"subscribe: {known.topic}, or id {id_}, is subscribed already")
        queue = 1 if known.schemaName in LARGE else QUEUE
        self._subscriptions.add(Subscribe(known.topic, id=id_, queue=queue))
        self._subscribed[id_] = known.topic

    def _advertise(self, channel: foxglove.ClientChannel) -> None:
        if len(self._advertised) >= MOST_CHANNELS and channel.id not in self._advertised:
            raise BadValue(f"{MOST_CHANNELS} channels are the maximum")
        if channel.encoding not in foxglove.ENCODINGS:
            known = " or ".join(foxglove.ENCODINGS)
            raise BadValue(f"{channel.topic}: the encoding is {channel.encoding}, must be {known}")
        robots = self._graph.services.host.simulation.scene.robots
        name = f"/{channel.topic.removeprefix('/')}"
        found = find_command_topic(robots, name, channel.type)
        self._advertised[channel.id] = found, channel.encoding

    def _unadvertise(self, id_: int) -> None:
        ended = self._advertised.pop(id_, None)
        others = {topic.robot for topic, _ in self._advertised.values()}
        if ended is not None and ended[0].robot not in others:
            self._commands.release(ended[0].robot)

    def _command(self, id_: int, content: bytes) -> None:
        if id_ not in self._advertised:
            raise BadValue(f"there is no channel {id_} of this client")
        topic, encoding = self._advertised[id_]
        try:
            if encoding == "json":
                message = from_json(json.loads(content), topic.type)
            else:
                message = deserialize(content, topic.type)
                check_finite(message)
        except GrouserError:
            raise
        except Exception as error:  # any error of a decoder of foreign bytes
            raise BadValue(f"not a {topic.type} ({type(error).__name__})") from None
        self._commands.execute(topic, message)

    # -- services ----------------------------------------------------------------------------

    def _begin_call(self, call: foxglove.ChannelCall) -> None:
        """Start a call; the arguments are ignored, since no service has any."""
        name = self._graph.called.get(call.service, "")
        if not name or len(self._calls) >= MOST_CALLS:
            why = f"{MOST_CALLS} calls are pending, the maximum" if name else "no such service"
            self._link.send(foxglove.call_failure(call, why))
            return
        task = asyncio.get_running_loop().create_task(self._call(name, call))
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)

    async def _call(self, name: str, call: foxglove.ChannelCall) -> None:
        try:
            found = self._graph.services.find(name)
            self._login.require(found.role)
            values: Mapping[str, Any] = await found.values()
            kind = found.type.replace("/", "/srv/")
            self._link.send(foxglove.call_response(call, encode_response(kind, values)))
        except GrouserError as error:
            self._link.send(foxglove.call_failure(call, str(error)))
        except Exception:  # an internal error must not leave the client waiting
            _LOG.exception("%s: internal error", name)
            why = "internal error of the server; see its log"
            self._link.send(foxglove.call_failure(call, why))


def _encode(published: Publication, wanted: Subscribe, _: str) -> list[str | bytes]:
    """Return the message of a subscription; its content is encoded once for all clients."""
    id_ = wanted.id if isinstance(wanted.id, int) else 0
    return [foxglove.message_data(id_, published.time, published.cdr())]
