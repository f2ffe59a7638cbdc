"""Options of ``grouser serve``, by help panel."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

AXES = ("z-down", "z-up")
UNITS = ("si", "unreal")
DIALECTS = ("ut2004", "ut3", "udk")
PLAN_VALUES = ("candidates", "trials", "rounds", "planner", "seed")
TYPES = ("raw", "super", "good", "normal", "fair", "bad")

# -- Ports -----------------------------------------------------------------------------------------

Address = Annotated[
    str,
    typer.Option(
        metavar="ADDRESS",
        help="Listen on this address; other than local, a token is required.",
        rich_help_panel="Ports",
    ),
]

ControlPort = Annotated[
    int, typer.Option(metavar="N", help="Control port; 0: any free port.", rich_help_panel="Ports")
]

DialectName = Annotated[
    str,
    typer.Option(
        metavar="|".join(DIALECTS), help="Dialect of the control port.", rich_help_panel="Ports"
    ),
]

AxesName = Annotated[
    str,
    typer.Option(metavar="|".join(AXES), help="Axes of the control port.", rich_help_panel="Ports"),
]

UnitsName = Annotated[
    str,
    typer.Option(
        metavar="|".join(UNITS), help="Units of the control port.", rich_help_panel="Ports"
    ),
]

FurtherPorts = Annotated[
    list[str] | None,
    typer.Option(
        metavar="N:DIALECT[:AXES[:UNITS]]",
        help="Further control port with another profile; may be repeated.",
        rich_help_panel="Ports",
    ),
]

ImagePortNumber = Annotated[
    int, typer.Option(metavar="N", help="Image port; -1: none.", rich_help_panel="Ports")
]

TruthPortNumber = Annotated[
    int,
    typer.Option(
        metavar="N", help="Port for poses of all robots; -1: none.", rich_help_panel="Ports"
    ),
]

WorkerPortNumber = Annotated[
    int,
    typer.Option(
        "--eyes",
        metavar="N",
        help="Port for [cyan]grouser render-worker[/], usually 5004; -1: none.",
        rich_help_panel="Ports",
    ),
]

# -- Planning --------------------------------------------------------------------------------------

RosbridgePortNumber = Annotated[
    int,
    typer.Option(
        metavar="N",
        help="Port of the planning services (rosbridge), usually 9090; -1: none.",
        rich_help_panel="Planning services",
    ),
]

RosbridgeOrigins = Annotated[
    list[str] | None,
    typer.Option(
        metavar="URL",
        help="Allowed origin of web pages, such as http://localhost:8000; default: none. May be "
        "repeated.",
        rich_help_panel="Planning services",
    ),
]

Goals = Annotated[
    list[str] | None,
    typer.Option(
        "--goal",
        metavar="[ROBOT:]X,Y",
        help="Goal of a robot's path, m; without a name: of all robots. May be repeated.",
        rich_help_panel="Planning services",
    ),
]

PlanValues = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="Settings of [cyan]grouser plan[/]: candidates=20, trials=5, rounds=3, planner=PRM, "
        "seed=0. May be repeated.",
        rich_help_panel="Planning services",
    ),
]

# -- Time ------------------------------------------------------------------------------------------

SpeedFactor = Annotated[
    str,
    typer.Option(
        metavar="max|FACTOR",
        help="Real-time factor (1.0 is real time), or as fast as possible while a client is "
        "connected.",
        rich_help_panel="Time",
    ),
]

LongestWait = Annotated[
    float,
    typer.Option(
        metavar="S",
        help="Wall-clock time-out of a client in lockstep; 0: none.",
        rich_help_panel="Time",
    ),
]

Players = Annotated[
    int,
    typer.Option(
        metavar="N",
        min=0,
        help="Start when N clients are in lockstep.",
        rich_help_panel="Time",
    ),
]

BeatMs = Annotated[
    float | None,
    typer.Option(
        metavar="MS",
        show_default="2, or 20 with --speed max",
        help="Simulated time between two reads of client messages.",
        rich_help_panel="Time",
    ),
]

CommandTimeout = Annotated[
    float | None,
    typer.Option(
        metavar="S",
        help="Stop the robot of a client that sends nothing for S simulated seconds; 0: never. "
        "Default: 10, only for clients that have sent a Grouser message, because programs for "
        "USARSim send a command once and wait.",
        rich_help_panel="Time",
    ),
]

Strict = Annotated[
    bool,
    typer.Option(
        "--strict",
        help="Behave as USARSim: the last command holds without time-out.",
        rich_help_panel="Time",
    ),
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
    typer.Option(
        metavar="|".join(TYPES),
        show_default="normal",
        help="Raw, or JPEG quality.",
        rich_help_panel="Pictures",
    ),
]

PicturesPerSecond = Annotated[
    float,
    typer.Option(
        metavar="N",
        show_default="each camera's own rate",
        help="Largest frame rate.",
        rich_help_panel="Pictures",
    ),
]

RenderProcesses = Annotated[
    int,
    typer.Option(
        "--eye-processes",
        metavar="N",
        min=0,
        help="Render processes on this machine.",
        rich_help_panel="Pictures",
    ),
]

LegacyImages = Annotated[
    bool,
    typer.Option(
        "--legacy-images",
        help="Send the first frame without a request, as UT2004.",
        rich_help_panel="Pictures",
    ),
]

OwnPictures = Annotated[
    bool,
    typer.Option(
        "--own-pictures",
        help="Send a client only the images of its own robot.",
        rich_help_panel="Pictures",
    ),
]

Tiles = Annotated[
    str,
    typer.Option(
        metavar="COLUMNSxROWS",
        help="Grid of the mosaic of all cameras, as CameraTileX and CameraTileY of UDK.",
        rich_help_panel="Pictures",
    ),
]

# -- Access ----------------------------------------------------------------------------------------

TokenFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Lines such as 'drive watch: SECRET'; GROUSER_TOKEN sets one for all roles.",
        rich_help_panel="Access",
    ),
]

Certificate = Annotated[
    Path | None,
    typer.Option(metavar="PEM", help="Use TLS with this certificate.", rich_help_panel="Access"),
]

CertificateKey = Annotated[
    Path | None,
    typer.Option(
        metavar="PEM",
        show_default="in the certificate's file",
        help="Private key of the certificate.",
        rich_help_panel="Access",
    ),
]

LinesPerSecond = Annotated[
    float,
    typer.Option(
        metavar="N", help="Rate limit per client; further lines wait.", rich_help_panel="Access"
    ),
]

Connections = Annotated[
    int, typer.Option(metavar="N", min=1, help="Connection limit.", rich_help_panel="Access")
]

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
    float,
    typer.Option(metavar="S", show_default="none", help="End after S simulated seconds."),
]

WithConsole = Annotated[
    bool,
    typer.Option("--console", help="Read console lines from standard input; 'help' lists them."),
]

Verbosity = Annotated[
    int, typer.Option("-v", count=True, help="Log connections; -vv: log everything.")
]
