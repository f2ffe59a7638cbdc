"""Services of ROS 2: type hashes, and requests and responses of std_srvs as CDR."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from grouser.ros.definitions import type_store

SERVICE_FIELDS: Mapping[str, tuple[str, str]] = {
    "std_srvs/srv/Empty": ("", ""),
    "std_srvs/srv/Trigger": ("", "bool success\nstring message"),
}
"""Type of a service → definitions of request and response."""

EVENT_INFO = "service_msgs/msg/ServiceEventInfo"
_EVENT_INFO_FIELDS = """
    uint8 event_type
    builtin_interfaces/Time stamp
    uint8[16] client_gid
    int64 sequence_number
"""


@cache
def _service_store() -> Any:
    """Return a store of types in which `EVENT_INFO` has the hash that ROS has."""
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    type_store()  # raises MissingDependency
    store = get_typestore(Stores.ROS2_JAZZY)
    # rosbags keeps `char`, which ROS hashes as `uint8`.
    text = "\n".join(map(str.strip, _EVENT_INFO_FIELDS.split("\n")))
    del store.fielddefs[EVENT_INFO], store.types[EVENT_INFO]
    store.register(get_types_from_msg(text, EVENT_INFO))
    return store


@cache
def _register(service: str, request: str, response: str) -> Any:
    """Add a service's types to the store of types; return the store."""
    from rosbags.interfaces import Nodetype
    from rosbags.typesys import get_types_from_msg

    store = _service_store()
    for part, text in (("Request", request), ("Response", response)):
        made = get_types_from_msg(text, f"{service}_{part}")
        [described] = made.values()
        store.register({f"{service}_{part}": described})
    named = {
        part: (Nodetype.NAME, f"{service}_{part}") for part in ("Request", "Response", "Event")
    }
    event = [
        ("info", (Nodetype.NAME, EVENT_INFO)),
        ("request", (Nodetype.SEQUENCE, (named["Request"], 1))),
        ("response", (Nodetype.SEQUENCE, (named["Response"], 1))),
    ]
    members = [(f"{part.lower()}_message", named[part]) for part in named]
    store.register({f"{service}_Event": ([], event), service: ([], members)})
    return store


def service_hash(service: str, request: str | None = None, response: str | None = None) -> str:
    """Return the hash of a service type, ``RIHS01_…``; definitions of one of `SERVICE_FIELDS`."""
    own = SERVICE_FIELDS.get(service, ("", ""))
    store = _register(
        service, own[0] if request is None else request, own[1] if response is None else response
    )
    found: str = store.hash_rihs01(service)
    return found


def encode_response(service: str, values: Mapping[str, Any]) -> bytes:
    """Return the response of a service of `SERVICE_FIELDS` as CDR."""
    store, name = _register(service, *SERVICE_FIELDS[service]), f"{service}_Response"
    kind = store.types[name]
    # A type without fields has one that pads it.
    fields = {field: values.get(field, 0) for field, _ in store.fielddefs[name][1]}
    return bytes(store.serialize_cdr(kind(**fields), name))
