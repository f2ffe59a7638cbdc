"""Node of ROS 2 over zenoh: publishers, subscriptions and services.

Zenoh calls from threads of its own; everything that concerns the world is passed on to the thread
of the server. Messages are serialized and sent by a background thread, so that a slow network
does not delay physics; of each topic at most `MOST_WAITING` messages wait.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from itertools import count
from typing import Any

from grouser.errors import BadValue, GrouserError
from grouser.gateways.ros2.session import NodeOptions, open_session
from grouser.gateways.ros2.zenoh_names import (
    NO_HASH,
    QOS_LATCHED,
    QOS_VOLATILE,
    EndpointKind,
    EndpointName,
    NodeName,
    attachment,
    identifier,
    publishers_of,
    read_attachment,
)
from grouser.gateways.ros_graph.live_topics import LiveTopics, Publication, Topic
from grouser.gateways.ros_graph.robot_commands import (
    COMMAND_TYPES,
    CommandTopic,
    RobotCommands,
    command_topics,
)
from grouser.gateways.ros_graph.robot_services import RobotServices
from grouser.ros.definitions import deserialize, type_hash
from grouser.ros.json_fields import check_finite
from grouser.ros.services import encode_response, service_hash

NODE = "grouser"
"""Name of the node."""
MOST_WAITING = 200
"""Most messages of one topic that wait to be sent; of more, the oldest ones are dropped."""
MOST_CALLS = 64
"""Most calls of services that are pending."""
LONGEST_MESSAGE = 1 << 20
"""Largest message that is accepted, bytes."""
CLOSE_TIMEOUT = 5.0
"""Time for the background thread to end, wall s."""

_LOG = logging.getLogger(__name__)


class Declared:
    """Declarations of one topic or service, undeclared together."""

    def __init__(self, *handles: Any) -> None:
        self.handles = list(handles)

    def close(self) -> None:
        """Undeclare all."""
        for handle in self.handles:
            try:
                handle.undeclare()
            except Exception as error:  # the session may be closed already
                _LOG.debug("undeclare: %s", error)


class RosNode:
    """Node with the topics and services of a world; call `close` at the end.

    Args:
        options: domain and settings of zenoh.
        topics: topics of the world.
        services: services of its robots.
        loop: event loop of the server.
    """

    def __init__(
        self,
        options: NodeOptions,
        topics: LiveTopics,
        services: RobotServices,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._options, self._topics, self._services = options, topics, services
        self._loop = loop
        self._session = open_session(options)
        session_id = str(self._session.info.zid())
        self._node = NodeName(options.domain, session_id, NODE)
        self._liveliness = self._session.liveliness()
        self._token = self._liveliness.declare_token(self._node.token)
        self._numbers = count(1)
        self._published: dict[str, tuple[Topic, TopicPublisher]] = {}
        self._commanded: dict[str, Declared] = {}
        self._served: dict[str, Declared] = {}
        self._calls: set[asyncio.Task[None]] = set()
        self._commands = RobotCommands(services, "ros2", lambda: True)
        self._received = LatestMessages(loop, self._command)
        self._sender = Sender()
        topics.on_change = self._update
        self._update()

    def close(self) -> None:
        """Release the robots, end all declarations and close the session."""
        self._topics.on_change = lambda: None
        for call in self._calls:
            call.cancel()
        self._commands.close()
        for _, publisher in self._published.values():
            publisher.close()
        self._sender.close()
        for declared in (*self._commanded.values(), *self._served.values()):
            declared.close()
        self._token.undeclare()
        self._session.close()

    def _update(self) -> None:
        """Declare what is new in the world, undeclare what has gone."""
        now = self._topics.topics
        for name in [
            name for name, (topic, _) in self._published.items() if now.get(name) != topic
        ]:
            self._published.pop(name)[1].close()
        for name in now.keys() - self._published.keys():
            self._published[name] = now[name], self._publisher(now[name])
        commands = command_topics(self._services.host.simulation.scene.robots)
        self._replace(self._commanded, commands, self._subscription)
        names = {name: name for name in self._services.names()}
        self._replace(self._served, names, self._service)

    def _replace(
        self, known: dict[str, Declared], now: Mapping[str, Any], declare: Callable[..., Declared]
    ) -> None:
        for name in known.keys() - now.keys():
            known.pop(name).close()
        for name in now.keys() - known.keys():
            known[name] = declare(name, now[name])

    def _endpoint(self, name: str, kind: str, hash_: Callable[[str], str]) -> EndpointName:
        found = hash_(kind) if self._options.hashes else NO_HASH
        return EndpointName(self._options.domain, f"/{name.removeprefix('/')}", kind, found)

    def _declare_token(
        self, kind: EndpointKind, endpoint: EndpointName, qos: str
    ) -> tuple[Any, bytes]:
        """Declare the token of an endpoint; return it and the identifier of the endpoint."""
        token = self._node.endpoint_token(next(self._numbers), kind, endpoint, qos)
        return self._liveliness.declare_token(token), identifier(token)

    # -- topics ------------------------------------------------------------------------------

    def _publisher(self, topic: Topic) -> TopicPublisher:
        endpoint = self._endpoint(topic.name, topic.type, type_hash)
        qos = QOS_LATCHED if topic.latched else QOS_VOLATILE
        token, gid = self._declare_token("MP", endpoint, qos)
        return TopicPublisher(self, topic, endpoint.key, token, gid)

    def _subscription(self, name: str, command: tuple[str, str]) -> Declared:
        """Subscribe to a topic that commands a robot, with each of its types."""
        robot, kind = command
        handles = []
        for type_ in COMMAND_TYPES[kind]:
            endpoint = self._endpoint(name, type_, type_hash)
            token, _ = self._declare_token("MS", endpoint, QOS_VOLATILE)
            topic = CommandTopic(robot, kind, type_)
            subscriber = self._session.declare_subscriber(
                endpoint.key, partial(self._on_message, topic)
            )
            watcher = self._liveliness.declare_subscriber(
                publishers_of(endpoint), partial(self._on_publisher, robot)
            )
            handles += [token, subscriber, watcher]
        return Declared(*handles)

    def _on_message(self, topic: CommandTopic, sample: Any) -> None:
        """Receive a message in a thread of zenoh."""
        self._received.add(topic, sample.payload.to_bytes())

    def _on_publisher(self, robot: str, sample: Any) -> None:
        """Release a robot when a publisher of its commands ends; called in a thread of zenoh."""
        if "DELETE" in str(sample.kind).upper():
            self._loop.call_soon_threadsafe(self._commands.release, robot)

    def _command(self, topic: CommandTopic, data: bytes) -> None:
        """Carry out a message."""
        try:
            if len(data) > LONGEST_MESSAGE:
                raise BadValue(f"{len(data)} bytes, at most {LONGEST_MESSAGE} are allowed")
            try:
                message = deserialize(data, topic.type)
            except Exception as error:  # any error of a decoder of foreign bytes
                raise BadValue(f"not a {topic.type} ({type(error).__name__})") from None
            check_finite(message)
            self._commands.execute(topic, message)
        except GrouserError as error:
            _LOG.warning("ros2: '%s/%s' refused: %s", topic.robot, topic.kind, error)
        except Exception:  # an internal error must not stop the server
            _LOG.exception("ros2: '%s/%s': internal error", topic.robot, topic.kind)
            self._commands.release(topic.robot)

    # -- services ----------------------------------------------------------------------------

    def _service(self, name: str, _: str) -> Declared:
        kind = self._services.type_of(name).replace("/", "/srv/")
        endpoint = self._endpoint(name, kind, service_hash)
        token, _gid = self._declare_token("SS", endpoint, QOS_VOLATILE)
        queryable = self._session.declare_queryable(
            endpoint.key, partial(self._on_query, name, kind), complete=True
        )
        return Declared(token, queryable)

    def _on_query(self, name: str, kind: str, query: Any) -> None:
        """Receive a call in a thread of zenoh."""
        self._loop.call_soon_threadsafe(self._begin_call, name, kind, query)

    def _begin_call(self, name: str, kind: str, query: Any) -> None:
        if len(self._calls) >= MOST_CALLS:
            query.reply_err(f"{MOST_CALLS} calls are pending, the maximum")
            return
        call = self._loop.create_task(self._call(name, kind, query))
        self._calls.add(call)
        call.add_done_callback(self._calls.discard)

    async def _call(self, name: str, kind: str, query: Any) -> None:
        """Call a service and reply; the attachment of the request is that of the response."""
        given = read_attachment(query.attachment.to_bytes()) if query.attachment else None
        try:
            values = await self._services.find(name).values()
        except GrouserError as error:
            query.reply_err(str(error))
            return
        except Exception:  # an internal error must not leave the client waiting
            _LOG.exception("ros2: '%s': internal error", name)
            query.reply_err("internal error of the server; see its log")
            return
        number, _, gid = given or (0, 0, bytes(16))
        query.reply(
            query.key_expr,
            encode_response(kind, values),
            encoding="application/cdr",
            attachment=attachment(number, self._topics.now(), gid),
        )

    # -- used by publishers -------------------------------------------------------------------

    @property
    def session(self) -> Any:
        """The session of zenoh."""
        return self._session

    @property
    def topics(self) -> LiveTopics:
        """Topics of the world."""
        return self._topics

    @property
    def sender(self) -> Sender:
        """Background thread that sends."""
        return self._sender

    def call(self, function: Callable[[], None]) -> None:
        """Call a function in the thread of the server."""
        self._loop.call_soon_threadsafe(function)


class TopicPublisher:
    """Publisher of one topic; messages are made only while it has subscribers."""

    def __init__(self, node: RosNode, topic: Topic, key: str, token: Any, gid: bytes) -> None:
        import zenoh
        import zenoh.ext

        self._node, self._topic, self._gid, self._token = node, topic, gid, token
        self._numbers = count(1)
        self._end: Callable[[], None] | None = None
        self._closed = False
        self.waiting: deque[tuple[int, Publication]] = deque()
        """Numbered messages to be sent; of more than `MOST_WAITING` the oldest one is dropped."""
        # A client that does not read loses messages after a wait (session.py). With BLOCK, zenoh
        # would close its connection.
        drop = zenoh.CongestionControl.DROP
        if topic.latched:
            self._publisher: Any = zenoh.ext.declare_advanced_publisher(
                node.session,
                key,
                congestion_control=drop,
                cache=zenoh.ext.CacheConfig(1),
                publisher_detection=True,
            )
            self._switch(on=True)
        else:
            self._publisher = node.session.declare_publisher(key, congestion_control=drop)
            self._listener = self._publisher.declare_matching_listener(self._on_matching)
            self._switch(on=bool(self._publisher.matching_status.matching))

    def close(self) -> None:
        """End the topic."""
        self._closed = True
        self._switch(on=False)
        Declared(self._token, self._publisher).close()

    def send(self, number: int, published: Publication) -> None:
        """Serialize and send a message, in the background thread."""
        self._publisher.put(
            published.cdr(),
            encoding="application/cdr",
            attachment=attachment(number, published.time, self._gid),
        )

    def _on_matching(self, status: Any) -> None:
        """Begin or end to publish; called in a thread of zenoh."""
        on = bool(status.matching)
        self._node.call(lambda: None if self._closed else self._switch(on=on))

    def _switch(self, *, on: bool) -> None:
        if on and self._end is None:
            self._end = self._node.topics.subscribe(self._topic.name, self._add)
        elif not on and self._end is not None:
            end, self._end = self._end, None
            end()

    def _add(self, published: Publication) -> None:
        _ = published.message  # made in this thread, which owns the state of the world
        self._node.sender.add(self, next(self._numbers), published)


class Sender:
    """Background thread that serializes and sends messages, in order."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._order: deque[TopicPublisher] = deque()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="ros2", daemon=True)
        self._thread.start()

    def add(self, publisher: TopicPublisher, number: int, published: Publication) -> None:
        """Send a message of a publisher; a client notices dropped ones by their numbers."""
        with self._changed:
            if len(publisher.waiting) >= MOST_WAITING:
                publisher.waiting.popleft()  # its turn is that of the new one
            else:
                self._order.append(publisher)
            publisher.waiting.append((number, published))
            self._changed.notify()

    def close(self) -> None:
        """End the thread; messages that wait are dropped."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join(CLOSE_TIMEOUT)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or bool(self._order))
                if self._closed:
                    return
                publisher = self._order.popleft()
                number, published = publisher.waiting.popleft()
            try:
                publisher.send(number, published)
            except Exception:  # the other topics go on
                _LOG.exception("ros2: %s cannot be sent", published.topic.name)


class LatestMessages:
    """Newest message of each topic, passed from the threads of zenoh to that of the server."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, receive: Callable[[CommandTopic, bytes], None]
    ) -> None:
        self._loop, self._receive = loop, receive
        self._lock = threading.Lock()
        self._waiting: dict[CommandTopic, bytes] = {}

    def add(self, topic: CommandTopic, data: bytes) -> None:
        """Add a message; an older one of the topic is dropped."""
        with self._lock:
            first = not self._waiting
            self._waiting[topic] = data
        if first:
            self._loop.call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        for topic, data in waiting.items():
            self._receive(topic, data)
