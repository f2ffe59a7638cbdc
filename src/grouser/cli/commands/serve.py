"""``grouser serve``: a world for many robots, each driven by its own client."""

from __future__ import annotations

import asyncio
import logging
import math
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from grouser.cli import preflight
from grouser.cli.options import Overrides, Seed, WorldName, speed_factor
from grouser.cli.terminal import complain
from grouser.errors import BadValue, GrouserError, nearest

if TYPE_CHECKING:
    from grouser.gateways.server import Server
    from grouser.gateways.usarsim.port_profile import PortProfile
    from grouser.protocol.images import ImageType

AXES = ("z-down", "z-up")
UNITS = ("si", "unreal")
DIALECTS = ("ut2004", "ut3", "udk")
TYPES = ("raw", "super", "good", "normal", "fair", "bad")
LONGEST_BEAT_MS = 1000.0
LEVELS = {0: logging.WARNING, 1: logging.INFO}
"""Times that -v was given → what is logged; more: everything."""

Said = tuple[str, str]
"""What an option or a part of one is called, and what was said."""


def serve(
    world: WorldName,
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Listen here. Beyond this machine, a token is needed.",
            rich_help_panel="Ports",
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="N", help="Control; 0: any.", rich_help_panel="Ports")
    ] = 3000,
    dialect: Annotated[
        str, typer.Option(metavar="|".join(DIALECTS), help="Of port N.", rich_help_panel="Ports")
    ] = "ut2004",
    axes: Annotated[
        str, typer.Option(metavar="|".join(AXES), help="Of port N.", rich_help_panel="Ports")
    ] = "z-down",
    units: Annotated[
        str, typer.Option(metavar="|".join(UNITS), help="Of port N.", rich_help_panel="Ports")
    ] = "si",
    also: Annotated[
        list[str] | None,
        typer.Option(
            metavar="N:DIALECT[:AXES[:UNITS]]",
            help="A further control port, for other clients; may be given often.",
            rich_help_panel="Ports",
        ),
    ] = None,
    images: Annotated[
        int, typer.Option(metavar="N", help="Pictures; -1: none.", rich_help_panel="Ports")
    ] = 5003,
    truth: Annotated[
        int, typer.Option(metavar="N", help="Who is where; -1: none.", rich_help_panel="Ports")
    ] = 3989,
    eyes: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="For [cyan]grouser eyes[/] on other machines, usually 5004; -1: none.",
            rich_help_panel="Ports",
        ),
    ] = -1,
    speed: Annotated[
        str,
        typer.Option(
            metavar="max|FACTOR",
            help="Paced (1.0 is real time), or as fast as it goes while somebody is there.",
            rich_help_panel="Time",
        ),
    ] = "1.0",
    players: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            help="Time begins when N clients in lockstep are there.",
            rich_help_panel="Time",
        ),
    ] = 0,
    beat_ms: Annotated[
        float | None,
        typer.Option(
            metavar="MS",
            show_default="2, or 20 with --speed max",
            help="Simulated time between two looks at what clients said.",
            rich_help_panel="Time",
        ),
    ] = None,
    command_timeout: Annotated[
        float,
        typer.Option(
            metavar="S",
            help="Stop the robot of a client that says nothing for S simulated seconds; 0: never.",
            rich_help_panel="Time",
        ),
    ] = 10.0,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="As the old servers: the last command holds for ever.",
            rich_help_panel="Time",
        ),
    ] = False,
    picture_type: Annotated[
        str | None,
        typer.Option(
            metavar="|".join(TYPES),
            show_default="normal; raw without OpenCV",
            help="Raw, or how good the JPEG.",
            rich_help_panel="Pictures",
        ),
    ] = None,
    fps: Annotated[
        float,
        typer.Option(
            metavar="N",
            show_default="each camera's own rate",
            help="Pictures per second, at most.",
            rich_help_panel="Pictures",
        ),
    ] = math.inf,
    eye_processes: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, help="That draw on this machine.", rich_help_panel="Pictures"
        ),
    ] = 1,
    legacy_images: Annotated[
        bool,
        typer.Option(
            "--legacy-images",
            help="Send the first frame unasked, as UT2004 did.",
            rich_help_panel="Pictures",
        ),
    ] = False,
    own_pictures: Annotated[
        bool,
        typer.Option(
            "--own-pictures",
            help="Nobody gets the pictures of others.",
            rich_help_panel="Pictures",
        ),
    ] = False,
    token_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Lines such as 'drive watch: SECRET'; GROUSER_TOKEN sets one for everything.",
            rich_help_panel="Strangers",
        ),
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option(metavar="PEM", help="Speak TLS.", rich_help_panel="Strangers"),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option(
            metavar="PEM",
            show_default="in the certificate's file",
            help="The certificate's key.",
            rich_help_panel="Strangers",
        ),
    ] = None,
    lines_per_second: Annotated[
        float,
        typer.Option(
            metavar="N", help="From one client; more have to wait.", rich_help_panel="Strangers"
        ),
    ] = 2000.0,
    connections: Annotated[
        int, typer.Option(metavar="N", min=1, help="At most.", rich_help_panel="Strangers")
    ] = 512,
    seconds: Annotated[
        float,
        typer.Option(metavar="S", show_default="for ever", help="End after S simulated seconds."),
    ] = math.inf,
    overrides: Overrides = None,
    seed: Seed = None,
    console: Annotated[
        bool,
        typer.Option("--console", help="Take lines of the console here, too; 'help' lists them."),
    ] = False,
    verbose: Annotated[
        int, typer.Option("-v", count=True, help="Log who comes and goes; -vv: everything.")
    ] = 0,
) -> None:
    """Serve a world: robots come over the USARSim protocol, each with its client.

    The first line it prints says where it listens. Ctrl-C ends it.

    For example:

    [cyan]grouser serve pioneer_room[/]

    [cyan]grouser serve pioneer_room --dialect udk --also 3001:ut2004:z-up --speed max[/]

    [cyan]GROUSER_TOKEN=$(openssl rand -hex 16) grouser serve league_field --host 0.0.0.0[/]
    """
    preflight.physics()
    from grouser.gateways.server import Pictures, Server, Service
    from grouser.service.access import tokens
    from grouser.service.limits import Limits
    from grouser.simulation.simulation import Simulation
    from grouser.tls import client_hint, server_context
    from grouser.world.file import load

    factor = speed_factor(speed)
    if key and not certificate:
        raise BadValue(f"--key is '{key}', but there is no --certificate: TLS would not be spoken")
    if eyes >= 0 and images < 0:
        raise BadValue(
            f"--eyes is {eyes}, but --images is {images}: nobody would see what is drawn"
        )
    _log(verbose)
    service = Service(
        address=host,
        control=(
            (
                _port("--port", port),
                _profile(("--dialect", dialect), ("--axes", axes), ("--units", units)),
            ),
            *map(_also, also or ()),
        ),
        images=_port_or_none("--images", images),
        truth=_port_or_none("--truth", truth),
        eyes=_port_or_none("--eyes", eyes),
        speed=math.inf if factor is None else factor,
        beat=None if beat_ms is None else _beat(beat_ms),
        players=players,
        command_timeout=0.0 if strict else _not_below(command_timeout, "--command-timeout"),
        pictures=Pictures(
            type=_picture_type(picture_type),
            workers=eye_processes,
            fps=_above(fps, "--fps"),
            legacy=legacy_images,
            own_only=own_pictures,
        ),
        limits=Limits(
            lines_per_second=_above(lines_per_second, "--lines-per-second"), connections=connections
        ),
        tokens=tokens(token_file),
        tls=server_context(certificate, key) if certificate else None,
    )
    if certificate:
        complain(client_hint(certificate))
    simulation = Simulation(load(world, overrides or ()), seed=seed)
    server = Server(simulation, service)
    asyncio.run(_serve(server, _above(seconds, "--seconds"), console))


async def _serve(server: Server, seconds: float, console: bool) -> None:
    """Say where it listens, then let time pass until somebody or something ends it."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, server.stop)
    async with server:
        ports = " ".join(f"{name}={number}" for name, number in server.ports.items())
        typer.echo(f"listening {ports}")
        if console:
            loop.add_reader(sys.stdin, _typed, server)
        await server.run(until=seconds)
    lost = server.pace.lost
    if lost > 0:
        complain(f"this machine is too slow for the pace: {lost:.1f} s were given up")


def _typed(server: Server) -> None:
    """Do a line that was typed here; the end of the input only ends the typing."""
    line = sys.stdin.readline()
    if not line:
        asyncio.get_running_loop().remove_reader(sys.stdin)
        return
    try:
        if answer := server.say(line):
            typer.echo(answer)
    except GrouserError as error:
        complain(str(error))


def _log(verbose: int) -> None:
    logging.basicConfig(
        stream=sys.stderr,
        level=LEVELS.get(verbose, logging.DEBUG),
        format="%(asctime)s %(name)s: %(message)s",
    )


def _profile(dialect: Said, axes: Said, units: Said) -> PortProfile:
    from grouser.gateways.usarsim.port_profile import PortProfile
    from grouser.protocol.usarsim.axes import Axes
    from grouser.protocol.usarsim.dialects import DIALECTS as KNOWN

    return PortProfile(
        KNOWN[_one_of(*dialect, DIALECTS)],
        Axes(_one_of(*axes, AXES)),
        _one_of(*units, UNITS) == "unreal",
    )


def _also(said: str) -> tuple[int, PortProfile]:
    number, *words = said.split(":")
    if not number.isdecimal() or not 1 <= len(words) <= 3:
        raise BadValue(f"--also is '{said}', N:DIALECT[:AXES[:UNITS]] is needed, such as 3001:udk")
    dialect, axes, units = (
        (f"--also {said}: {name}", word)
        for name, word in zip(
            ("DIALECT", "AXES", "UNITS"),
            (*words, *("ut2004", "z-down", "si")[len(words) :]),
            strict=True,
        )
    )
    return _port("--also", int(number)), _profile(dialect, axes, units)


def _port(option: str, number: int) -> int:
    if not 0 <= number < 65536:
        raise BadValue(f"{option} is {number}, a port is from 0 (any) to 65535")
    return number


def _port_or_none(option: str, number: int) -> int | None:
    if number < -1:
        raise BadValue(f"{option} is {number}, a port is from 0 (any) to 65535, and -1 is none")
    return None if number < 0 else _port(option, number)


def _one_of(option: str, said: str, allowed: tuple[str, ...]) -> str:
    if said.lower() in allowed:
        return said.lower()
    raise BadValue(
        f"{option} is '{said}', allowed: {', '.join(allowed)}{nearest(said.lower(), allowed)}"
    )


def _picture_type(said: str | None) -> ImageType:
    from grouser.gateways.images.worker import can_encode
    from grouser.protocol.images import ImageType

    if said is None:
        return ImageType.NORMAL if can_encode() else ImageType.RAW
    return ImageType[_one_of("--picture-type", said, TYPES).upper()]


def _beat(beat_ms: float) -> float:
    """Return a beat in s; for longer than a second nobody can be left waiting."""
    if not 0 < beat_ms <= LONGEST_BEAT_MS:
        _refuse("--beat-ms", beat_ms, f"above 0, at most {LONGEST_BEAT_MS:g}")
    return beat_ms / 1000


def _above(value: float, option: str) -> float:
    return value if value > 0 else _refuse(option, value, "above 0")


def _not_below(value: float, option: str) -> float:
    return value if value >= 0 else _refuse(option, value, "0 or above")


def _refuse(option: str, value: float, allowed: str) -> NoReturn:
    raise BadValue(f"{option} is {value:g}, must be {allowed}")
