"""Subscriptions of one client: newest messages first out, throttling, slow clients.

Each subscription has a queue of its own; of more messages than fit, the oldest ones are dropped.
A message is encoded when the client can receive it, between two ticks of the simulation.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

from grouser.errors import BadValue
from grouser.gateways.ros_graph.live_topics import LiveTopics, Publication
from grouser.protocol.rosbridge import Id, Subscribe
from grouser.ros.json_fields import full_name

SEND_TIME = 0.0005
"""Wall time after which other connections and physics have their turn, s."""
MOST_SUBSCRIPTIONS = 256
"""Most subscriptions of one client."""

Encode = Callable[[Publication, Subscribe, str], list[str | bytes]]


@dataclass
class ClientSubscription:
    """Subscriptions of a topic by one client; the messages are sent once."""

    options: dict[Id, Subscribe]
    """Requests by their ids; the last one has the encoding, the shortest throttle counts."""
    end: Callable[[], None] = lambda: None
    """Ends the subscription."""
    waiting: deque[Publication] = field(default_factory=deque)
    sent: float = float("-inf")
    """Wall time of the last message, s."""

    @property
    def wanted(self) -> Subscribe:
        """The last request."""
        return next(reversed(self.options.values()))

    @property
    def throttle(self) -> float:
        """Least wall time between two messages, s."""
        return min(each.throttle for each in self.options.values())


class ClientSubscriptions:
    """All subscriptions of one client; call `close` at its end."""

    def __init__(
        self,
        topics: LiveTopics,
        encode: Encode,
        send: Callable[[str | bytes], None],
        is_ready: Callable[[], bool],
        abort: Callable[[], None],
    ) -> None:
        """Start without subscriptions.

        Args:
            topics: topics of the world.
            encode: returns the websocket messages of a publication; its last argument is the id
                of its fragments.
            send: sends a message to the client.
            is_ready: returns True if the client has received what was sent.
            abort: closes the connection after an internal error; it logs the present exception.
        """
        self._topics, self._encode = topics, encode
        self._send, self._is_ready, self._abort = send, is_ready, abort
        self._all: dict[str, ClientSubscription] = {}
        self._scheduled: asyncio.Handle | None = None
        self._fragments = count()

    def add(self, request: Subscribe) -> None:
        """Add a subscription.

        Raises:
            UnknownName: there is no such topic.
            BadValue: it has another type, or there are too many subscriptions.
        """
        topic = self._topics.find(request.topic)
        if request.type and full_name(request.type) != topic.type:
            raise BadValue(f"{topic.name} has the type {topic.type}, not '{request.type[:60]}'")
        known = self._all.get(topic.name)
        total = sum(len(each.options) for each in self._all.values())
        if total >= MOST_SUBSCRIPTIONS and not (known and request.id in known.options):
            raise BadValue(f"{MOST_SUBSCRIPTIONS} subscriptions are the maximum")
        if known is not None:
            known.options.pop(request.id, None)
            known.options[request.id] = request
            return
        made = self._all[topic.name] = ClientSubscription({request.id: request})
        made.end = self._topics.subscribe(topic.name, lambda published: self._add(made, published))

    def remove(self, topic: str, id_: Id) -> None:
        """End the subscription ``id_`` of a topic; None: all of them."""
        known = self._all.get(topic)
        if known is None:
            return
        if id_ is not None:
            known.options.pop(id_, None)
        if id_ is None or not known.options:
            del self._all[topic]
            known.end()

    def close(self) -> None:
        """End all subscriptions."""
        for topic in list(self._all):
            self.remove(topic, None)
        if self._scheduled:
            self._scheduled.cancel()

    def flush(self) -> None:
        """Send waiting messages soon, if the client can receive them."""
        if self._scheduled is None and any(each.waiting for each in self._all.values()):
            self._scheduled = asyncio.get_running_loop().call_soon(self._send_waiting)

    def _add(self, subscription: ClientSubscription, published: Publication) -> None:
        waiting = subscription.waiting
        waiting.append(published)
        while len(waiting) > subscription.wanted.queue:
            waiting.popleft()
        self.flush()

    def _send_waiting(self) -> None:
        """Send messages for at most `SEND_TIME`; continue soon, or when the next one is due."""
        self._scheduled = None
        end = asyncio.get_running_loop().time() + SEND_TIME
        while self._send_next() and asyncio.get_running_loop().time() < end:
            pass

    def _send_next(self) -> bool:
        """Send the next message that is due, and schedule the next; return True if one was sent."""
        if self._scheduled:
            self._scheduled.cancel()
            self._scheduled = None
        loop = asyncio.get_running_loop()
        now, next_due = loop.time(), float("inf")
        for name, each in self._all.items():
            if not each.waiting:
                continue
            due = each.sent + each.throttle
            if due > now:
                next_due = min(next_due, due)
                continue
            if not self._is_ready():
                return False  # `flush` is called when it is
            self._send_one(each)
            each.sent = now
            # The next turn begins with the topic after this one.
            self._all[name] = self._all.pop(name)
            self.flush()
            return True
        if next_due < float("inf"):
            self._scheduled = loop.call_at(next_due, self._send_waiting)
        return False

    def _send_one(self, subscription: ClientSubscription) -> None:
        published, id_ = subscription.waiting.popleft(), str(next(self._fragments))
        try:
            for message in self._encode(published, subscription.wanted, id_):
                self._send(message)
        except Exception:  # an internal error costs this connection only
            self._abort()
