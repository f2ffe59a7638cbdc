"""rosapi: introspection services that ROS programs expect of a rosbridge server.

The server is one node, without actions. Parameters are read-only: ``use_sim_time``, which is true,
and the robots' descriptions.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from grouser.errors import BadValue, unknown
from grouser.gateways.ros_graph.live_topics import LiveTopics
from grouser.gateways.ros_graph.mesh_files import MeshFiles
from grouser.gateways.ros_graph.robot_commands import COMMAND_TYPES, command_topics
from grouser.gateways.ros_graph.robot_services import EMPTY, TRIGGER, RobotServices
from grouser.ros.definitions import type_store
from grouser.ros.json_fields import FieldType, RosVersion, example, fields, full_name, short_name
from grouser.ros.messages import NANOSECONDS, ros_name

NODE = "/grouser"
"""Name of the only node."""
SIM_TIME = "/use_sim_time"
"""Parameter by which ROS programs follow ``/clock``."""
MOST_TYPEDEFS = 64
"""Most types in one answer."""

Values = dict[str, Any]
"""Fields of a response."""


@dataclass(frozen=True)
class RosGraph:
    """Topics and services of a server, as its clients see them."""

    services: RobotServices
    topics: LiveTopics
    version: RosVersion
    """Form of types and messages."""
    meshes: MeshFiles
    """Files that descriptions of robots name."""

    def published(self) -> dict[str, str]:
        """Return the topics that the server publishes: name → type."""
        return {
            name: short_name(topic.type, self.version) for name, topic in self.topics.topics.items()
        }

    def subscribed(self) -> dict[str, str]:
        """Return the topics that the server receives: name → type."""
        robots = self.services.host.simulation.scene.robots
        return {
            name: short_name(COMMAND_TYPES[kind][0], self.version)
            for name, (_, kind) in command_topics(robots).items()
        }

    def service_type(self, name: str) -> str:
        """Return the type of a service in the form of the version."""
        kind = ROSAPI[name].type if name in ROSAPI else self.services.type_of(name)
        return kind if self.version == 1 else kind.replace("/", "/srv/")

    def parameters(self) -> dict[str, Callable[[], Any]]:
        """Return the parameters: name → function that returns the value."""
        described: dict[str, Callable[[], Any]] = {
            ros_name(f"/{robot}/robot_description"): partial(self.topics.description, robot)
            for robot in self.services.host.simulation.scene.robots
        }
        return {SIM_TIME: lambda: True, **described}


def services(graph: RosGraph, args: Mapping[str, Any]) -> Values:
    """Return all services."""
    return {"services": [f"/{name}" for name in (*graph.services.names(), *ROSAPI)]}


def _service_type(graph: RosGraph, args: Mapping[str, Any]) -> Values:
    return {"type": graph.service_type(_text(args, "service").removeprefix("/"))}


def _services_for_type(graph: RosGraph, args: Mapping[str, Any]) -> Values:
    wanted = _text(args, "type").replace("/srv/", "/")
    names = (*graph.services.names(), *ROSAPI)
    found = [f"/{n}" for n in names if graph.service_type(n).replace("/srv/", "/") == wanted]
    return {"services": found}


def _service_node(graph: RosGraph, args: Mapping[str, Any]) -> Values:
    _service_type(graph, args)  # raises UnknownName
    return {"node": NODE}


def _service_providers(graph: RosGraph, args: Mapping[str, Any]) -> Values:
    return {"providers": [NODE]}


def _node_details(graph: RosGraph, args: Mapping[str, Any]) -> Values:
    if (node := _text(args, "node")) != NODE:
        raise unknown("rosapi/node_details", "node", node, [NODE])
    topics = {"subscribing": list(graph.subscribed()), "publishing": list(graph.published())}
    return {**topics, **services(graph, args)}


def _time(graph: RosGraph, args: Mapping[str, Any]) -> Values:
    """Return simulated time, as on ``/clock``."""
    seconds, nanoseconds = divmod(graph.topics.now(), NANOSECONDS)
    names = ("secs", "nsecs") if graph.version == 1 else ("sec", "nanosec")
    return {"time": dict(zip(names, (seconds, nanoseconds), strict=True))}


# -- topics ----------------------------------------------------------------------------------------


def _topics(graph: RosGraph, args: Mapping[str, Any]) -> Values:
    known = graph.published() | graph.subscribed()
    return {"topics": list(known), "types": list(known.values()), "typedefs_full_text": []}


def _topics_for_type(graph: RosGraph, args: Mapping[str, Any]) -> Values:
    wanted, known = full_name(_text(args, "type")), graph.published() | graph.subscribed()
    return {"topics": [name for name, kind in known.items() if full_name(kind) == wanted]}


def _topic_type(graph: RosGraph, args: Mapping[str, Any]) -> Values:
    known = graph.published() | graph.subscribed()
    return {"type": known.get(f"/{_text(args, 'topic').removeprefix('/')}", "")}


def _publishers(graph: RosGraph, args: Mapping[str, Any]) -> Values:
    topic = f"/{_text(args, 'topic').removeprefix('/')}"
    return {"publishers": [NODE] if topic in graph.published() else []}


def _subscribers(graph: RosGraph, args: Mapping[str, Any]) -> Values:
    topic = f"/{_text(args, 'topic').removeprefix('/')}"
    return {"subscribers": [NODE] if topic in graph.subscribed() else []}


def _message_details(graph: RosGraph, args: Mapping[str, Any]) -> Values:
    """Return the definitions of a type and of all types that it contains."""
    kind = full_name(_text(args, "type"))
    if kind not in type_store().types:
        raise unknown("rosapi/message_details", "type", kind, type_store().types)
    found: dict[str, Values] = {}
    pending = [kind]
    while pending and len(found) < MOST_TYPEDEFS:
        one = pending.pop()
        if one not in found:
            members = fields(one, graph.version)
            values = example(one, graph.version)
            name = short_name(one, graph.version)
            found[one] = _typedef_of(name, members, values, graph.version)
            pending += [member.kind for member in members if "/" in member.kind]
    return {"typedefs": list(found.values())}


def _typedef_of(
    name: str, members: tuple[FieldType, ...], values: Values, version: RosVersion
) -> Values:
    return {
        "type": name,
        "fieldnames": [member.name for member in members],
        "fieldtypes": [short_name(member.kind, version) for member in members],
        "fieldarraylen": [-1 if member.length is None else member.length for member in members],
        "examples": [json.dumps(values[member.name]) for member in members],
        "constnames": [],
        "constvalues": [],
    }


# -- types of services -----------------------------------------------------------------------------


def _request_details(graph: RosGraph, args: Mapping[str, Any]) -> Values:
    return {"typedefs": [_typedef(args, "Request", {})]}


def _response_details(graph: RosGraph, args: Mapping[str, Any]) -> Values:
    members = {"success": "bool", "message": "string"}
    return {"typedefs": [_typedef(args, "Response", members)]}


def _typedef(args: Mapping[str, Any], part: str, members: Mapping[str, str]) -> Values:
    kind = _text(args, "type").replace("/srv/", "/")
    if kind not in (TRIGGER, EMPTY):
        raise unknown("rosapi", "type", kind, [TRIGGER, EMPTY])
    members = {} if kind == EMPTY else members
    return {
        "type": f"{kind}{part}",
        "fieldnames": list(members),
        "fieldtypes": list(members.values()),
        "fieldarraylen": [-1] * len(members),
        "examples": [{"bool": "False", "string": ""}[kind] for kind in members.values()],
        "constnames": [],
        "constvalues": [],
    }


# -- parameters ------------------------------------------------------------------------------------


def _parameter_names(graph: RosGraph, args: Mapping[str, Any]) -> Values:
    return {"names": list(graph.parameters())}


def _parameter(graph: RosGraph, args: Mapping[str, Any]) -> Values:
    """Return a parameter (JSON), or the default of the client if there is none."""
    found = graph.parameters().get(_parameter_name(args))
    if found is not None:
        return {"value": json.dumps(found())}
    default = args.get("default")
    return {"value": default if isinstance(default, str) and default else "null"}


def _has_parameter(graph: RosGraph, args: Mapping[str, Any]) -> Values:
    return {"exists": _parameter_name(args) in graph.parameters()}


def _search_parameter(graph: RosGraph, args: Mapping[str, Any]) -> Values:
    name = _parameter_name(args)
    return {"global_name": name if name in graph.parameters() else ""}


def _parameter_name(args: Mapping[str, Any]) -> str:
    """Return a name; the node before a colon, as in ROS 2, is left out."""
    return f"/{_text(args, 'name').rpartition(':')[2].removeprefix('/')}"


def _read_only(graph: RosGraph, args: Mapping[str, Any]) -> Values:
    raise BadValue("the parameters of this server are read-only")


def _constant(**values: Any) -> Callable[[RosGraph, Mapping[str, Any]], Values]:
    return lambda graph, args: dict(values)


def _text(args: Mapping[str, Any], key: str) -> str:
    given = args.get(key)
    if not isinstance(given, str):
        raise BadValue(f"rosapi: args must be an object with the text '{key}'")
    return given


@dataclass(frozen=True)
class RosapiRow:
    """Row of the table of services."""

    type: str
    run: Callable[[RosGraph, Mapping[str, Any]], Values]


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
        ("topics", "Topics", _topics),
        ("topics_for_type", "TopicsForType", _topics_for_type),
        ("topic_type", "TopicType", _topic_type),
        ("publishers", "Publishers", _publishers),
        ("subscribers", "Subscribers", _subscribers),
        ("message_details", "MessageDetails", _message_details),
        ("action_servers", "GetActionServers", _constant(action_servers=[])),
        ("get_time", "GetTime", _time),
        ("get_param_names", "GetParamNames", _parameter_names),
        ("get_param", "GetParam", _parameter),
        ("has_param", "HasParam", _has_parameter),
        ("search_param", "SearchParam", _search_parameter),
        ("set_param", "SetParam", _read_only),
        ("delete_param", "DeleteParam", _read_only),
    )
}
"""Service without leading slash → its type and implementation."""
