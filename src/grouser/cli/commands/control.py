"""``grouser control``: control process on the robot's PC, for an operator's program."""

from __future__ import annotations

from typing import Annotated

import typer

from grouser.cli import options
from grouser.cli.terminal import print_line
from grouser.errors import BadValue


def control(
    link: Annotated[
        str,
        typer.Option(
            envvar="HRT_LINK",
            metavar="ADDRESS",
            help="Link to the robot: can0, socketcand://HOST:PORT/can0, udp://HOST:PORT (bridge) "
            "or usarsim://HOST:PORT (a simulation server).",
        ),
    ] = "usarsim://127.0.0.1:3000",
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Listen for the operator on this address; 0.0.0.0: all interfaces.",
        ),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="TCP port; 0: any free port.")] = 3020,
    token: options.Token = "",
    delay: options.LinkDelay = "0ms",
    jitter: options.LinkJitter = "0ms",
    loss: options.LinkLoss = "0%",
    double: options.LinkDouble = "0%",
    seed: options.Seed = None,
) -> None:
    """Drive a real or simulated Kenaf by commands of an operator's program.

    Based on the robot library hrt: the same process drives the real robot over its CAN bus and the
    simulated one. One operator at a time; belts stop 0.3 s after its last message. Example of an
    operator's program: examples/90_teleoperation.py.

    For example:

    [cyan]grouser motors kenaf_step &[/]

    [cyan]grouser control --link socketcand://127.0.0.1:29536/can0[/]
    """
    from grouser.client.hrt_robot import Hrt
    from grouser.client.links import LinkWithFaults, open_link
    from grouser.client.teleoperation import ControlProcess
    from grouser.service.access import is_loopback

    if not token and not is_loopback(host):
        raise BadValue(
            f"--host is '{host}', which other machines can reach: a token is required, set "
            "the environment variable GROUSER_TOKEN"
        )
    faults = options.link_faults(delay, jitter, loss, double, seed or 0)

    def open_robot() -> Hrt:
        opened = open_link(link)
        return Hrt(LinkWithFaults(opened, faults) if faults else opened)

    process = ControlProcess(open_robot, token, print_line)
    process.run(host, port, lambda number: print_line(f"listening control={number}"))
