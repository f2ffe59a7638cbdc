"""Options of ``grouser serve``, by help panel."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

AXES = ("z-down", "z-up")
UNITS = ("si", "unreal")

EARLY = "-early"
"""Ending of a dialect with the forms of its early servers."""
DIALECTS = ("ut2004", "ut3", "udk", f"ut2004{EARLY}")
PLAN_VALUES = ("candidates", "trials", "rounds", "planner", "seed")
TYPES = ("raw", "super", "good", "normal", "fair", "bad")

_port_option = partial(typer.Option, rich_help_panel="Ports")
_planning_option = partial(typer.Option, rich_help_panel="Planning services")
_time_option = partial(typer.Option, rich_help_panel="Time")
_picture_option = partial(typer.Option, rich_help_panel="Pictures")
_access_option = partial(typer.Option, rich_help_panel="Access")

# -- Ports -----------------------------------------------------------------------------------------

Address = Annotated[
    str,
    _port_option(
        metavar="ADDRESS", help="Listen on this address; other than local, a token is required."
    ),
]

ControlPort = Annotated[int, _port_option(metavar="N", help="Control port; 0: any free port.")]

DialectName = Annotated[
    str, _port_option(metavar="|".join(DIALECTS), help="Dialect of the control port.")
]

AxesName = Annotated[str, _port_option(metavar="|".join(AXES), help="Axes of the control port.")]

UnitsName = Annotated[str, _port_option(metavar="|".join(UNITS), help="Units of the control port.")]

FurtherPorts = Annotated[
    list[str] | None,
    _port_option(
        metavar="N:DIALECT[:AXES[:UNITS]]",
        help="Further control port with another profile; may be repeated.",
    ),
]

ImagePortNumber = Annotated[int, _port_option(metavar="N", help="Image port; -1: none.")]

TruthPortNumber = Annotated[
    int, _port_option(metavar="N", help="Port for poses of all robots; -1: none.")
]

WorkerPortNumber = Annotated[
    int,
    _port_option(
        "--eyes",
        metavar="N",
        help="Port for [cyan]grouser render-worker[/], usually 5004; -1: none.",
    ),
]

WithPage = Annotated[
    bool,
    _port_option("--page", help="Serve the browser page: watch, drive, replay; see --page-port."),
]

PagePortNumber = Annotated[int, _port_option(metavar="N", help="Port of the browser page.")]

FurtherGateways = Annotated[
    list[str] | None,
    _port_option(
        "--gateway",
        metavar="NAME[:KEY=VALUE,…]",
        help="Open a further gateway, also of an installed package, such as can:port=29536; "
        "[cyan]grouser list gateways[/] lists them. May be repeated.",
    ),
]

# -- Planning --------------------------------------------------------------------------------------

RosbridgePortNumber = Annotated[
    int,
    _planning_option(
        metavar="N",
        help="Port of topics and services for ROS programs (rosbridge), usually 9090; -1: none.",
    ),
]

RosbridgeOrigins = Annotated[
    list[str] | None,
    _planning_option(
        metavar="URL",
        help="Allowed origin of web pages, such as http://localhost:8000; default: none. May be "
        "repeated.",
    ),
]

Goals = Annotated[
    list[str] | None,
    _planning_option(
        "--goal",
        metavar="[ROBOT:]X,Y",
        help="Goal of a robot's path, m; without a name: of all robots. May be repeated.",
    ),
]

PlanValues = Annotated[
    list[str] | None,
    _planning_option(
        metavar="NAME=VALUE",
        help="Settings of [cyan]grouser plan[/]: candidates=20, trials=5, rounds=3, planner=PRM, "
        "seed=0. May be repeated.",
    ),
]

# -- Time ------------------------------------------------------------------------------------------

SpeedFactor = Annotated[
    str,
    _time_option(
        metavar="max|FACTOR",
        help="Real-time factor (1.0 is real time), or as fast as possible while a client is "
        "connected.",
    ),
]

LongestWait = Annotated[
    float, _time_option(metavar="S", help="Wall-clock time-out of a client in lockstep; 0: none.")
]

Players = Annotated[
    int, _time_option(metavar="N", min=0, help="Start when N clients are in lockstep.")
]

BeatMs = Annotated[
    float | None,
    _time_option(
        metavar="MS",
        show_default="2, or 20 with --speed max",
        help="Simulated time between two reads of client messages.",
    ),
]

CommandTimeout = Annotated[
    float | None,
    _time_option(
        metavar="S",
        help="Stop the robot of a client that sends nothing for S simulated seconds; 0: never. "
        "Default: 10, only for clients that have sent a Grouser message, because programs for "
        "USARSim send a command once and wait.",
    ),
]

Strict = Annotated[
    bool,
    _time_option("--strict", help="Behave as USARSim: the last command holds without time-out."),
]

GroundTruth = Annotated[
    bool,
    typer.Option(
        "--ground-truth",
        help="Send the true pose to every robot's client. Default: Pioneers only, as in USARSim, "
        "and robots with a truth sensor in the world file.",
        rich_help_panel="Robots",
    ),
]

# -- Pictures --------------------------------------------------------------------------------------

PictureType = Annotated[
    str | None,
    _picture_option(metavar="|".join(TYPES), show_default="normal", help="Raw, or JPEG quality."),
]

PicturesPerSecond = Annotated[
    float,
    _picture_option(metavar="N", show_default="each camera's own rate", help="Largest frame rate."),
]

RenderProcesses = Annotated[
    int,
    _picture_option(
        "--eye-processes", metavar="N", min=0, help="Render processes on this machine."
    ),
]

LegacyImages = Annotated[
    bool,
    _picture_option("--legacy-images", help="Send the first frame without a request, as UT2004."),
]

OwnPictures = Annotated[
    bool, _picture_option("--own-pictures", help="Send a client only the images of its own robot.")
]

Tiles = Annotated[
    str,
    _picture_option(
        metavar="COLUMNSxROWS",
        help="Grid of the mosaic of all cameras, as CameraTileX and CameraTileY of UDK.",
    ),
]

# -- Access ----------------------------------------------------------------------------------------

TokenFile = Annotated[
    Path | None,
    _access_option(
        metavar="FILE",
        help="Lines such as 'drive watch: SECRET'; GROUSER_TOKEN sets one for all roles.",
    ),
]

OpenRoles = Annotated[
    str | None,
    _access_option(
        "--open",
        metavar="ROLE,…|all",
        show_default="all; in a match: drive; with tokens: none",
        help="Roles of clients on this machine without a token: drive, control, watch, draw. "
        "[cyan]--open all[/] opens ground truth, mosaic and console of a match.",
    ),
]

Certificate = Annotated[
    Path | None, _access_option(metavar="PEM", help="Use TLS with this certificate.")
]

CertificateKey = Annotated[
    Path | None,
    _access_option(
        metavar="PEM",
        show_default="in the certificate's file",
        help="Private key of the certificate.",
    ),
]

LinesPerSecond = Annotated[
    float, _access_option(metavar="N", help="Rate limit per client; further lines wait.")
]

Connections = Annotated[int, _access_option(metavar="N", min=1, help="Connection limit.")]

# -- Other -----------------------------------------------------------------------------------------

Equipment = Annotated[
    bool,
    typer.Option(
        "--equipment/--no-equipment",
        help="Equip client robots with the camera, laser and INS of their kind, unless the world "
        "file lists their sensors.",
    ),
]

RobotFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--robot",
        metavar="FILE",
        help="Robot file that clients may use, by its name; may be repeated. Robot files of the "
        "world are always allowed.",
    ),
]

EndAfter = Annotated[
    float, typer.Option(metavar="S", show_default="none", help="End after S simulated seconds.")
]

WithConsole = Annotated[
    bool,
    typer.Option("--console", help="Read console lines from standard input; 'help' lists them."),
]

Verbosity = Annotated[
    int, typer.Option("-v", count=True, help="Log connections; -vv: log everything.")
]
