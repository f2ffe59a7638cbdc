"""Image gateways: the port for pictures, and the port for render workers on other machines."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from grouser.gateways.gateway import Endpoint, Gateway, GatewayContext, PortNumber
from grouser.gateways.images.port import ImagePort
from grouser.gateways.images.render_pool import RemoteWorker
from grouser.protocol.images import PORT
from grouser.protocol.rendering import PORT as WORKER_PORT


class ImageGateway(Gateway):
    """Port where clients get the pictures of robots' cameras."""

    port: PortNumber = PORT
    legacy: bool = False
    """Send the first frame without a request, as UT2004's servers did."""
    own_only: bool = False
    """Serve a robot's own pictures only; a key is required."""

    def endpoints(self, context: GatewayContext) -> Iterable[Endpoint]:
        """Return the one port, ``images``; none if pictures are not drawn."""
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


class RenderWorkerGateway(Gateway):
    """Port where render workers on other machines connect (``grouser render-worker``)."""

    port: PortNumber = WORKER_PORT

    def endpoints(self, context: GatewayContext) -> Iterable[Endpoint]:
        """Return the one port, ``eyes``; none if pictures are not drawn."""
        if context.views is not None:
            factory = partial(RemoteWorker, context.views.pool, context.registry.access)
            yield Endpoint("eyes", self.port, factory)
