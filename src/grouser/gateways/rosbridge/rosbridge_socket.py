"""Websocket session of one rosbridge client: services, subscriptions, published commands."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from functools import partial
from typing import Any

from grouser.errors import BadValue, GrouserError
from grouser.gateways.client_socket import ConnectionRegistry
from grouser.gateways.ros_graph.client_subscriptions import ClientSubscriptions
from grouser.gateways.ros_graph.live_topics import LiveTopics
from grouser.gateways.ros_graph.mesh_socket import ClientLink, MeshSocket
from grouser.gateways.ros_graph.robot_commands import (
    TWIST,
    TWIST_STAMPED,
    CommandTopic,
    RobotCommands,
    find_command_topic,
)
from grouser.gateways.ros_graph.robot_services import Call, RobotServices
from grouser.gateways.rosbridge.encoding import encode, read_png
from grouser.gateways.rosbridge.rosapi import ROSAPI, RosGraph
from grouser.protocol.rosbridge import (
    Advertise,
    Fragment,
    FragmentAssembler,
    Id,
    Png,
    Problem,
    Publish,
    Request,
    ServiceCall,
    ServiceResponse,
    SetLevel,
    Status,
    Subscribe,
    Unadvertise,
    Unsubscribe,
    read_request,
)
from grouser.ros.json_fields import from_json
from grouser.service.access import Login, Role

MOST_CALLS = 64
"""Maximum number of pending calls of one client."""

MOST_ADVERTISED = 256
"""Maximum number of topics that one client advertises."""

OPEN_TOPICS = ("/clock", "/tf_static")
"""Topics that every client may receive; others need the role ``watch``."""

_LOG = logging.getLogger(__name__)


class RosbridgeSocket(MeshSocket):
    """Connection of one rosbridge client."""

    ORIGIN_OPTION = "--rosbridge-origin"

    def __init__(
        self, registry: ConnectionRegistry, graph: RosGraph, origins: Collection[str]
    ) -> None:
        super().__init__(registry, origins, graph.meshes)
        self._graph = graph

    def open_session(self) -> RosbridgeSession:
        """Return the session of an accepted client."""
        return RosbridgeSession(self._graph, self.login, self.link())


class RosbridgeSession:
    """State of one client; calls run concurrently.

    Args:
        graph: topics and services.
        login: roles of the client.
        link: connection of the client.
    """

    def __init__(self, graph: RosGraph, login: Login, link: ClientLink) -> None:
        self._graph, self._login, self._link = graph, login, link
        self._services: RobotServices = graph.services
        self._topics: LiveTopics = graph.topics
        self._level = "error"
        self._calls: dict[asyncio.Task[None], str] = {}
        self._fragments = FragmentAssembler()
        self._advertised: dict[str, CommandTopic] = {}
        self._subscriptions = ClientSubscriptions(
            graph.topics,
            partial(encode, version=graph.version),
            link.send,
            link.is_ready,
            link.fail,
        )
        self._commands = RobotCommands(graph.services, link.address, link.may_drive)

    @property
    def drives(self) -> bool:
        """True if the client drives a robot, or a call that does is pending."""
        return self._commands.drives or any(map(_drives, self._calls.values()))

    def receive(self, text: str | bytes) -> None:
        """Process one message."""
        self._process(read_request(text))

    def resume(self) -> None:
        """Send what waited for the client to read."""
        self._subscriptions.flush()

    def _process(self, request: Request, *, nested: bool = False) -> None:
        """Process a request; ``nested``: it arrived in fragments or compressed."""
        try:
            match request:
                case ServiceCall():
                    self._begin(request)
                case SetLevel(level):
                    self._level = level
                case Problem():
                    self._report(request.text, request.id)
                case Fragment() | Png() if nested:
                    self._report("a fragment or png must not contain another one", request.id)
                case Fragment():
                    whole = self._fragments.add(request)
                    if isinstance(whole, str):
                        self._process_nested(whole)
                    elif whole is not None:
                        self._report(whole.text, whole.id)
                case Png(data):
                    self._process_nested(read_png(data))
                case Subscribe() | Unsubscribe() | Advertise() | Unadvertise() | Publish():
                    self._process_topic(request)
        except GrouserError as error:
            self._report(str(error), getattr(request, "id", None))

    def _process_nested(self, text: str) -> None:
        """Process a message that arrived in fragments or compressed; a png may be in fragments."""
        inner = read_request(text)
        if isinstance(inner, Png):
            inner = read_request(read_png(inner.data))
        self._process(inner, nested=True)

    def _report(self, text: str, id_: Id) -> None:
        """Log an error and send it as a status message."""
        self._link.log(f"refused: {text}")
        status = Status(text, id=id_)
        if status.is_sent_at(self._level):
            self._link.send(status.encode())

    # -- topics ------------------------------------------------------------------------------

    def _process_topic(
        self, request: Subscribe | Unsubscribe | Advertise | Unadvertise | Publish
    ) -> None:
        topic = request.topic
        match request:
            case Subscribe():
                self._login.require(None if topic in OPEN_TOPICS else Role.WATCH)
                self._subscriptions.add(request)
            case Unsubscribe():
                self._subscriptions.remove(topic, request.id)
            case Advertise():
                self._login.require(Role.DRIVE)
                if len(self._advertised) >= MOST_ADVERTISED and topic not in self._advertised:
                    raise BadValue(f"{MOST_ADVERTISED} advertised topics are the maximum")
                self._advertised[topic] = self._find(topic, request.type)
            case Unadvertise():
                if (ended := self._advertised.pop(topic, None)) is not None and not any(
                    other.robot == ended.robot for other in self._advertised.values()
                ):
                    self._commands.release(ended.robot)
            case Publish():
                self._login.require(Role.DRIVE)
                self._command(request)

    def _command(self, request: Publish) -> None:
        topic = self._advertised.get(request.topic)
        if topic is None:
            given = request.message
            stamped = isinstance(given, dict) and "twist" in given
            topic = self._find(request.topic, "")
            if stamped and topic.type == TWIST:
                topic = CommandTopic(topic.robot, topic.kind, TWIST_STAMPED)
        self._commands.execute(topic, from_json(request.message, topic.type))

    def _find(self, topic: str, kind: str) -> CommandTopic:
        return find_command_topic(self._services.host.simulation.scene.robots, topic, kind)

    # -- services ----------------------------------------------------------------------------

    def close(self) -> None:
        """Cancel pending calls, end subscriptions, release robots."""
        self._subscriptions.close()
        self._commands.close()
        for call in self._calls:
            call.cancel()

    def _begin(self, request: ServiceCall) -> None:
        """Start a service call; the response is sent on completion."""
        if len(self._calls) >= MOST_CALLS:
            self._answer(request, f"{MOST_CALLS} calls are pending, the maximum", False)
            return
        call = asyncio.get_running_loop().create_task(self._call(request))
        self._calls[call] = request.service
        call.add_done_callback(self._calls.pop)

    async def _call(self, request: ServiceCall) -> None:
        try:
            values = await self._values(request)
        except GrouserError as error:
            self._answer(request, str(error), False)
        except Exception:  # an internal error must not leave the client waiting
            _LOG.exception("%s: internal error", request.service)
            self._answer(
                request, f"{request.service}: internal error of the server; see its log", False
            )
        else:
            self._answer(request, values, True)

    async def _values(self, request: ServiceCall) -> dict[str, Any]:
        """Call a service; return the fields of its response."""
        if request.service in ROSAPI:
            self._login.require()
            args = request.args if isinstance(request.args, dict) else {}
            return ROSAPI[request.service].run(self._graph, args)
        call = self._services.find(request.service)
        self._check(call, request)
        return await call.values()

    def _check(self, call: Call, request: ServiceCall) -> None:
        """Check roles, arguments and the limit of driven robots."""
        self._login.require(call.role)
        if request.args not in (None, {}, []):
            raise BadValue(f"{request.service}: is a {call.type} and takes no arguments")
        if _drives(request.service) and not self._link.may_drive():
            raise BadValue("the limit of driven robots from this address is reached")

    def _answer(self, request: ServiceCall, values: dict[str, Any] | str, result: bool) -> None:
        answer = ServiceResponse(request.given, values, result, request.id)
        self._link.send(answer.encode())


def _drives(service: str) -> bool:
    """Return True if a service drives a robot."""
    return service.endswith("/drive")
