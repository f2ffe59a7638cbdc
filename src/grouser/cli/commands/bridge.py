"""``grouser bridge``: a real controller's datagrams drive a simulated Kenaf."""

from __future__ import annotations

import contextlib
from collections.abc import Coroutine
from typing import Annotated

import typer

from grouser.cli.link_options import LinkDelay, LinkDouble, LinkJitter, LinkLoss
from grouser.cli.options import Seed, Token
from grouser.cli.terminal import result_console
from grouser.errors import BadValue


def bridge(
    server: Annotated[
        str,
        typer.Option(metavar="HOST[:PORT]", help="The simulator; PORT is its control port."),
    ] = "127.0.0.1:3000",
    host: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="Where datagrams are taken; 0.0.0.0: everywhere."),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="UDP port; 0: any that is free.")
    ] = 3010,
    controller: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Take datagrams from this machine only; needed beyond this one.",
        ),
    ] = "",
    name: Annotated[str, typer.Option(help="What the robot is called.")] = "kenaf",
    token: Token = "",
    delay: LinkDelay = "0",
    jitter: LinkJitter = "0",
    loss: LinkLoss = "0",
    double: LinkDouble = "0",
    seed: Seed = None,
) -> None:
    """Let a controller of the real Kenaf drive a simulated one: the paper's intermediate process.

    CAN frames come in UDP datagrams and go to the simulator as USARSim's commands; status is
    answered at once. Belts stop 0.3 s after the last valid command. Either side may restart.
    What the datagrams hold: docs/can.md.

    For example, with a link as bad as a tunnel's:

    [cyan]grouser bridge --server 127.0.0.1:3000 --loss 10% --jitter 30ms --seed 1[/]
    """
    import asyncio
    import ipaddress

    from grouser.cli.link_options import link_faults
    from grouser.client.address import Address, parse_host_port
    from grouser.client.bridge_process import BridgeProcess
    from grouser.protocol.usarsim import codec
    from grouser.service.access import loopback

    far, far_port = parse_host_port(server, codec.PORT, "--server")
    if controller:
        try:
            controller = str(ipaddress.ip_address(controller))
        except ValueError:
            raise BadValue(
                f"--controller is '{controller}', must be an address, such as 10.0.0.5"
            ) from None
    if not controller and not loopback(host):
        raise BadValue(
            f"--host is '{host}', which lets other machines in: name the one that may command with "
            "--controller ADDRESS"
        )
    process = BridgeProcess(
        Address(host=far, port=far_port, token=token or None),
        name=name,
        controller=controller or None,
        faults=link_faults(delay, jitter, loss, double, seed or 0),
        report=_say,
    )
    try:
        asyncio.run(_until_told(process.run(host, port, _listening)))
    finally:
        _say(process.bridge.summary())


async def _until_told(running: Coroutine[None, None, None]) -> None:
    """Run until Ctrl-C or SIGTERM."""
    import asyncio
    import signal

    task = asyncio.ensure_future(running)
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await task


def _listening(port: int) -> None:
    _say(f"listening udp={port}")


def _say(sentence: str) -> None:
    result_console().print(sentence, soft_wrap=True)
