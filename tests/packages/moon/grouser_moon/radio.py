"""Gateway of the moon: each line of a client is answered by the pose of the robot that it names."""

from collections.abc import Iterable
from functools import partial

from grouser.gateways.client_socket import ClientSocket
from grouser.gateways.gateway import Endpoint, Gateway, GatewayContext, PortNumber
from grouser.service.access import Role
from grouser.service.request_queue import Request


class Radio(Gateway):
    """Port where clients ask for the position of a robot."""

    port: PortNumber = 1969
    digits: int = 3
    """Decimal places of the answers."""

    def endpoints(self, context: GatewayContext) -> Iterable[Endpoint]:
        """Return the one port, ``moon_radio``."""
        yield Endpoint("moon_radio", self.port, partial(RadioSocket, context, self.digits))


class RadioSocket(ClientSocket):
    """Connection of one client."""

    def __init__(self, context: GatewayContext, digits: int) -> None:
        super().__init__(context.registry)
        self._host, self._digits = context.host, digits

    def requests(self, data: bytes) -> list[Request]:
        """Return one request per line."""
        return [partial(self._answer, line.decode()) for line in data.splitlines()]

    def _answer(self, name: str) -> None:
        self.login.require(Role.WATCH)
        place = self._host.simulation.pose(name).position.tolist()
        self.outbox.line(" ".join(f"{x:.{self._digits}f}" for x in place).encode() + b"\n")
