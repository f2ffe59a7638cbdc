"""Options shared by several commands, and parsers of option values."""

from __future__ import annotations

import math
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grouser.errors import BadValue
from grouser.protocol.link_faults import LinkFaults

if TYPE_CHECKING:
    from grouser.frames import Pose
    from grouser.trials.runner import Runner
    from grouser.world.file import World

WorldName = Annotated[
    str,
    typer.Argument(
        metavar="WORLD",
        show_default=False,
        help="A world file, or the name of a shipped one ([cyan]grouser list worlds[/]).",
    ),
]

Overrides = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PATH=VALUE",
        help="Change the world, such as terrain.1.height=0.19; may be repeated.",
    ),
]

Seed = Annotated[
    int | None,
    typer.Option(min=0, metavar="N", show_default="the world's", help="Random seed of the run."),
]

Token = Annotated[
    str,
    typer.Option(
        envvar="GROUSER_TOKEN",
        metavar="SECRET",
        show_default=False,
        help="Token of the server, with the control role; the environment is safer.",
    ),
]
"""For commands that connect to a server."""

LogFile = Annotated[
    Path | None,
    typer.Option(
        "--log",
        metavar="F.csv|F.npz",
        help="Log pose, joints, belts and energy of every robot; with several robots one file "
        "each, F_NAME.",
    ),
]

LogRate = Annotated[
    float,
    typer.Option("--log-rate", metavar="HZ", help="Sampling rate of the log, in simulated time."),
]

PictureFile = Annotated[
    Path | None,
    typer.Option("--picture", metavar="F.png", help="Write a picture of the final state."),
]

VideoFile = Annotated[
    Path | None,
    typer.Option(
        "--video",
        metavar="F.webm",
        help="Write a video, 25 frames per simulated second: .webm is fast, .mp4 slower.",
    ),
]

GifFile = Annotated[
    Path | None,
    typer.Option("--gif", metavar="F.gif", help="Write an animated GIF of half the size."),
]

DrawingQuality = Annotated[
    str | None,
    typer.Option(
        "--quality",
        metavar="fast|high|best",
        show_default="high for pictures, fast for videos",
        help="Rendering quality: fast has no shadows, high has shadows and multisampling, best "
        "has soft light (needs a display server such as Xvfb, a second per picture).",
    ),
]

RealLog = Annotated[
    Path,
    typer.Argument(
        metavar="LOG",
        show_default=False,
        help="Robot log (.csv, .npz, .npy), ROS bag (rosbag2 folder, .mcap, .db3, .bag), or a "
        "shipped log ([cyan]grouser list logs[/]).",
    ),
]

LogTopic = Annotated[
    str | None,
    typer.Option(
        "--topic",
        metavar="NAME",
        show_default="the only one with poses",
        help="Topic of LOG if it is a bag: odometry or a pose.",
    ),
]

JsonFile = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Write all results as JSON.")
]

PictureReport = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Write a page with pictures, DIR/index.html; needs OpenGL."),
]

PlotReport = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Write a page with plots, DIR/index.html.")
]


RunnerName = Annotated[
    str | None,
    typer.Option(
        "--runner",
        metavar="NAME[:N]",
        show_default="threads",
        help="Where trials run, such as threads:4 or processes:4 ([cyan]grouser list runners[/]); "
        "the results are the same.",
    ),
]


def trial_runner(name: str | None) -> Runner | None:
    """Return the runner of ``--runner``; None if it is not given."""
    if name is None:
        return None
    from grouser.trials.runner import find_runner  # imports MuJoCo, not needed for help

    return find_runner(name)


def speed_factor(speed: str, word: str = "max") -> float | None:
    """Return the real-time factor of ``--speed``; None if it is ``word``."""
    if speed == word:
        return None
    try:
        factor = float(speed)
    except ValueError:
        factor = math.nan
    if not (math.isfinite(factor) and factor > 0):
        raise BadValue(
            f"--speed is '{speed}', must be '{word}' or a number above 0, such as 1.0 for real time"
        )
    return factor


def only_robot(world: World) -> str:
    """Return the name of the only robot in the world, the default of ``--robot``."""
    names = [entry.name for entry in world.robots]
    if len(names) != 1:
        there = ", ".join(names) or "none"
        raise BadValue(f"--robot is required: robots in world '{world.name}': {there}")
    return names[0]


def parse_numbers(option: str, text: str, *counts: int, example: str) -> list[float]:
    """Parse numbers separated by commas.

    Args:
        option: name of the option, such as ``--from``.
        text: value of the option.
        counts: allowed numbers of values.
        example: a valid value.
    """
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        values = []
    if len(values) not in counts or not all(map(math.isfinite, values)):
        wanted = " or ".join(map(str, counts))
        raise BadValue(f"{option} is '{text}', must be {wanted} numbers with commas: {example}")
    return values


def parse_pose(option: str, text: str) -> Pose:
    """Parse a pose ``x,y,z,roll,pitch,yaw`` in m and deg."""
    from grouser.frames import Pose, radians

    values = parse_numbers(option, text, 6, example="0,0,1.2,0,35,0 (m and deg: 35 deg nose down)")
    x, y, z, *turns = values
    roll, pitch, yaw = (radians(turn) for turn in turns)
    return Pose.at(x, y, z, roll=roll, pitch=pitch, yaw=yaw)


_link_option = partial(typer.Option, rich_help_panel="Link faults")

LinkDelay = Annotated[
    str, _link_option("--delay", metavar="TIME", help="Delay of messages, such as 20ms.")
]
LinkJitter = Annotated[
    str,
    _link_option(
        "--jitter",
        metavar="TIME",
        help="Variation of the delay, plus or minus; messages may overtake each other.",
    ),
]
LinkLoss = Annotated[
    str, _link_option("--loss", metavar="SHARE", help="Share of lost messages, such as 2%.")
]
LinkDouble = Annotated[
    str, _link_option("--double", metavar="SHARE", help="Share of duplicated messages.")
]

_NUMBER = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*(ms|s|%)?")


def link_faults(delay: str, jitter: str, loss: str, double: str, seed: int) -> LinkFaults:
    """Return the link faults of ``--delay``, ``--jitter``, ``--loss`` and ``--double``.

    Raises:
        BadValue: a value is not a time or not a share.
    """
    return LinkFaults(
        delay=_time("--delay", delay),
        jitter=_time("--jitter", jitter),
        loss=_share("--loss", loss),
        double=_share("--double", double),
        seed=seed,
    )


def _time(option: str, text: str) -> float:
    value, unit = _number(text)
    if unit not in ("ms", "s") and value != 0:  # NaN, an invalid number, too
        raise BadValue(f"{option} is '{text}', must be a time, such as 20ms or 0.02s")
    from grouser.frames import seconds  # imports NumPy, not needed for help

    return seconds(value) if unit == "ms" else value


def _share(option: str, text: str) -> float:
    value, unit = _number(text)
    share = value / 100 if unit == "%" else value
    if unit not in ("%", "") or not 0 <= share <= 1:
        raise BadValue(f"{option} is '{text}', must be a share, from 0% to 100% or from 0 to 1")
    return share


def _number(text: str) -> tuple[float, str]:
    """Return number and unit; NaN if it is not a number."""
    found = _NUMBER.fullmatch(text.strip().lower())
    return (float(found[1]), found[2] or "") if found else (math.nan, "")


def check_log_rate(rate: float) -> None:
    """Raise unless ``rate`` (Hz) is possible as ``--log-rate``."""
    if not (math.isfinite(rate) and 0 < rate <= 10_000):
        raise BadValue(f"--log-rate is {rate:g}, must be above 0, at most 10000")
