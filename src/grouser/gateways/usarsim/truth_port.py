"""The truth port (3989): where every robot and object is, for those who may watch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial

from grouser.errors import Refused
from grouser.frames import to_rpy_one
from grouser.gateways.client_socket import ClientSocket
from grouser.gateways.gateway import Endpoint, GatewayContext
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.usarsim.wire_names import appearance, plain
from grouser.protocol.lines import Fault
from grouser.protocol.usarsim.truth import PORT, TruthEnd, TruthRequest, TruthRow, TruthServerSide
from grouser.service.access import Login, Role
from grouser.service.host import Host
from grouser.service.outbox import Outbox, Pipe
from grouser.service.request_queue import Request


@dataclass(frozen=True)
class TruthGateway:
    """A port where anybody who may watch can ask who is where."""

    port: int = PORT
    profile: PortProfile = field(default_factory=PortProfile)

    def endpoints(self, context: GatewayContext) -> Iterable[Endpoint]:
        """Return the one port, ``truth``."""
        yield Endpoint("truth", self.port, partial(TruthSocket, context, self.profile))


class TruthSocket(ClientSocket):
    """Somebody who asks who is where; with tokens, its first line is ``{token …}``."""

    def __init__(self, context: GatewayContext, profile: PortProfile) -> None:
        super().__init__(context.registry)
        self._host = context.host
        self._profile, self._side = profile, TruthServerSide()
        self._outbox: Outbox | None = None
        self._login: Login | None = None

    def opened(self, transport: Pipe) -> None:
        """See what the client may do without a token."""
        self._outbox = Outbox(transport, self.registry.limits.unread_bytes)
        self._login = Login(self.registry.access, self.address)

    def requests(self, data: bytes) -> list[Request]:
        """Return the requests that came."""
        return [partial(self._reply, request) for request in self._side.receive(data)]

    def logged_in(self) -> bool:
        """Return whether a token was shown, or none is needed."""
        return bool(self._login)

    def _reply(self, request: TruthRequest | Fault) -> None:
        """Answer a request; what is none is dropped."""
        if isinstance(request, Fault):
            return
        try:
            self._answer(request)
        except Refused as error:
            self.reject(str(error))

    def _answer(self, request: TruthRequest) -> None:
        assert self._outbox is not None  # it was opened
        assert self._login is not None
        if request.token is not None:
            self._login.show(request.token)
            return
        self._login.require(Role.WATCH)
        for row in true_poses(self._host, request, self._profile):
            self._outbox.line(self._side.send(row))
        self._outbox.line(self._side.send(TruthEnd()))


def true_poses(host: Host, request: TruthRequest, profile: PortProfile) -> list[TruthRow]:
    """Return where the robots and objects are that a request means, as the wire has it.

    Without a class and a name robots are meant (reference), by an empty line everything.
    """
    wanted = None if request.class_name is None else plain(request.class_name.rpartition(".")[2])
    rows: list[TruthRow] = []
    for name, title, kind in _titles(host, objects=request != TruthRequest()):
        if wanted is not None and wanted not in (plain(title), plain(kind)):
            continue
        shown = host.given_names.get(name, name)
        if request.name is not None and request.name.lower() not in (name.lower(), shown.lower()):
            continue
        X_WB = host.simulation.pose(name)
        x, y, z = X_WB.position.tolist()
        rpy = to_rpy_one(*X_WB.wxyz.tolist())
        place, turn = profile.place((x, y, z)), profile.angles(rpy)
        rows.append(TruthRow(shown, title, host.time, place, turn))
    return rows


def _titles(host: Host, *, objects: bool) -> Iterator[tuple[str, str, str]]:
    """Yield the name of everybody, its class on the wire and its kind."""
    for entry in host.simulation.world.robots:
        yield entry.name, appearance(entry.kind).title, entry.kind
    for thing in host.simulation.world.objects if objects else ():
        yield thing.name, host.titles.get(thing.name, thing.kind), thing.kind
