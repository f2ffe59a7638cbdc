"""``grouser motors``: simulated motor drivers on a CAN bus, for controllers of the real robot."""

from __future__ import annotations

import asyncio
import math
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from grouser.cli import preflight, record_options, serving
from grouser.cli import serve_options as options
from grouser.cli.options import (
    LinkDelay,
    LinkDouble,
    LinkJitter,
    LinkLoss,
    Overrides,
    Seed,
    WorldName,
    link_faults,
    speed_factor,
)
from grouser.cli.terminal import print_written

_bus_option = partial(typer.Option, rich_help_panel="Bus")

BusPort = Annotated[
    int,
    _bus_option(
        "--port", metavar="PORT", help="TCP port of the bus (socketcand); 0: any free port."
    ),
]
BusName = Annotated[
    str, _bus_option("--bus", metavar="NAME", help="Name of the bus, as controllers open it.")
]
BusBeat = Annotated[
    float,
    _bus_option("--beat-ms", metavar="MS", help="Simulated time between two reads of the bus."),
]
MotorsOf = Annotated[
    str,
    _bus_option(
        "--robot",
        metavar="NAME",
        show_default="the only one with Kenaf's six motors, or a Kenaf that joins",
        help="Robot of any kind; one with other motors has a command for each drive.",
    ),
]
DbcFile = Annotated[
    Path | None,
    _bus_option(
        "--dbc", metavar="F.dbc", help="Write the frames of the bus as a DBC file, and end."
    ),
]
EncoderRate = Annotated[
    float,
    _bus_option(
        "--rate-hz", metavar="HZ", help="Rate of encoder frames; at most once per physics step."
    ),
]
Beacon = Annotated[
    bool,
    _bus_option(
        "--beacon", help="Broadcast socketcand's beacon (UDP port 42000): programs find the bus."
    ),
]


def motors(
    world: WorldName,
    host: options.Address = "127.0.0.1",
    port: BusPort = 29536,
    bus: BusName = "can0",
    robot: MotorsOf = "",
    rate_hz: EncoderRate = 200.0,
    dbc: DbcFile = None,
    beacon: Beacon = False,
    delay: LinkDelay = "0ms",
    jitter: LinkJitter = "0ms",
    loss: LinkLoss = "0%",
    double: LinkDouble = "0%",
    images: options.ImagePortNumber = 5003,
    picture_type: options.PictureType = None,
    fps: options.PicturesPerSecond = math.inf,
    speed: options.SpeedFactor = "1.0",
    beat_ms: BusBeat = 1.0,
    token_file: options.TokenFile = None,
    connections: options.Connections = 64,
    seconds: options.EndAfter = math.inf,
    overrides: Overrides = None,
    seed: Seed = None,
    record: record_options.RecordFolder = None,
    verbose: options.Verbosity = 0,
) -> None:
    """Simulate the motors of a robot on a CAN bus: Kenaf's six drivers, or those of any robot.

    The bus is served over TCP by the socketcand protocol, for python-can and hrt's library for the
    real robot (libhrt_can). Frames on the bus: docs/how-to/can.md. Camera images are at the image
    port. The first printed line lists the ports; Ctrl-C ends it.

    For example:

    [cyan]grouser motors kenaf_edge_and_slope[/]

    [cyan]HRT_LINK=socketcand://127.0.0.1:29536/can0 ./square[/]

    [cyan]grouser motors pioneer_room --robot pioneer --dbc pioneer.dbc[/]

    [cyan]grouser motors rubble --delay 20ms --jitter 5ms --loss 2% --seed 1[/]
    """
    preflight.physics()
    from grouser import files
    from grouser.cli.commands.serve import picture_options
    from grouser.gateways.can.gateway import BUS_FRAMES, BUS_SHARE, CanGateway
    from grouser.gateways.images.gateway import ImageGateway
    from grouser.gateways.server import Server, ServerOptions
    from grouser.service.access import tokens
    from grouser.service.rate_limiter import Limits
    from grouser.simulation.simulation import Simulation
    from grouser.world.file import load

    serving.configure_logging(verbose)
    described = load(world, overrides or ())
    faults = link_faults(delay, jitter, loss, double, described.seed if seed is None else seed)
    number, rate = serving.port_number("--port", port), serving.above(rate_hz, "--rate-hz")
    can = CanGateway(port=number, bus=bus, robot=robot, rate_hz=rate, faults=faults, beacon=beacon)
    simulation = Simulation(described, seed=seed)
    if dbc is not None:
        files.write_text(dbc, can.dbc(simulation))
        print_written(dbc)
        return

    pictures = (ImageGateway(port=images),) if serving.is_open("--images", images) else ()
    service = ServerOptions(
        address=host,
        gateways=(can, *pictures),
        pictures=picture_options(images, picture_type, 1, fps, "2x2"),
        speed=speed_factor(speed) or math.inf,
        tick=serving.beat_seconds(beat_ms),
        limits=Limits(lines_per_second=BUS_FRAMES, server_share=BUS_SHARE, connections=connections),
        tokens=tokens(token_file),
    )
    with record_options.recording(simulation, record, paced=True):
        asyncio.run(serving.serve_until_ended(Server(simulation, service), seconds))
