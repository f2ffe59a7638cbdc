"""``grouser control``: the control process on the robot's PC, for an operator's program."""

from __future__ import annotations

from typing import Annotated

import typer

from grouser.cli.link_options import LinkDelay, LinkDouble, LinkJitter, LinkLoss, link_faults
from grouser.cli.options import Seed, Token
from grouser.cli.terminal import result_console
from grouser.errors import BadValue


def control(
    link: Annotated[
        str,
        typer.Option(
            envvar="HRT_LINK",
            metavar="ADDRESS",
            help="The robot: can0, socketcand://HOST:PORT/can0, udp://HOST:PORT (the bridge) or "
            "usarsim://HOST:PORT (a simulator).",
        ),
    ] = "usarsim://127.0.0.1:3000",
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Where the operator comes to; 0.0.0.0: all.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Its port; 0: any that is free.")
    ] = 3020,
    token: Token = "",
    delay: LinkDelay = "0ms",
    jitter: LinkJitter = "0ms",
    loss: LinkLoss = "0%",
    double: LinkDouble = "0%",
    seed: Seed = None,
) -> None:
    """Drive a Kenaf, real or simulated, as an operator's program says.

    It is built on the robot library hrt: the same process drives the real robot over its CAN bus
    and the simulated one. One operator at a time; belts stop 0.3 s after its last message. An
    operator's program: examples/90_teleoperation.py.

    For example:

    [cyan]grouser motors kenaf_step &[/]

    [cyan]grouser control --link socketcand://127.0.0.1:29536/can0[/]
    """
    from grouser.client.control_process import ControlProcess
    from grouser.client.hrt_robot import Hrt
    from grouser.client.links.link import open_link
    from grouser.client.links.link_with_faults import LinkWithFaults
    from grouser.service.access import loopback

    if not token and not loopback(host):
        raise BadValue(
            f"--host is '{host}', which lets other machines in and takes a token: give one with "
            "the environment variable GROUSER_TOKEN"
        )
    faults = link_faults(delay, jitter, loss, double, seed or 0)

    def open_robot() -> Hrt:
        opened = open_link(link)
        return Hrt(LinkWithFaults(opened, faults) if faults else opened)

    process = ControlProcess(open_robot, token, _say)
    process.run(host, port, lambda number: _say(f"listening control={number}"))


def _say(sentence: str) -> None:
    result_console().print(sentence, soft_wrap=True)
