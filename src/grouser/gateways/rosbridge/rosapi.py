"""rosapi: introspection services that ROS programs expect of a rosbridge server.

The server is one node with services of the type ``std_srvs/Trigger``, without topics, parameters
and actions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from grouser.errors import BadValue, unknown
from grouser.gateways.rosbridge.robot_services import TRIGGER, RobotServices

NODE = "/grouser"
"""Name of the only node."""

Values = dict[str, Any]
"""Fields of a response."""


def services(robots: RobotServices, args: Mapping[str, Any]) -> Values:
    """Return all services."""
    return {"services": [f"/{name}" for name in (*robots.names(), *ROSAPI)]}


def _service_type(robots: RobotServices, args: Mapping[str, Any]) -> Values:
    name = _text(args, "service").removeprefix("/")
    return {"type": ROSAPI[name].type if name in ROSAPI else _find(robots, name)}


def _find(robots: RobotServices, name: str) -> str:
    robots.find(name)
    return TRIGGER


def _services_for_type(robots: RobotServices, args: Mapping[str, Any]) -> Values:
    wanted = _text(args, "type")
    named = {**dict.fromkeys(robots.names(), TRIGGER), **{n: row.type for n, row in ROSAPI.items()}}
    return {"services": [f"/{name}" for name, kind in named.items() if kind == wanted]}


def _service_node(robots: RobotServices, args: Mapping[str, Any]) -> Values:
    _service_type(robots, args)  # raises UnknownName
    return {"node": NODE}


def _service_providers(robots: RobotServices, args: Mapping[str, Any]) -> Values:
    return {"providers": [NODE]}


def _node_details(robots: RobotServices, args: Mapping[str, Any]) -> Values:
    if (node := _text(args, "node")) != NODE:
        raise unknown("rosapi/node_details", "node", node, [NODE])
    return {"subscribing": [], "publishing": [], **services(robots, args)}


def _time(robots: RobotServices, args: Mapping[str, Any]) -> Values:
    """Return simulated time."""
    seconds, nanoseconds = divmod(round(robots.host.time * 1e9), 1_000_000_000)
    return {"time": {"secs": seconds, "nsecs": nanoseconds}}


def _request_details(robots: RobotServices, args: Mapping[str, Any]) -> Values:
    return {"typedefs": [_typedef(args, "Request", {})]}


def _response_details(robots: RobotServices, args: Mapping[str, Any]) -> Values:
    return {"typedefs": [_typedef(args, "Response", {"success": "bool", "message": "string"})]}


def _typedef(args: Mapping[str, Any], part: str, fields: Mapping[str, str]) -> Values:
    if (kind := _text(args, "type")) != TRIGGER:
        raise unknown("rosapi", "type", kind, [TRIGGER])
    return {
        "type": f"{TRIGGER}{part}",
        "fieldnames": list(fields),
        "fieldtypes": list(fields.values()),
        "fieldarraylen": [-1] * len(fields),
        "examples": [{"bool": "False", "string": ""}[kind] for kind in fields.values()],
        "constnames": [],
        "constvalues": [],
    }


def _parameter(robots: RobotServices, args: Mapping[str, Any]) -> Values:
    """Return the default of the client (JSON), as for every parameter that does not exist."""
    default = args.get("default")
    return {"value": default if isinstance(default, str) and default else "null"}


def _no_parameters(robots: RobotServices, args: Mapping[str, Any]) -> Values:
    raise BadValue("this server has no parameters")


def _constant(**values: Any) -> Callable[[RobotServices, Mapping[str, Any]], Values]:
    return lambda robots, args: dict(values)


def _text(args: Mapping[str, Any], key: str) -> str:
    given = args.get(key)
    if not isinstance(given, str):
        raise BadValue(f"rosapi: args must be an object with the text '{key}'")
    return given


@dataclass(frozen=True)
class RosapiRow:
    """Row of the table of services."""

    type: str
    run: Callable[[RobotServices, Mapping[str, Any]], Values]


ROSAPI: dict[str, RosapiRow] = {
    f"rosapi/{name}": RosapiRow(f"rosapi/{kind}", run)
    for name, kind, run in (
        ("services", "Services", services),
        ("service_type", "ServiceType", _service_type),
        ("services_for_type", "ServicesForType", _services_for_type),
        ("service_node", "ServiceNode", _service_node),
        ("service_providers", "ServiceProviders", _service_providers),
        ("service_request_details", "ServiceRequestDetails", _request_details),
        ("service_response_details", "ServiceResponseDetails", _response_details),
        ("nodes", "Nodes", _constant(nodes=[NODE])),
        ("node_details", "NodeDetails", _node_details),
        ("topics", "Topics", _constant(topics=[], types=[])),
        ("topics_for_type", "TopicsForType", _constant(topics=[])),
        ("topic_type", "TopicType", _constant(type="")),
        ("publishers", "Publishers", _constant(publishers=[])),
        ("subscribers", "Subscribers", _constant(subscribers=[])),
        ("message_details", "MessageDetails", _constant(typedefs=[])),
        ("action_servers", "GetActionServers", _constant(action_servers=[])),
        ("get_time", "GetTime", _time),
        ("get_param_names", "GetParamNames", _constant(names=[])),
        ("get_param", "GetParam", _parameter),
        ("has_param", "HasParam", _constant(exists=False)),
        ("search_param", "SearchParam", _constant(global_name="")),
        ("set_param", "SetParam", _no_parameters),
        ("delete_param", "DeleteParam", _no_parameters),
    )
}
"""Service without leading slash → its type and implementation."""
