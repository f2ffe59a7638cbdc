"""All that ``grouser eyes`` runs: a render pool, an image port, and the connection to a server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from grouser.errors import BadValue, Disconnected
from grouser.gateways.images.latest_frames import LatestFrames
from grouser.gateways.images.port import ImagePort
from grouser.gateways.images.remote_worker import run_remote_worker
from grouser.gateways.images.render_pool import RenderPool
from grouser.service.access import AccessControl

AGAIN = 1.0
"""Wall time (s) before a server that has gone is looked for again."""


class RenderNode:
    """Draws and serves the pictures of a server that runs elsewhere.

    Args:
        access: of the image port here.
        workers: processes that draw.
        own_only: serve nobody without a key.
        report: called with a sentence when something happens.
    """

    def __init__(
        self, access: AccessControl, *, workers: int, own_only: bool, report: Callable[[str], None]
    ) -> None:
        self._pool = RenderPool(workers=workers)
        self._frames = LatestFrames(self._pool)
        self._port = ImagePort(self._frames, access, own_only=own_only)
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
        loop = asyncio.get_running_loop()
        try:
            images = await loop.create_server(self._port, host, port)
        except OSError as error:
            why = error.strerror or str(error)
            raise BadValue(f"pictures cannot be served at {host}:{port} ({why})") from error
        async with images, self._pool:
            address = images.sockets[0].getsockname()
            self._report(f"pictures at {address[0]}:{address[1]}")
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
