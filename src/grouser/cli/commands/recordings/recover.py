"""``grouser recover``: repair a recording that was cut off or damaged."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grouser.cli.terminal import result_console


def recover(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER", show_default=False, help="Folder of a recording, or its MCAP file."
        ),
    ],
) -> None:
    """Repair a recording whose end is missing, so that every reader opens it.

    The index is rebuilt from the intact parts; damaged parts are listed and skipped by readers. An
    intact recording stays as it is.

    For example:

    [cyan]grouser recover climb[/]
    """
    from grouser.recording.repair import recover as repair

    found = repair(folder)
    console = result_console()
    for damage in found.damaged:
        console.print(f"damaged: {damage}")
    if found.complete and not found.damaged:
        console.print(f"{folder} is intact: {sum(found.counts.values())} messages")
        return
    last = max((chunk.index.message_end_time for chunk in found.chunks), default=0)
    messages = sum(found.counts.values())
    console.print(f"{folder} is repaired: {messages} messages up to {last / 1e9:.2f} s")
