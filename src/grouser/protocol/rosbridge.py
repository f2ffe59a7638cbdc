"""The rosbridge protocol, version 2: JSON objects with an ``op``, one per websocket message.

Service calls are supported (``call_service``, ``service_response``), with ``status`` for errors.
Every other operation is rejected with the reason. The websocket itself is part of the gateway.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
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

_NO_TOPICS = "this server has services, but no topics"
_NO_SERVERS = "this server does not call services of its clients"
_NO_ACTIONS = "this server has services, but no actions"
_PLAIN = "this server accepts plain JSON only, uncompressed and not fragmented"
REFUSED: Final[Mapping[str, str]] = {
    "advertise": _NO_TOPICS,
    "unadvertise": _NO_TOPICS,
    "publish": _NO_TOPICS,
    "subscribe": _NO_TOPICS,
    "unsubscribe": _NO_TOPICS,
    "advertise_service": _NO_SERVERS,
    "unadvertise_service": _NO_SERVERS,
    "service_response": _NO_SERVERS,
    "advertise_action": _NO_ACTIONS,
    "unadvertise_action": _NO_ACTIONS,
    "send_action_goal": _NO_ACTIONS,
    "cancel_action_goal": _NO_ACTIONS,
    "action_feedback": _NO_ACTIONS,
    "action_result": _NO_ACTIONS,
    "fragment": _PLAIN,
    "png": _PLAIN,
    "cbor": _PLAIN,
    "cbor-raw": _PLAIN,
    "auth": "send the token in the header of the websocket request: 'Authorization: Bearer SECRET'",
}
"""Unsupported operation → reason."""

_OPERATIONS = ("call_service", "set_level", "status", *REFUSED)

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


Request = ServiceCall | SetLevel | Ignored | Problem


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
    if operation == "call_service":
        return _call(content, id_)
    if operation == "set_level":
        level = content.get("level")
        if isinstance(level, str) and level in LEVELS:
            return SetLevel(level)
        return Problem(f"set_level: level must be one of {', '.join(LEVELS)}", id_)
    if operation == "status":
        return Ignored()
    if operation in REFUSED:
        return Problem(f"{operation}: {REFUSED[operation]}", id_)
    near = nearest(operation[:LONGEST_NAME], _OPERATIONS)
    return Problem(f"there is no operation '{operation[:SHOWN]}'{near}", id_)


def _call(content: Mapping[str, Any], id_: Id) -> Request:
    """Parse a service call."""
    given = content.get("service")
    if not isinstance(given, str) or not 0 < len(given) <= LONGEST_NAME:
        most = f"1 to {LONGEST_NAME} characters"
        return Problem(f"call_service: 'service' must be a name of {most}, as in {_EXAMPLE}", id_)
    return ServiceCall(given.removeprefix("/"), content.get("args"), id_, given)


def _beginning(text: str | bytes) -> str:
    """Return the first characters of a message, quoted."""
    start = text[:SHOWN] if isinstance(text, str) else text[:SHOWN].decode("utf-8", "replace")
    return f"{start!r}{'…' if len(text) > SHOWN else ''}"


def _encode(operation: str, fields: Mapping[str, Any], id_: Id) -> str:
    named = {} if id_ is None else {"id": id_}
    return json.dumps({"op": operation, **named, **fields}, allow_nan=False)
