"""All that ``grouser eyes`` runs: a render pool, an image port, and the connection to a server."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path

from grouser.errors import Disconnected
from grouser.gateways.images.latest_frames import LatestFrames
from grouser.gateways.images.port import ImagePort
from grouser.gateways.images.remote_worker import run_remote_worker
from grouser.gateways.images.render_pool import RenderPool
from grouser.gateways.listening_port import DoorRules, ListeningPort
from grouser.service.access import AccessControl
from grouser.service.admission import Admission
from grouser.service.limits import Limits

AGAIN = 1.0
"""Wall time (s) before a server that has gone is looked for again."""


class RenderNode:
    """Draws and serves the pictures of a server that runs elsewhere.

    Args:
        access: of the image port here.
        workers: processes that draw.
        own_only: serve nobody without a key.
        report: called with a sentence when something happens.
        tls: what the image port here speaks TLS with; None: it does not.
    """

    def __init__(
        self,
        access: AccessControl,
        *,
        workers: int,
        own_only: bool,
        report: Callable[[str], None],
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._pool = RenderPool(workers=workers)
        self._frames = LatestFrames(self._pool)
        self._images = ImagePort(self._frames, access, own_only=own_only)
        limits = Limits()
        self._door = DoorRules(Admission(limits), limits, access.log, tls)
        self._window = 2 * workers
        self._report = report

    async def run(
        self, server: str, server_port: int, *, host: str, port: int, token: str, trust: Path | None
    ) -> None:
        """Draw for ``server`` and serve at ``host``; ends only by being refused or cancelled.

        Raises:
            Refused: the server does not want this worker.
            Disconnected: it has never been there.
            BadValue: the image port is taken.
        """
        images = ListeningPort(self._door, self._images)
        async with AsyncExitStack() as stack:
            stack.callback(images.close)
            number = await images.open(host, port, "pictures")
            await stack.enter_async_context(self._pool)
            self._report(f"pictures at {host}:{number}")
            met = False

            def report(sentence: str) -> None:
                nonlocal met
                met = True
                self._report(sentence)

            while True:
                try:
                    await run_remote_worker(
                        self._frames,
                        server,
                        server_port,
                        token=token,
                        window=self._window,
                        trust=trust,
                        report=report,
                    )
                except Disconnected as gone:
                    if not met:
                        raise
                    self._report(f"{gone}; looking for it again")
                    await asyncio.sleep(AGAIN)
