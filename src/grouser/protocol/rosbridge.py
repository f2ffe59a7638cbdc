"""The rosbridge protocol, version 2: JSON objects with an ``op``, one per websocket message.

Services (``call_service``, ``service_response``) and topics (``subscribe``, ``advertise``,
``publish`` and their ends) are supported, with ``fragment`` and ``png`` in both directions and
``status`` for errors. Every other operation is rejected with the reason. The websocket itself is
part of the gateway.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from grouser.errors import nearest

PORT = 9090
"""Default TCP port of rosbridge servers."""

LEVELS: Final = ("none", "error", "warning", "info")
"""Verbosity of status messages, from none to all."""

LONGEST_NAME = 256
"""Maximum length of a service name and of an id, characters."""

SHOWN = 60
"""Characters of a malformed message that its error message quotes."""

COMPRESSIONS: Final = ("none", "png", "cbor", "cbor-raw")
"""Encodings of the messages of a subscription."""

LONGEST_QUEUE = 100
"""Most messages of one subscription that wait for a slow client."""

SMALLEST_FRAGMENT = 64
"""Fewest characters of a fragment."""

MOST_FRAGMENTS = 1024
"""Most fragments of one message."""

LONGEST_MESSAGE = 1 << 20
"""Most characters of a message that arrives in fragments or compressed."""

MOST_PARTIAL = 4
"""Most messages of one client whose fragments are incomplete; the oldest one is dropped."""

_NO_SERVERS = "this server does not call services of its clients"
_NO_ACTIONS = "this server has topics and services, but no actions"
REFUSED: Final[Mapping[str, str]] = {
    "advertise_service": _NO_SERVERS,
    "unadvertise_service": _NO_SERVERS,
    "service_response": _NO_SERVERS,
    "advertise_action": _NO_ACTIONS,
    "unadvertise_action": _NO_ACTIONS,
    "send_action_goal": _NO_ACTIONS,
    "cancel_action_goal": _NO_ACTIONS,
    "action_feedback": _NO_ACTIONS,
    "action_result": _NO_ACTIONS,
    "cbor": "this server accepts JSON, in fragments or as png",
    "cbor-raw": "this server accepts JSON, in fragments or as png",
    "auth": "send the token in the header of the websocket request: 'Authorization: Bearer SECRET'",
}
"""Unsupported operation → reason."""

Id = str | int | None
"""Message id, chosen by the client; None: absent."""


@dataclass(frozen=True, slots=True)
class ServiceCall:
    """``call_service``."""

    service: str
    """Name without leading slash."""
    args: Any = None
    """Unchecked arguments: an object by name, or a list in order."""
    id: Id = None
    given: str = ""
    """Name as received, repeated in the response."""


@dataclass(frozen=True, slots=True)
class SetLevel:
    """``set_level``: verbosity of status messages."""

    level: str
    """One of `LEVELS`."""


@dataclass(frozen=True, slots=True)
class Ignored:
    """Message that needs no action: a ``status`` of the client."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Malformed message or unsupported operation."""

    text: str
    """One sentence: given value and allowed values."""
    id: Id = None


@dataclass(frozen=True, slots=True)
class Subscribe:
    """``subscribe``: receive the messages of a topic."""

    topic: str
    """Name with leading slash."""
    type: str = ""
    """Type that the client expects; empty: any."""
    throttle: float = 0.0
    """Least time between two messages, s."""
    queue: int = 1
    """Messages that wait for a slow client; of more, the oldest ones are dropped."""
    fragment: int = 0
    """Most characters of a message before it is split; 0: it is not."""
    compression: str = "none"
    """One of `COMPRESSIONS`."""
    id: Id = None


@dataclass(frozen=True, slots=True)
class Unsubscribe:
    """``unsubscribe``: end the subscription ``id`` of a topic; None: all of them."""

    topic: str
    id: Id = None


@dataclass(frozen=True, slots=True)
class Advertise:
    """``advertise``: announce messages for a topic."""

    topic: str
    type: str
    id: Id = None


@dataclass(frozen=True, slots=True)
class Unadvertise:
    """``unadvertise``: end of the messages for a topic."""

    topic: str
    id: Id = None


@dataclass(frozen=True, slots=True)
class Publish:
    """``publish``: a message for a topic."""

    topic: str
    message: Any
    """Unchecked."""
    id: Id = None


@dataclass(frozen=True, slots=True)
class Fragment:
    """``fragment``: part of a message."""

    data: str
    number: int
    total: int
    id: Id


@dataclass(frozen=True, slots=True)
class Png:
    """``png``: a message as the pixels of a PNG file, base64."""

    data: str
    id: Id = None


Request = (
    ServiceCall | SetLevel | Ignored | Problem | Subscribe | Unsubscribe | Advertise | Unadvertise
    | Publish | Fragment | Png
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ServiceResponse:
    """``service_response``: result of a call."""

    service: str
    """Name as in the call."""
    values: Mapping[str, Any] | str
    """Fields of the response; an error message if `result` is false."""
    result: bool
    """False: unknown service, or permission denied."""
    id: Id = None

    def encode(self) -> str:
        """Return it as the text of one websocket message."""
        values = dict(self.values) if isinstance(self.values, Mapping) else self.values
        fields = {"service": self.service, "values": values, "result": self.result}
        return _encode("service_response", fields, self.id)


@dataclass(frozen=True, slots=True)
class Status:
    """``status``: notice to the client outside of a response."""

    text: str
    level: str = "error"
    """One of `LEVELS` but ``none``."""
    id: Id = None

    def encode(self) -> str:
        """Return it as the text of one websocket message."""
        return _encode("status", {"level": self.level, "msg": self.text}, self.id)

    def is_sent_at(self, level: str) -> bool:
        """Return True if a client with verbosity ``level`` receives the message."""
        return LEVELS.index(self.level) <= LEVELS.index(level)


def read_request(text: str | bytes) -> Request:
    """Parse a client's message; return a `Problem` if it is malformed, never raise."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        why = (
            error.msg
            if isinstance(error, json.JSONDecodeError)
            else "nested too deeply, or not text"
        )
        return Problem(f"not JSON ({why}): {_beginning(text)}")
    if not isinstance(content, dict):
        return Problem(f"{_beginning(text)}: must be a JSON object, such as {_EXAMPLE}")
    return _read_object(content)


_EXAMPLE = '{"op": "call_service", "service": "roach/path_plan"}'


def _read_object(content: Mapping[str, Any]) -> Request:
    """Parse a JSON object."""
    given = content.get("id")
    usable = isinstance(given, str | int) and len(str(given)) <= LONGEST_NAME
    id_: Id = given if usable else None
    operation = content.get("op")
    if not isinstance(operation, str):
        return Problem(
            f"op is {_beginning(repr(operation))}, must be a string, as in {_EXAMPLE}", id_
        )
    if operation in _READERS:
        try:
            return _READERS[operation](content, id_)
        except _Malformed as error:
            return Problem(f"{operation}: {error}", id_)
    if operation in REFUSED:
        return Problem(f"{operation}: {REFUSED[operation]}", id_)
    near = nearest(operation[:LONGEST_NAME], (*_READERS, *REFUSED))
    return Problem(f"there is no operation '{operation[:SHOWN]}'{near}", id_)


class _Malformed(Exception):
    """A field is missing or has another type."""


def _level(content: Mapping[str, Any], id_: Id) -> SetLevel:
    level = content.get("level")
    if isinstance(level, str) and level in LEVELS:
        return SetLevel(level)
    raise _Malformed(f"level must be one of {', '.join(LEVELS)}")


def _ignore(content: Mapping[str, Any], id_: Id) -> Ignored:
    return Ignored()


def _subscribe(content: Mapping[str, Any], id_: Id) -> Subscribe:
    compression = content.get("compression") or "none"
    if compression not in COMPRESSIONS:
        raise _Malformed(f"'compression' must be one of {', '.join(COMPRESSIONS)}")
    throttle = _number(content, "throttle_rate", 0, 1e9)
    queue = min(_number(content, "queue_length", 0, 1e9), LONGEST_QUEUE)
    fragment = int(_number(content, "fragment_size", 0, 1e15))
    return Subscribe(
        topic=_topic(content),
        type=_type(content),
        throttle=throttle / 1000,
        queue=max(1, int(queue)),
        fragment=max(fragment, SMALLEST_FRAGMENT) if fragment else 0,
        compression=compression,
        id=id_,
    )


def _unsubscribe(content: Mapping[str, Any], id_: Id) -> Unsubscribe:
    return Unsubscribe(_topic(content), id_)


def _advertise(content: Mapping[str, Any], id_: Id) -> Advertise:
    return Advertise(_topic(content), _type(content), id_)


def _unadvertise(content: Mapping[str, Any], id_: Id) -> Unadvertise:
    return Unadvertise(_topic(content), id_)


def _publish(content: Mapping[str, Any], id_: Id) -> Publish:
    return Publish(_topic(content), content.get("msg", {}), id_)


def _fragment(content: Mapping[str, Any], id_: Id) -> Fragment:
    data = content.get("data")
    if not isinstance(data, str) or id_ is None:
        raise _Malformed("'data' must be text, and 'id' is needed")
    total = int(_number(content, "total", 1, MOST_FRAGMENTS))
    return Fragment(data, int(_number(content, "num", 0, total - 1)), total, id_)


def _png(content: Mapping[str, Any], id_: Id) -> Png:
    data = content.get("data")
    if not isinstance(data, str):
        raise _Malformed("'data' must be text")
    return Png(data, id_)


def _topic(content: Mapping[str, Any]) -> str:
    given = content.get("topic")
    if not isinstance(given, str) or not 0 < len(given) <= LONGEST_NAME:
        raise _Malformed(f"'topic' must be a name of 1 to {LONGEST_NAME} characters")
    return f"/{given.removeprefix('/')}"


def _type(content: Mapping[str, Any]) -> str:
    given = content.get("type") or ""
    if not isinstance(given, str) or len(given) > LONGEST_NAME:
        raise _Malformed(f"'type' must be a name of at most {LONGEST_NAME} characters")
    return given


def _number(content: Mapping[str, Any], name: str, low: float, high: float) -> float:
    """Return a number in a range; the lower limit if it is absent."""
    given = content.get(name)
    given = low if given is None else given
    if isinstance(given, bool) or not isinstance(given, int | float) or not low <= given <= high:
        raise _Malformed(f"'{name}' must be a number from {low:g} to {high:g}")
    return given


def _call(content: Mapping[str, Any], id_: Id) -> ServiceCall:
    """Parse a service call."""
    given = content.get("service")
    if not isinstance(given, str) or not 0 < len(given) <= LONGEST_NAME:
        most = f"1 to {LONGEST_NAME} characters"
        raise _Malformed(f"'service' must be a name of {most}, as in {_EXAMPLE}")
    return ServiceCall(given.removeprefix("/"), content.get("args"), id_, given)


_READERS: Final[Mapping[str, Callable[[Mapping[str, Any], Id], Request]]] = {
    "call_service": _call,
    "set_level": _level,
    "status": _ignore,
    "subscribe": _subscribe,
    "unsubscribe": _unsubscribe,
    "advertise": _advertise,
    "unadvertise": _unadvertise,
    "publish": _publish,
    "fragment": _fragment,
    "png": _png,
}
"""Operation → reader of its fields."""


class FragmentAssembler:
    """Messages of one client that arrive in fragments."""

    def __init__(self) -> None:
        self._parts: dict[Id, tuple[int, dict[int, str]]] = {}

    def add(self, fragment: Fragment) -> str | Problem | None:
        """Return the message if this is its last missing fragment; None: others are missing."""
        total, parts = self._parts.pop(fragment.id, (fragment.total, {}))
        if total != fragment.total:
            return Problem(f"fragment: 'total' was {total}, is {fragment.total}", fragment.id)
        parts[fragment.number] = fragment.data
        if sum(map(len, parts.values())) > LONGEST_MESSAGE:
            return Problem(f"fragment: over {LONGEST_MESSAGE} characters", fragment.id)
        if len(parts) == total:
            return "".join(parts[number] for number in range(total))
        while len(self._parts) >= MOST_PARTIAL:
            del self._parts[next(iter(self._parts))]
        self._parts[fragment.id] = total, parts
        return None


def split(text: str, size: int, id_: str) -> list[str]:
    """Return a message as fragments of at most ``size`` characters of it each."""
    if not size or len(text) <= size:
        return [text]
    parts = [text[start : start + size] for start in range(0, len(text), size)]
    return [
        _encode("fragment", {"data": part, "num": number, "total": len(parts)}, id_)
        for number, part in enumerate(parts)
    ]


def subscription(topic: str, kind: str) -> str:
    """Return a ``subscribe`` to the newest messages of a topic."""
    fields = {"topic": topic, "type": kind, "queue_length": 1}
    return _encode("subscribe", fields, None)


def publication(topic: str, message: str) -> str:
    """Return a ``publish`` of a message that is JSON already."""
    return f'{{"op": "publish", "topic": {json.dumps(topic)}, "msg": {message}}}'


def _beginning(text: str | bytes) -> str:
    """Return the first characters of a message, quoted."""
    start = text[:SHOWN] if isinstance(text, str) else text[:SHOWN].decode("utf-8", "replace")
    return f"{start!r}{'…' if len(text) > SHOWN else ''}"


def _encode(operation: str, fields: Mapping[str, Any], id_: Id) -> str:
    named = {} if id_ is None else {"id": id_}
    return json.dumps({"op": operation, **named, **fields}, allow_nan=False)
