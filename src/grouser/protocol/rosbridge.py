"""The rosbridge protocol, version 2: JSON objects with an ``op``, one in each websocket message.

Services are spoken here (``call_service``, ``service_response``), with ``status`` for whatever goes
wrong. Every other operation of the protocol is known by name, so that a client learns what this
server has instead. The websocket around it is the gateway's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from grouser.errors import nearest

PORT = 9090
"""Where rosbridge servers listen, unless told otherwise."""

LEVELS: Final = ("none", "error", "warning", "info")
"""How much status a client wants to hear, from nothing to everything."""

LONGEST_NAME = 256
"""Characters of a service's name, and of an id."""

SHOWN = 60
"""Characters of something wrong that are repeated to whoever sent it."""

_NO_TOPICS = "this server has services, and no topics"
_NO_SERVERS = "this server calls no services of its clients"
_NO_ACTIONS = "this server has services, and no actions"
_PLAIN = "this server speaks plain JSON, unpacked and in one piece"
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
    "auth": "a token is shown in the header of the websocket: 'Authorization: Bearer SECRET'",
}
"""Operations of the protocol that are not for this server → why."""

_OPERATIONS = ("call_service", "set_level", "status", *REFUSED)

Id = str | int | None
"""What a client calls a message of its; None: nothing."""


@dataclass(frozen=True, slots=True)
class ServiceCall:
    """``call_service``: do this, and answer."""

    service: str
    """Without the slash that it may begin with."""
    args: Any = None
    """As they came: an object by name, or a list in order."""
    id: Id = None
    given: str = ""
    """The service's name as it was given."""


@dataclass(frozen=True, slots=True)
class SetLevel:
    """``set_level``: how much status the client wants to hear."""

    level: str
    """One of `LEVELS`."""


@dataclass(frozen=True, slots=True)
class Ignored:
    """Something a server has nothing to do about: a client's own ``status``."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A message that could not be understood, or is not for this server."""

    text: str
    """One sentence: what was given and what is allowed."""
    id: Id = None


Request = ServiceCall | SetLevel | Ignored | Problem


@dataclass(frozen=True, slots=True)
class ServiceResponse:
    """``service_response``: what became of a call."""

    service: str
    """As the client named it."""
    values: Mapping[str, Any] | str
    """The service's fields; a sentence where the call failed as a whole."""
    result: bool
    """False: there was no such service, or the caller may not."""
    id: Id = None

    def encode(self) -> str:
        """Return it as the text of one websocket message."""
        values = dict(self.values) if isinstance(self.values, Mapping) else self.values
        fields = {"service": self.service, "values": values, "result": self.result}
        return _encode("service_response", fields, self.id)


@dataclass(frozen=True, slots=True)
class Status:
    """``status``: something that concerns the client and is no answer."""

    text: str
    level: str = "error"
    """One of `LEVELS` but ``none``."""
    id: Id = None

    def encode(self) -> str:
        """Return it as the text of one websocket message."""
        return _encode("status", {"level": self.level, "msg": self.text}, self.id)

    def heard_at(self, level: str) -> bool:
        """Return whether a client that set ``level`` hears it."""
        return LEVELS.index(self.level) <= LEVELS.index(level)


def read_request(text: str | bytes) -> Request:
    """Return what a client's message means; never raises.

    Args:
        text: one websocket message, of a size that its reader has limited.
    """
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        why = error.msg if isinstance(error, json.JSONDecodeError) else "too deep or no text"
        return Problem(f"this is no JSON ({why}): {_beginning(text)}")
    if not isinstance(content, dict):
        return Problem(f"a JSON object is needed, such as {_EXAMPLE}, not {_beginning(text)}")
    return _meaning(content)


_EXAMPLE = '{"op": "call_service", "service": "roach/path_plan"}'


def _meaning(content: Mapping[str, Any]) -> Request:
    """Return what a JSON object means."""
    known = content.get("id")
    plain = isinstance(known, str | int) and len(str(known)) <= LONGEST_NAME
    id_: Id = known if plain else None
    operation = content.get("op")
    if not isinstance(operation, str):
        return Problem(f"there is no 'op' in it, which must be a word, as in {_EXAMPLE}", id_)
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
    """Return the call of a service."""
    given = content.get("service")
    if not isinstance(given, str) or not 0 < len(given) <= LONGEST_NAME:
        most = f"1 to {LONGEST_NAME} characters"
        return Problem(f"call_service: 'service' must be a name of {most}, as in {_EXAMPLE}", id_)
    return ServiceCall(given.removeprefix("/"), content.get("args"), id_, given)


def _beginning(text: str | bytes) -> str:
    """Return how a message begins, as something to be shown."""
    start = text[:SHOWN] if isinstance(text, str) else text[:SHOWN].decode("utf-8", "replace")
    return f"{start!r}{'…' if len(text) > SHOWN else ''}"


def _encode(operation: str, fields: Mapping[str, Any], id_: Id) -> str:
    named = {} if id_ is None else {"id": id_}
    return json.dumps({"op": operation, **named, **fields}, allow_nan=False)
