"""Foxglove's websocket protocol: JSON objects with an ``op``, and binary messages with an opcode.

The server announces channels and services; a client subscribes to channels, announces channels of
its own, publishes in them, and calls services. Messages are CDR with definitions of ROS 2; those of
clients may be JSON.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

PORT = 8765
"""Default TCP port."""
SUBPROTOCOLS: Final = ("foxglove.sdk.v1", "foxglove.websocket.v1")
"""Names of the protocol in the websocket request."""
ENCODINGS: Final = ("cdr", "json")
"""Encodings of messages of clients."""
CAPABILITIES: Final = ("clientPublish", "services", "time")
LARGEST_ID = (1 << 32) - 1
LONGEST_LIST = 1024
"""Most elements of a list in a message."""
LONGEST_NAME = 256
"""Most characters of a name."""
ERROR = 2
"""Level of a status message."""

_MESSAGE, _TIME, _RESPONSE = 1, 2, 3
_PUBLISH, _CALL = 1, 2


@dataclass(frozen=True, slots=True)
class Channel:
    """Topic of the server."""

    id: int
    topic: str
    schemaName: str  # noqa: N815  # as in the protocol
    schema: str
    encoding: str = "cdr"
    schemaEncoding: str = "ros2msg"  # noqa: N815


@dataclass(frozen=True, slots=True)
class SubscribeChannels:
    """Receive channels."""

    subscriptions: tuple[tuple[int, int], ...]
    """Ids of subscriptions and channels."""


@dataclass(frozen=True, slots=True)
class UnsubscribeChannels:
    """End subscriptions."""

    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ClientChannel:
    """Channel in which a client publishes."""

    id: int
    topic: str
    type: str
    encoding: str


@dataclass(frozen=True, slots=True)
class AdvertiseChannels:
    """Announce channels of the client."""

    channels: tuple[ClientChannel, ...]


@dataclass(frozen=True, slots=True)
class UnadvertiseChannels:
    """End channels of the client."""

    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ChannelMessage:
    """Message in a channel of the client."""

    channel: int
    data: bytes


@dataclass(frozen=True, slots=True)
class ChannelCall:
    """Call of a service."""

    service: int
    call: int
    encoding: str
    data: bytes


@dataclass(frozen=True, slots=True)
class BadMessage:
    """Malformed or unsupported message."""

    text: str


Request = (
    SubscribeChannels
    | UnsubscribeChannels
    | AdvertiseChannels
    | UnadvertiseChannels
    | ChannelMessage
    | ChannelCall
    | BadMessage
)


# -- to clients ------------------------------------------------------------------------------------


def server_info(name: str, session: str) -> str:
    """Return the first message to a client."""
    return json.dumps(
        {
            "op": "serverInfo",
            "name": name,
            "capabilities": CAPABILITIES,
            "supportedEncodings": ENCODINGS,
            "metadata": {"ROS_DISTRO": "jazzy"},
            "sessionId": session,
        }
    )


def advertise(channels: Iterable[Channel]) -> str:
    """Return the announcement of channels."""
    return json.dumps({"op": "advertise", "channels": [asdict(channel) for channel in channels]})


def unadvertise(ids: Iterable[int]) -> str:
    """Return the end of channels."""
    return json.dumps({"op": "unadvertise", "channelIds": list(ids)})


def advertise_services(services: Mapping[int, tuple[str, str, str, str]]) -> str:
    """Return the announcement of services: id → name, type, definitions of request and response."""
    shown = [
        {
            "id": id_,
            "name": name,
            "type": kind,
            "request": _definition(f"{kind}_Request", request),
            "response": _definition(f"{kind}_Response", response),
        }
        for id_, (name, kind, request, response) in services.items()
    ]
    return json.dumps({"op": "advertiseServices", "services": shown})


def unadvertise_services(ids: Iterable[int]) -> str:
    """Return the end of services."""
    return json.dumps({"op": "unadvertiseServices", "serviceIds": list(ids)})


def _definition(name: str, text: str) -> dict[str, str]:
    return {"encoding": "cdr", "schemaName": name, "schemaEncoding": "ros2msg", "schema": text}


def status(text: str) -> str:
    """Return an error message."""
    return json.dumps({"op": "status", "level": ERROR, "message": text})


def call_failure(call: ChannelCall, text: str) -> str:
    """Return the failure of a call."""
    ids = {"serviceId": call.service, "callId": call.call}
    return json.dumps({"op": "serviceCallFailure", **ids, "message": text})


def message_data(subscription: int, time: int, data: bytes) -> bytes:
    """Return a message (CDR) of a channel; ``time`` in ns."""
    return struct.pack("<BIQ", _MESSAGE, subscription, time) + data


def time_data(time: int) -> bytes:
    """Return the time of the world, ns."""
    return struct.pack("<BQ", _TIME, time)


def call_response(call: ChannelCall, data: bytes) -> bytes:
    """Return the response (CDR) of a service."""
    encoding = b"cdr"
    return struct.pack("<BIII", _RESPONSE, call.service, call.call, len(encoding)) + encoding + data


# -- from clients ----------------------------------------------------------------------------------


def read_request(data: str | bytes) -> Request:
    """Parse a client's message; return a `BadMessage` if it is malformed, never raise.

    A binary message begins with its opcode, which no JSON text does.
    """
    try:
        if isinstance(data, bytes) and data[:1] < b" ":
            return _read_binary(data)
        content = json.loads(data)
        operation = content.get("op") if isinstance(content, dict) else None
        reader = _READERS.get(operation) if isinstance(operation, str) else None
        if reader is None:
            return BadMessage(
                f"op is {str(operation)[:LONGEST_NAME]}, must be {', '.join(_READERS)}"
            )
        return reader(content)
    except (KeyError, TypeError, ValueError, RecursionError, struct.error) as error:
        return BadMessage(
            f"malformed message ({type(error).__name__}: {str(error)[:LONGEST_NAME]})"
        )


def _read_binary(data: bytes) -> Request:
    match data[:1]:
        case b"\1":
            (channel,) = struct.unpack_from("<I", data, 1)
            return ChannelMessage(channel, data[5:])
        case b"\2":
            service, call, length = struct.unpack_from("<III", data, 1)
            encoding = data[13 : 13 + length].decode()
            return ChannelCall(service, call, encoding, data[13 + length :])
    return BadMessage(f"a binary message must begin with {_PUBLISH} or {_CALL}")


def _list(content: Mapping[str, Any], key: str) -> list[Any]:
    found = content[key]
    if not isinstance(found, list) or len(found) > LONGEST_LIST:
        raise ValueError(f"{key} must be a list of at most {LONGEST_LIST} elements")
    return found


def _id(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST_ID:
        raise ValueError(f"an id must be a whole number, 0 to {LARGEST_ID}")
    return value


def _name(value: Any) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_NAME:
        raise ValueError(f"a name must be text of at most {LONGEST_NAME} characters")
    return value


def _read_advertise(content: Mapping[str, Any]) -> Request:
    return AdvertiseChannels(
        tuple(
            ClientChannel(
                _id(one["id"]),
                _name(one["topic"]),
                _name(one["schemaName"]),
                _name(one["encoding"]),
            )
            for one in _list(content, "channels")
        )
    )


_READERS: dict[str, Callable[[Mapping[str, Any]], Request]] = {
    "subscribe": lambda content: SubscribeChannels(
        tuple((_id(one["id"]), _id(one["channelId"])) for one in _list(content, "subscriptions"))
    ),
    "unsubscribe": lambda content: UnsubscribeChannels(
        tuple(map(_id, _list(content, "subscriptionIds")))
    ),
    "advertise": _read_advertise,
    "unadvertise": lambda content: UnadvertiseChannels(
        tuple(map(_id, _list(content, "channelIds")))
    ),
}
"""Operation → its reader."""
