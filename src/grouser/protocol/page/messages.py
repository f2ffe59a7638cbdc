"""Text messages of the browser page: JSON objects, whose key ``op`` is their kind.

Requests of a client are dataclasses; `read_request` checks every field, so that a gateway never
sees a value of another type. Messages of the server are built by `encode`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from enum import IntEnum
from typing import Any, Literal, get_args

from grouser.errors import BadValue, nearest

VERSION = 1
"""Version of the protocol, in `PageHello`."""
PORT = 8080
"""Default TCP port."""
WINDOW = 24
"""Frames of poses that may be unacknowledged; a client that is further behind gets no new ones."""
LONGEST_NAME = 256
LONGEST_LINE = 4096
LONGEST_TOKEN = 512
MOST_COMMANDS = 256
"""Keys of one command."""

Role = Literal["spectator", "operator", "trainer"]
"""Spectators look; operators drive a robot and receive its sensors; trainers may do all."""
ROLES: tuple[Role, ...] = get_args(Role)
WorldOrder = Literal["play", "pause", "step", "reset", "speed"]


class CloseCode(IntEnum):
    """Codes with which the server closes a websocket."""

    PROTOCOL_ERROR = 1002
    """A frame breaks the websocket protocol."""
    NOT_UTF8 = 1007
    """A text is not UTF-8."""
    POLICY = 1008
    """A limit of the server was exceeded, or no hello came in time."""
    TOO_BIG = 1009
    """A message is longer than the server accepts."""
    BAD_MESSAGE = 4400
    """A message is no JSON object, is unknown, or a field has an impossible value."""
    BAD_TOKEN = 4401
    """The token is missing or wrong."""
    WRONG_ROLE = 4403
    """The token does not grant the requested role."""


@dataclass(frozen=True, slots=True)
class PageHello:
    """First message: role and token."""

    version: int
    role: Role
    token: str = ""


@dataclass(frozen=True, slots=True)
class Ack:
    """All frames of poses up to this number were drawn or dropped."""

    frame: int


@dataclass(frozen=True, slots=True)
class GetMesh:
    """Send the mesh with this digest."""

    digest: str


@dataclass(frozen=True, slots=True)
class Watch:
    """Send drives and sensors of a robot from now on; empty: of none."""

    robot: str = ""
    contacts: bool = False
    """Send contact points and forces, too."""
    rays: bool = False
    """Send the rays of its range sensors."""
    points: bool = False
    """Send points of its depth cameras."""


@dataclass(frozen=True, slots=True)
class ShowCamera:
    """Send the pictures of a camera from now on, or no longer."""

    robot: str
    camera: str
    on: bool = True


@dataclass(frozen=True, slots=True)
class Take:
    """Drive a robot from now on."""

    robot: str
    by_force: bool = False
    """A trainer takes it from another client."""


@dataclass(frozen=True, slots=True)
class Release:
    """Stop driving a robot; with ``to`` for the client that requested it."""

    robot: str


@dataclass(frozen=True, slots=True)
class Drive:
    """Move a robot until the next message or the dead man's time-out, as shares of top speed."""

    robot: str
    throttle: float
    rudder: float


@dataclass(frozen=True, slots=True)
class CommandDrives:
    """Command drives, groups or gait inputs of a robot by name."""

    robot: str
    command: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class World:
    """Let time pass, stop it, advance by ``value`` s, reset, or set the real-time factor."""

    order: WorldOrder
    value: float = 0.0


@dataclass(frozen=True, slots=True)
class RunConsole:
    """Execute a console line."""

    id: int
    line: str


@dataclass(frozen=True, slots=True)
class Complete:
    """Return the completions of a console line."""

    id: int
    text: str


@dataclass(frozen=True, slots=True)
class Seek:
    """Show the time ``time`` (s) to this client; -1: the present again."""

    time: float
    rate: float = 0.0
    """Play from there at this factor; 0: stand still."""


@dataclass(frozen=True, slots=True)
class GetContent:
    """Return the contents of the present world, for the editor."""

    id: int


@dataclass(frozen=True, slots=True)
class EditDraft:
    """Check the contents of a world file, and show the world to this client."""

    id: int
    content: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class LeaveDraft:
    """Show the running world again."""


@dataclass(frozen=True, slots=True)
class StartPlan:
    """Plan paths of a robot to a goal, m."""

    robot: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class FollowPath:
    """Drive a robot along a path of its plan."""

    robot: str
    path: int
    from_start: bool = False
    """Put it at the start of the path before."""


Request = (
    PageHello
    | Ack
    | GetMesh
    | Watch
    | ShowCamera
    | Take
    | Release
    | Drive
    | CommandDrives
    | World
    | RunConsole
    | Complete
    | Seek
    | GetContent
    | EditDraft
    | LeaveDraft
    | StartPlan
    | FollowPath
)

OPERATIONS: dict[str, type[Any]] = {
    "hello": PageHello,
    "ack": Ack,
    "mesh": GetMesh,
    "watch": Watch,
    "camera": ShowCamera,
    "take": Take,
    "release": Release,
    "drive": Drive,
    "order": CommandDrives,
    "world": World,
    "console": RunConsole,
    "complete": Complete,
    "seek": Seek,
    "content": GetContent,
    "draft": EditDraft,
    "leave": LeaveDraft,
    "plan": StartPlan,
    "follow": FollowPath,
}
"""``op`` → request."""


def _text(most: int) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        if not isinstance(value, str) or len(value) > most:
            raise BadValue(f"must be a text of at most {most} characters")
        return value

    return check


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise BadValue("must be a finite number")
    return float(value)


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**53:
        raise BadValue("must be a whole number from 0 to 2**53")
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise BadValue("must be true or false")
    return value


def _one_of(*allowed: str) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        if value not in allowed or not isinstance(value, str):
            raise BadValue(f"must be one of {', '.join(allowed)}")
        return value

    return check


def _command(value: Any) -> dict[str, float]:
    if not isinstance(value, dict) or len(value) > MOST_COMMANDS:
        raise BadValue(f"must be an object of at most {MOST_COMMANDS} numbers")
    return {_text(LONGEST_NAME)(key): _number(number) for key, number in value.items()}


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadValue("must be an object")
    return value


def _digest(value: Any) -> str:
    if not isinstance(value, str) or len(value) != 64 or set(value) - set("0123456789abcdef"):
        raise BadValue("must be 64 lower-case hexadecimal digits")
    return value


_FIELDS: dict[str, Callable[[Any], Any]] = {
    "version": _count,
    "role": _one_of(*ROLES),
    "token": _text(LONGEST_TOKEN),
    "frame": _count,
    "digest": _digest,
    "robot": _text(LONGEST_NAME),
    "camera": _text(LONGEST_NAME),
    "contacts": _flag,
    "rays": _flag,
    "points": _flag,
    "from_start": _flag,
    "on": _flag,
    "by_force": _flag,
    "throttle": _number,
    "rudder": _number,
    "command": _command,
    "order": _one_of(*get_args(WorldOrder)),
    "value": _number,
    "id": _count,
    "line": _text(LONGEST_LINE),
    "text": _text(LONGEST_LINE),
    "time": _number,
    "rate": _number,
    "x": _number,
    "y": _number,
    "path": _count,
    "content": _object,
}
"""Field → its check."""


def read_request(text: str | bytes) -> Request:
    """Return the request of a text message.

    Raises:
        BadValue: it is malformed.
    """
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadValue(f"page: not JSON ({error})") from None
    if not isinstance(content, dict):
        raise BadValue("page: a message must be a JSON object with the key 'op'")
    name = content.pop("op", None)
    if not isinstance(name, str) or name not in OPERATIONS:
        shown = str(name)[:LONGEST_NAME]
        raise BadValue(f"page: there is no op '{shown}'{nearest(shown, OPERATIONS)}")
    kind = OPERATIONS[name]
    known = {field.name: field for field in fields(kind)}
    values: dict[str, Any] = {}
    for key, value in content.items():
        if key not in known:
            raise BadValue(f"page: op '{name}' has no key '{key[:60]}'{nearest(key[:60], known)}")
        try:
            values[key] = _FIELDS[key](value)
        except BadValue as error:
            raise BadValue(f"page: op '{name}': {key} {error}") from None
    missing = [key for key, field in known.items() if field.default is MISSING]
    if absent := [key for key in missing if key not in values]:
        raise BadValue(f"page: op '{name}' lacks the key '{absent[0]}'")
    request: Request = kind(**values)
    return request


def encode(op: str, **content: Any) -> str:
    """Return a message of the server as text; numbers that are not finite become null."""
    message = {"op": op, **content}
    try:
        return json.dumps(message, separators=(",", ":"), allow_nan=False)
    except ValueError:
        return json.dumps(_finite(message), separators=(",", ":"), allow_nan=False)


def encode_request(request: Request) -> str:
    """Return a request as text, for clients."""
    name = next(op for op, kind in OPERATIONS.items() if kind is type(request))
    content = {field.name: getattr(request, field.name) for field in fields(request)}
    return json.dumps({"op": name, **content}, separators=(",", ":"))


def _finite(value: Any) -> Any:
    """Return ``value`` with None in place of numbers that are not finite."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return value
