"""Gateway of the browser page."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Annotated

from pydantic import Field, InstanceOf
from pydantic.json_schema import SkipJsonSchema

from grouser.description import Items
from grouser.gateways.gateway import Endpoint, Gateway, GatewayContext, PortNumber
from grouser.gateways.page.feed import PageFeed
from grouser.gateways.page.page_socket import PageSocket
from grouser.gateways.page.session import PageSettings
from grouser.gateways.page.timeline import RecordedStates
from grouser.gateways.websocket import server_protocol
from grouser.protocol.page.messages import PORT


class PageGateway(Gateway):
    """Port of the browser page: its files and its websocket."""

    port: PortNumber = PORT
    rate_hz: Annotated[float, Field(ge=1, le=240)] = 60.0
    """Most updates of the picture per second; half of them while physics does not keep its pace."""
    dead_man_s: Annotated[float, Field(gt=0, le=10)] = 0.3
    """Wall seconds after which a robot stops whose client repeats no command, s."""
    origins: Items[str] = ()
    """Further addresses of the page, such as ``https://lab.example``, behind a proxy."""
    plan: str = ""
    """File of ``grouser plan … --json FILE``, whose paths are shown."""
    recorded: SkipJsonSchema[InstanceOf[RecordedStates] | None] = None
    """States of a recording, which are shown instead of the running world."""

    def endpoints(self, context: GatewayContext) -> Iterable[Endpoint]:
        """Return the one port, ``page``.

        Raises:
            MissingDependency: the websocket library is not installed.
        """
        server_protocol(context.registry.limits.longest_line)  # fail early if not installed
        feed = self.make_feed(context)
        if self.plan:
            feed.plans.load(Path(self.plan))
        settings = PageSettings(self.dead_man_s, asyncio.get_running_loop().time)
        factory = partial(PageSocket, context.registry, feed, settings, self.origins)
        yield Endpoint("page", self.port, factory)

    def make_feed(self, context: GatewayContext) -> PageFeed:
        """Return the source of what clients are shown."""
        return PageFeed(
            context, rate_hz=self.rate_hz, dead_man_s=self.dead_man_s, recorded=self.recorded
        )
