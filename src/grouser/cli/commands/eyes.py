"""``grouser eyes``: draw a server's pictures here, on another core or another machine."""

from __future__ import annotations

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

    from grouser.gateways.images.render_node import RenderNode
    from grouser.service.access import AccessControl, loopback, tokens
    from grouser.tls import client_context

    if not token and not loopback(host):
        raise BadValue(
            f"--host is '{host}', which lets other machines in and takes a token: give the "
            "server's own with --token SECRET or the environment variable GROUSER_TOKEN"
        )
    if trust is not None:
        client_context(trust)  # raises before anything is opened
    access = AccessControl(tokens(given=token or None, environment={}), host)
    node = RenderNode(access, workers=workers, own_only=own_only, report=_say)
    link = node.run(far, far_port, host=host, port=port, token=token, trust=trust)
    try:
        asyncio.run(link)
    except KeyboardInterrupt:
        complain("interrupted")
        raise typer.Exit(130) from None


def _say(sentence: str) -> None:
    result_console().print(sentence, soft_wrap=True)
