"""Options of commands that record a run: ``--record`` and its details."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grouser.cli.terminal import command_line, print_written

if TYPE_CHECKING:
    from grouser.recording.items import RecordOptions
    from grouser.simulation.simulation import Simulation

_record_option = partial(typer.Option, rich_help_panel="Recording")

RecordFolder = Annotated[
    Path | None,
    _record_option(
        "--record",
        metavar="FOLDER",
        show_default=False,
        help="Record everything to an MCAP file in a new folder, a rosbag2 bag, for Foxglove, "
        "PlotJuggler, ROS 2 and others (docs/how-to/record.md).",
    ),
]
RecordRate = Annotated[
    float,
    _record_option(
        "--record-hz", metavar="HZ", help="Samples of poses and joints per simulated second."
    ),
]
RecordTopics = Annotated[
    str | None,
    _record_option(
        "--record-topics",
        metavar="PATTERN,…",
        show_default="all",
        help="Topics of the recording, such as '/tf,/*/odom,/*/scan'.",
    ),
]
Compression = Annotated[
    str, _record_option("--compress", metavar="zstd|lz4|none", help="Compression of the recording.")
]


def recording(
    simulation: Simulation,
    folder: Path | None,
    hz: float = 25.0,
    topics: str | None = None,
    compress: str = "zstd",
    *,
    paced: bool,
) -> AbstractContextManager[None]:
    """Return a context in which ``simulation`` is recorded; without a folder it is not.

    ``paced``: the simulation never waits for the recording.
    """
    if folder is None:
        return nullcontext()
    from grouser.recording.items import RecordOptions

    patterns = tuple(part.strip() for part in (topics or "").split(",") if part.strip())
    options = RecordOptions(hz=hz, topics=patterns, compress=compress, wait=0.0 if paced else 5.0)
    return _record(simulation, folder, options)


@contextmanager
def _record(simulation: Simulation, folder: Path, options: RecordOptions) -> Iterator[None]:
    from grouser.recording.recorder import Recorder

    with Recorder(simulation, folder, options, command=command_line()) as recorder:
        yield
    if not recorder.failure:
        print_written(folder)
