"""Ground truth port (3989): true poses of robots and objects, for clients with the watch role."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from pydantic import InstanceOf
from pydantic.json_schema import SkipJsonSchema

from grouser.errors import Refused
from grouser.frames import to_rpy_one
from grouser.gateways.client_socket import ClientSocket
from grouser.gateways.gateway import Endpoint, Gateway, GatewayContext, PortNumber
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.usarsim.wire_names import appearance, normalize_name
from grouser.protocol.lines import Fault
from grouser.protocol.usarsim.truth import PORT, TruthEnd, TruthRequest, TruthRow, TruthServerSide
from grouser.service.access import Role
from grouser.service.host import Host
from grouser.service.request_queue import Request
from grouser.world.objects import Victim

ACTOR, PAWN = "actor", "pawn"
ROBOT = frozenset({ACTOR, PAWN, "usarvehicle"})
VICTIM = frozenset({ACTOR, PAWN})
OBJECT = frozenset({ACTOR, "kactor", "wcobject"})
"""Base classes of UDK, in comparison form, to which robots, victims and other objects belong."""
MALE, FEMALE = "MaleVictim", "FemaleVictim"


class TruthGateway(Gateway):
    """Port for queries of true poses."""

    port: PortNumber = PORT
    profile: SkipJsonSchema[InstanceOf[PortProfile]] = PortProfile()

    def endpoints(self, context: GatewayContext) -> Iterable[Endpoint]:
        """Return the port ``truth``."""
        yield Endpoint("truth", self.port, partial(TruthSocket, context, self.profile))


class TruthSocket(ClientSocket):
    """Connection to the ground truth port; with tokens, its first line is ``{token …}``."""

    def __init__(self, context: GatewayContext, profile: PortProfile) -> None:
        super().__init__(context.registry)
        self._host = context.host
        self._profile, self._side = profile, TruthServerSide()

    def requests(self, data: bytes) -> list[Request]:
        """Decode the next bytes; return one request for each completed line."""
        return [partial(self._reply, request) for request in self._side.receive(data)]

    def _reply(self, request: TruthRequest | Fault) -> None:
        """Answer a request; unreadable lines are ignored."""
        if isinstance(request, Fault):
            return
        try:
            self._answer(request)
        except Refused as error:
            self.reject(str(error))

    def _answer(self, request: TruthRequest) -> None:
        if request.token is not None:
            self.login.show(request.token)
            return
        self.login.require(Role.WATCH)
        for row in true_poses(self._host, request, self._profile):
            self.outbox.line(self._side.send(row))
        self.outbox.line(self._side.send(TruthEnd()))


def true_poses(host: Host, request: TruthRequest, profile: PortProfile) -> list[TruthRow]:
    """Return the true poses of the requested robots and objects in the axes of the wire."""
    wanted = (
        None
        if request.class_name is None
        else normalize_name(request.class_name.rpartition(".")[2])
    )
    if wanted is None and request.name is not None:
        wanted = ACTOR
    rows: list[TruthRow] = []
    for name, class_name, names in _classes(host):
        if (wanted or PAWN) not in names:
            continue
        shown = host.given_names.get(name, name)
        if request.name is not None and request.name.lower() not in (name.lower(), shown.lower()):
            continue
        X_WB = host.simulation.pose(name)
        x, y, z = X_WB.position.tolist()
        rpy = to_rpy_one(*X_WB.wxyz.tolist())
        place, turn = profile.place((x, y, z)), profile.angles(rpy)
        rows.append(TruthRow(shown, class_name, host.time, place, turn))
    return rows


def _classes(host: Host) -> Iterator[tuple[str, str, set[str]]]:
    """Yield name and class on the wire of all robots and objects, and the classes it belongs to."""
    for entry in host.simulation.world.robots:
        class_name = appearance(entry.kind).class_name
        yield entry.name, class_name, {*map(normalize_name, (class_name, entry.kind)), *ROBOT}
    for thing in host.simulation.world.objects:
        class_name = host.titles.get(thing.name, thing.kind)
        more = OBJECT
        if isinstance(thing, Victim):
            class_name, more = victim_class(thing.name, class_name), VICTIM
        yield thing.name, class_name, {*map(normalize_name, (class_name, thing.kind)), *more}


def victim_class(name: str, title: str) -> str:
    """Return USARSim's class of a victim: female if its class or name contains the word."""
    return FEMALE if "female" in f"{title} {name}".lower() else MALE
