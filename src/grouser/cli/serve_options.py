"""The options of ``grouser serve``, by panel of its help."""

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
        help="Listen here. Beyond this machine, a token is needed.",
        rich_help_panel="Ports",
    ),
]

ControlPort = Annotated[
    int, typer.Option(metavar="N", help="Control; 0: any.", rich_help_panel="Ports")
]

DialectName = Annotated[
    str, typer.Option(metavar="|".join(DIALECTS), help="Of port N.", rich_help_panel="Ports")
]

AxesName = Annotated[
    str, typer.Option(metavar="|".join(AXES), help="Of port N.", rich_help_panel="Ports")
]

UnitsName = Annotated[
    str, typer.Option(metavar="|".join(UNITS), help="Of port N.", rich_help_panel="Ports")
]

FurtherPorts = Annotated[
    list[str] | None,
    typer.Option(
        metavar="N:DIALECT[:AXES[:UNITS]]",
        help="A further control port, for other clients; may be given often.",
        rich_help_panel="Ports",
    ),
]

ImagePortNumber = Annotated[
    int, typer.Option(metavar="N", help="Pictures; -1: none.", rich_help_panel="Ports")
]

TruthPortNumber = Annotated[
    int, typer.Option(metavar="N", help="Who is where; -1: none.", rich_help_panel="Ports")
]

WorkerPortNumber = Annotated[
    int,
    typer.Option(
        metavar="N",
        help="For [cyan]grouser eyes[/] on other machines, usually 5004; -1: none.",
        rich_help_panel="Ports",
    ),
]

# -- Planning --------------------------------------------------------------------------------------

RosbridgePortNumber = Annotated[
    int,
    typer.Option(
        metavar="N",
        help="Planning services for ROS programs (rosbridge), usually 9090; -1: none.",
        rich_help_panel="Planning services",
    ),
]

RosbridgeOrigins = Annotated[
    list[str] | None,
    typer.Option(
        metavar="URL",
        help="Pages from here may call them, such as http://localhost:8000; else none may. May be "
        "given often.",
        rich_help_panel="Planning services",
    ),
]

Goals = Annotated[
    list[str] | None,
    typer.Option(
        "--goal",
        metavar="[ROBOT:]X,Y",
        help="Where a robot's path is to lead from its start, m; without a name: everybody's. May "
        "be given often.",
        rich_help_panel="Planning services",
    ),
]

PlanValues = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="How much is planned, as in [cyan]grouser plan[/]: candidates=20, trials=5, rounds=3, "
        "planner=PRM, seed=0. May be given often.",
        rich_help_panel="Planning services",
    ),
]

# -- Time ------------------------------------------------------------------------------------------

SpeedFactor = Annotated[
    str,
    typer.Option(
        metavar="max|FACTOR",
        help="Paced (1.0 is real time), or as fast as it goes while somebody is there.",
        rich_help_panel="Time",
    ),
]

LongestWait = Annotated[
    float,
    typer.Option(
        metavar="S",
        help="Wall seconds that a client in lockstep is waited for; 0: for ever.",
        rich_help_panel="Time",
    ),
]

Players = Annotated[
    int,
    typer.Option(
        metavar="N",
        min=0,
        help="Time begins when N clients in lockstep are there.",
        rich_help_panel="Time",
    ),
]

BeatMs = Annotated[
    float | None,
    typer.Option(
        metavar="MS",
        show_default="2, or 20 with --speed max",
        help="Simulated time between two looks at what clients said.",
        rich_help_panel="Time",
    ),
]

CommandTimeout = Annotated[
    float | None,
    typer.Option(
        metavar="S",
        help="Stop the robot of any client that says nothing for S simulated seconds; 0: never. "
        "Left out: 10, and only for clients that have said a line of Grouser's own, because "
        "programs written for USARSim command once and wait.",
        rich_help_panel="Time",
    ),
]

Strict = Annotated[
    bool,
    typer.Option(
        "--strict",
        help="As the old servers: the last command holds for ever.",
        rich_help_panel="Time",
    ),
]

GroundTruth = Annotated[
    bool,
    typer.Option(
        "--ground-truth",
        help="Tell every robot's client where it truly is; else only Pioneers report that, as in "
        "USARSim, and robots to which the world file gives a truth sensor.",
        rich_help_panel="Robots",
    ),
]

# -- Pictures --------------------------------------------------------------------------------------

PictureType = Annotated[
    str | None,
    typer.Option(
        metavar="|".join(TYPES),
        show_default="normal",
        help="Raw, or how good the JPEG.",
        rich_help_panel="Pictures",
    ),
]

PicturesPerSecond = Annotated[
    float,
    typer.Option(
        metavar="N",
        show_default="each camera's own rate",
        help="Pictures per second, at most.",
        rich_help_panel="Pictures",
    ),
]

RenderProcesses = Annotated[
    int,
    typer.Option(metavar="N", min=0, help="That draw on this machine.", rich_help_panel="Pictures"),
]

LegacyImages = Annotated[
    bool,
    typer.Option(
        "--legacy-images",
        help="Send the first frame unasked, as UT2004 did.",
        rich_help_panel="Pictures",
    ),
]

OwnPictures = Annotated[
    bool,
    typer.Option(
        "--own-pictures",
        help="Nobody gets the pictures of others.",
        rich_help_panel="Pictures",
    ),
]

Tiles = Annotated[
    str,
    typer.Option(
        metavar="COLUMNSxROWS",
        help="How the mosaic of all cameras is divided, as UDK's CameraTileX and CameraTileY.",
        rich_help_panel="Pictures",
    ),
]

# -- Strangers -------------------------------------------------------------------------------------

TokenFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Lines such as 'drive watch: SECRET'; GROUSER_TOKEN sets one for everything.",
        rich_help_panel="Strangers",
    ),
]

Certificate = Annotated[
    Path | None,
    typer.Option(metavar="PEM", help="Speak TLS.", rich_help_panel="Strangers"),
]

CertificateKey = Annotated[
    Path | None,
    typer.Option(
        metavar="PEM",
        show_default="in the certificate's file",
        help="The certificate's key.",
        rich_help_panel="Strangers",
    ),
]

LinesPerSecond = Annotated[
    float,
    typer.Option(
        metavar="N", help="From one client; more have to wait.", rich_help_panel="Strangers"
    ),
]

Connections = Annotated[
    int, typer.Option(metavar="N", min=1, help="At most.", rich_help_panel="Strangers")
]

# -- the rest --------------------------------------------------------------------------------------

Equipment = Annotated[
    bool,
    typer.Option(
        "--equipment/--no-equipment",
        help="Clients' robots carry their kind's camera, laser and INS, unless the world file says "
        "what they carry.",
    ),
]

RobotFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--robot",
        metavar="FILE",
        help="A robot file that clients may bring, by its own name; may be given often. Those of "
        "the world's own robots they may bring anyway.",
    ),
]

EndAfter = Annotated[
    float,
    typer.Option(metavar="S", show_default="for ever", help="End after S simulated seconds."),
]

WithConsole = Annotated[
    bool,
    typer.Option("--console", help="Take lines of the console here, too; 'help' lists them."),
]

Verbosity = Annotated[
    int, typer.Option("-v", count=True, help="Log who comes and goes; -vv: everything.")
]
