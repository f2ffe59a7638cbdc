"""``grouser render-worker``: render a server's camera images on another core or machine."""

from __future__ import annotations

import signal
from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated

import typer

from grouser.cli import preflight
from grouser.cli.options import Token
from grouser.cli.serving import tls_context
from grouser.cli.terminal import print_error, print_line
from grouser.errors import BadValue


def render_worker(
    server: Annotated[
        str,
        typer.Option(
            metavar="HOST[:PORT]",
            show_default=False,
            help="Simulation server; PORT is its port for render workers, default 5004.",
        ),
    ],
    token: Token = "",
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS", help="Serve images on this address; 0.0.0.0: all interfaces."
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Image port; 0: any free port.")
    ] = 5003,
    workers: Annotated[int, typer.Option(min=1, max=64, metavar="N", help="Render processes.")] = 1,
    trust: Annotated[
        Path | None,
        typer.Option(metavar="F.pem", help="Certificate of the server to trust; connects by TLS."),
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option(metavar="F.pem", help="Serve images by TLS with this certificate."),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option(
            metavar="F.pem",
            show_default="in the certificate's file",
            help="Private key of the certificate.",
        ),
    ] = None,
    own_only: Annotated[
        bool, typer.Option("--own-only", help="Serve images of single robots only, no mosaic.")
    ] = False,
) -> None:
    """Render, filter and serve the camera images of a server's robots, to offload the server.

    Clients can get their images here instead of at the server, with the same keys; the server
    still serves them, too. A lost connection to the server is retried.

    For example, on another machine:

    [cyan]grouser render-worker --server simulator.local --host 0.0.0.0[/]
    """
    from grouser.client.address import parse_host_port
    from grouser.protocol.rendering import PORT

    far, far_port = parse_host_port(server, PORT, "--server")
    preflight.pictures()
    import asyncio
    import time

    from grouser.gateways.images.render_host import RenderHost
    from grouser.service.access import AccessControl, is_loopback, tokens
    from grouser.tls import client_context

    if not token and not is_loopback(host):
        raise BadValue(
            f"--host is '{host}', which other machines can reach: a token is required, set "
            "that of the server with --token or the environment variable GROUSER_TOKEN"
        )
    if trust is not None:
        client_context(trust)  # raises before anything is opened
    access = AccessControl(tokens(given=token or None, environment={}), host, clock=time.monotonic)
    tls = tls_context(certificate, key)
    node = RenderHost(access, workers=workers, own_only=own_only, report=print_line, tls=tls)
    link = node.run(far, far_port, host=host, port=port, token=token, trust=trust)
    try:
        asyncio.run(_until_terminated(link))
    except KeyboardInterrupt:
        print_error("interrupted")
        raise typer.Exit(130) from None


async def _until_terminated(link: Coroutine[None, None, None]) -> None:
    """Run until SIGTERM; then processes are ended and temporary folders deleted."""
    import asyncio

    task = asyncio.ensure_future(link)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    try:
        await task
    except asyncio.CancelledError:
        print_error("terminated")
