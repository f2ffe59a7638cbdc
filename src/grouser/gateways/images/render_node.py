"""All that ``grouser eyes`` runs: eyes, an image port, and the line to a server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from grouser.errors import BadValue, Disconnected
from grouser.gateways.images.gallery import Gallery
from grouser.gateways.images.port import ImagePort
from grouser.gateways.images.remote_worker import look_out
from grouser.gateways.images.render_pool import Eyes
from grouser.service.access import AccessControl

AGAIN = 1.0
"""Wall time (s) before a server that has gone is looked for again."""


class Station:
    """Eyes for a server that runs elsewhere.

    Args:
        access: of the image port here.
        workers: processes that draw.
        own_only: serve nobody without a key.
        say: told what happens, in sentences.
    """

    def __init__(
        self, access: AccessControl, *, workers: int, own_only: bool, say: Callable[[str], None]
    ) -> None:
        self._eyes = Eyes(workers=workers)
        self._gallery = Gallery(self._eyes)
        self._port = ImagePort(self._gallery, access, own_only=own_only)
        self._window = 2 * workers
        self._say = say

    async def run(
        self, server: str, server_port: int, *, host: str, port: int, token: str, trust: Path | None
    ) -> None:
        """Draw for ``server`` and serve at ``host``; ends only by being refused or cancelled.

        Raises:
            Refused: the server does not want these eyes.
            Disconnected: it has never been there.
            BadValue: the image port is taken.
        """
        loop = asyncio.get_running_loop()
        try:
            images = await loop.create_server(self._port, host, port)
        except OSError as error:
            why = error.strerror or str(error)
            raise BadValue(f"pictures cannot be served at {host}:{port} ({why})") from error
        async with images, self._eyes:
            here = images.sockets[0].getsockname()
            self._say(f"pictures at {here[0]}:{here[1]}")
            met = False

            def heard(sentence: str) -> None:
                nonlocal met
                met = True
                self._say(sentence)

            while True:
                try:
                    await look_out(
                        self._gallery,
                        server,
                        server_port,
                        token=token,
                        window=self._window,
                        trust=trust,
                        here=heard,
                    )
                except Disconnected as gone:
                    if not met:
                        raise
                    self._say(f"{gone}; looking for it again")
                    await asyncio.sleep(AGAIN)
