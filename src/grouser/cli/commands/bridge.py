"""``grouser bridge``: drive a simulated Kenaf by a real controller's UDP datagrams."""

from __future__ import annotations

import contextlib
from collections.abc import Coroutine
from typing import Annotated

import typer

from grouser.cli.options import LinkDelay, LinkDouble, LinkJitter, LinkLoss, Seed, Token
from grouser.cli.terminal import print_line
from grouser.errors import BadValue


def bridge(
    server: Annotated[
        str,
        typer.Option(metavar="HOST[:PORT]", help="Simulation server; PORT is its control port."),
    ] = "127.0.0.1:3000",
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS", help="Listen for datagrams on this address; 0.0.0.0: all interfaces."
        ),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="UDP port; 0: any free port.")] = 3010,
    controller: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Accept datagrams only from this address; required if --host is not local.",
        ),
    ] = "",
    name: Annotated[str, typer.Option(help="Name of the robot.")] = "kenaf",
    token: Token = "",
    delay: LinkDelay = "0",
    jitter: LinkJitter = "0",
    loss: LinkLoss = "0",
    double: LinkDouble = "0",
    seed: Seed = None,
) -> None:
    """Drive a simulated Kenaf by a controller of the real one (the paper's intermediate process).

    CAN frames arrive in UDP datagrams and are sent to the server as USARSim commands; status
    requests are answered at once. Belts stop 0.3 s after the last valid command. Either side may
    restart. Datagram format: docs/how-to/can.md.

    For example, with a link as bad as in a tunnel:

    [cyan]grouser bridge --server 127.0.0.1:3000 --loss 10% --jitter 30ms --seed 1[/]
    """
    import asyncio
    import ipaddress

    from grouser.cli.options import link_faults
    from grouser.client.address import Address, parse_host_port
    from grouser.client.bridge import BridgeProcess
    from grouser.protocol.usarsim import codec
    from grouser.service.access import is_loopback

    far, far_port = parse_host_port(server, codec.PORT, "--server")
    if controller:
        try:
            controller = str(ipaddress.ip_address(controller))
        except ValueError:
            raise BadValue(
                f"--controller is '{controller}', must be an IP address, such as 10.0.0.5"
            ) from None
    if not controller and not is_loopback(host):
        raise BadValue(
            f"--host is '{host}', which other machines can reach: set the one that may send "
            "commands with --controller ADDRESS"
        )
    process = BridgeProcess(
        Address(host=far, port=far_port, token=token or None),
        name=name,
        controller=controller or None,
        faults=link_faults(delay, jitter, loss, double, seed or 0),
        report=print_line,
    )
    try:
        asyncio.run(_until_signal(process.run(host, port, _print_port)))
    finally:
        print_line(process.bridge.summary())


async def _until_signal(running: Coroutine[None, None, None]) -> None:
    """Run until Ctrl-C or SIGTERM."""
    import asyncio
    import signal

    task = asyncio.ensure_future(running)
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await task


def _print_port(port: int) -> None:
    print_line(f"listening udp={port}")
