"""Options for links that go wrong on purpose: ``--delay 20ms --jitter 5ms --loss 2% --seed 1``."""

from __future__ import annotations

import math
import re
from typing import Annotated

import typer

from grouser.errors import BadValue
from grouser.protocol.link_faults import LinkFaults

PANEL = "Link faults"

LinkDelay = Annotated[
    str,
    typer.Option(
        "--delay",
        metavar="TIME",
        help="How long messages take, such as 20ms.",
        rich_help_panel=PANEL,
    ),
]
LinkJitter = Annotated[
    str,
    typer.Option(
        "--jitter",
        metavar="TIME",
        help="By how much that varies either way; messages then overtake each other.",
        rich_help_panel=PANEL,
    ),
]
LinkLoss = Annotated[
    str,
    typer.Option(
        "--loss",
        metavar="SHARE",
        help="Messages that never arrive, such as 2%.",
        rich_help_panel=PANEL,
    ),
]
LinkDouble = Annotated[
    str,
    typer.Option(
        "--double", metavar="SHARE", help="Messages that arrive twice.", rich_help_panel=PANEL
    ),
]

_NUMBER = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*(ms|s|%)?")


def link_faults(delay: str, jitter: str, loss: str, double: str, seed: int) -> LinkFaults:
    """Return what shall go wrong, as it was typed.

    Raises:
        BadValue: something is no time or no share.
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
    if unit not in ("ms", "s") and value != 0:  # also without a number, which is not a number
        raise BadValue(f"{option} is '{text}', a time is needed, such as 20ms or 0.02s")
    from grouser.frames import seconds  # brings numpy in, for which help does not wait

    return seconds(value) if unit == "ms" else value


def _share(option: str, text: str) -> float:
    value, unit = _number(text)
    share = value / 100 if unit == "%" else value
    if unit not in ("%", "") or not 0 <= share <= 1:
        raise BadValue(f"{option} is '{text}', a share is needed, from 0% to 100% or from 0 to 1")
    return share


def _number(text: str) -> tuple[float, str]:
    """Return the number and its unit; no number: NaN."""
    found = _NUMBER.fullmatch(text.strip().lower())
    return (float(found[1]), found[2] or "") if found else (math.nan, "")
