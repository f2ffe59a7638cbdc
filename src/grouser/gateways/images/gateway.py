"""The image gateway: the port for pictures, and the one for render workers on other machines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from grouser.gateways.gateway import Endpoint, GatewayContext
from grouser.gateways.images.port import ImagePort
from grouser.protocol.images import PORT
from grouser.protocol.rendering import PORT as WORKER_PORT


@dataclass(frozen=True)
class ImageGateway:
    """A port where clients get the pictures of robots' cameras."""

    port: int = PORT
    legacy: bool = False
    """Send the first frame unasked, as UT2004's servers did."""
    own_only: bool = False
    """Give nobody the pictures of others."""

    def endpoints(self, context: GatewayContext) -> Iterable[Endpoint]:
        """Return the one port, ``images``; none if nobody draws."""
        if context.views is None:
            return
        factory = ImagePort(
            context.views.frames,
            context.registry.access,
            legacy=self.legacy,
            own_only=self.own_only,
            login_seconds=context.registry.limits.login_seconds,
        )
        yield Endpoint("images", self.port, factory)


@dataclass(frozen=True)
class RenderWorkerGateway:
    """A port where render workers of other machines come (``grouser eyes``)."""

    port: int = WORKER_PORT

    def endpoints(self, context: GatewayContext) -> Iterable[Endpoint]:
        """Return the one port, ``eyes``; none if nobody draws."""
        if context.views is not None:
            accept = partial(context.views.pool.accept_remote, context.registry.access)
            yield Endpoint("eyes", self.port, accept)
