"""Options of commands that record a run: ``--record`` and its details."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grouser.cli.terminal import command_line, print_written

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grouser.recording.items import RecordOptions
    from grouser.simulation.simulation import Simulation
    from grouser.trials.trial import Outcome

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
TrialFolder = Annotated[
    Path | None,
    _record_option(
        "--record",
        metavar="FOLDER",
        show_default=False,
        help="Record trials to MCAP files, each in a folder below (docs/how-to/record.md).",
    ),
]
"""For commands that run trials."""
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


def record_trials(outcomes: Mapping[str, Outcome], folder: Path | None) -> None:
    """Drive trials again, to the same bits, and record each to a folder of its name.

    A recording begins with the first sample of the trial; without a folder nothing is done.
    """
    if folder is None:
        return
    from grouser.recording.recorder import Recorder
    from grouser.trials.simulation_lane import replay_trial

    for name, outcome in outcomes.items():
        with ExitStack() as stack:
            for number, simulation in enumerate(replay_trial(outcome.trial)):
                if not number:
                    recorder = Recorder(simulation, folder / name, command=command_line())
                    stack.enter_context(recorder)
                if simulation.time >= outcome.time - 1e-9:
                    break
        print_written(folder / name)


@contextmanager
def _record(simulation: Simulation, folder: Path, options: RecordOptions) -> Iterator[None]:
    from grouser.recording.recorder import Recorder

    with Recorder(simulation, folder, options, command=command_line()) as recorder:
        yield
    if not recorder.failure:
        print_written(folder)
