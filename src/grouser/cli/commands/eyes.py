"""``grouser eyes``: draw a server's pictures here, on another core or another machine."""

from __future__ import annotations

import signal
from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated

import typer

from grouser.cli import preflight
from grouser.cli.options import Token
from grouser.cli.terminal import complain, result_console
from grouser.errors import BadValue


def eyes(
    server: Annotated[
        str,
        typer.Option(
            metavar="HOST[:PORT]",
            show_default=False,
            help="The server whose robots see; PORT is its port for eyes, 5004 if not given.",
        ),
    ],
    token: Token = "",
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Where pictures are served; 0.0.0.0: to all.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Image port here; 0: any that is free.")
    ] = 5003,
    workers: Annotated[
        int, typer.Option(min=1, max=64, metavar="N", help="Processes that draw.")
    ] = 1,
    trust: Annotated[
        Path | None,
        typer.Option(metavar="F.pem", help="Speak TLS with a server that shows this certificate."),
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option(metavar="F.pem", help="Serve pictures by TLS, showing this certificate."),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option(
            metavar="F.pem",
            show_default="in the certificate's file",
            help="The certificate's key.",
        ),
    ] = None,
    own_only: Annotated[
        bool, typer.Option("--own-only", help="Serve a robot's own pictures only, no mosaic.")
    ] = False,
) -> None:
    """Draw, filter and serve the pictures of a server's robots, so that it has its hands free.

    Robots' clients then get their pictures here instead of at the server, with the same keys; the
    server still serves them, too. If it goes away, it is waited for.

    For example, on another machine:

    [cyan]grouser eyes --server simulator.local --host 0.0.0.0[/]
    """
    from grouser.client.address import parse_host_port
    from grouser.protocol.rendering import PORT

    far, far_port = parse_host_port(server, PORT, "--server")
    preflight.pictures()
    import asyncio
    import time

    from grouser.gateways.images.render_node import RenderNode
    from grouser.service.access import AccessControl, loopback, tokens
    from grouser.tls import client_context, client_hint, server_context

    if key and not certificate:
        raise BadValue(f"--key is '{key}', but there is no --certificate: TLS would not be spoken")
    if not token and not loopback(host):
        raise BadValue(
            f"--host is '{host}', which lets other machines in and takes a token: give the "
            "server's own with --token SECRET or the environment variable GROUSER_TOKEN"
        )
    if trust is not None:
        client_context(trust)  # raises before anything is opened
    access = AccessControl(tokens(given=token or None, environment={}), host, clock=time.monotonic)
    tls = server_context(certificate, key) if certificate else None
    if certificate:
        complain(client_hint(certificate))
    node = RenderNode(access, workers=workers, own_only=own_only, report=_say, tls=tls)
    link = node.run(far, far_port, host=host, port=port, token=token, trust=trust)
    try:
        asyncio.run(_until_terminated(link))
    except KeyboardInterrupt:
        complain("interrupted")
        raise typer.Exit(130) from None


async def _until_terminated(link: Coroutine[None, None, None]) -> None:
    """Run until somebody ends it by SIGTERM; processes and folders are gone then."""
    import asyncio

    task = asyncio.ensure_future(link)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    try:
        await task
    except asyncio.CancelledError:
        complain("terminated")


def _say(sentence: str) -> None:
    result_console().print(sentence, soft_wrap=True)
