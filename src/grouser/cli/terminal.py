"""What all commands share on the terminal: results on one stream, progress on the other."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.text import Text

from grouser import files

ProgressBar = Callable[[str, float, float, str], None]
"""Called with what is being done, how much of it is finished, how much there is, and words."""
CountingBar = Callable[[str, int, int], None]
"""Called with what is being done, how many parts are finished, and how many there are."""


def result_console() -> Console:
    """Return the console for results; numbers and paths in them are not coloured by guessing."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, 100)  # rich takes a pipe for 80 columns wide
    return console


def complain(sentence: str) -> None:
    """Say what went wrong on the error stream, as one line however long it is."""
    line = Text.assemble(("grouser:", "bold red"), " ", " ".join(sentence.split()))
    Console(stderr=True).print(line, soft_wrap=True)


def print_written(path: Path) -> None:
    """Say that there is a file now."""
    result_console().print(Text.assemble(("wrote ", "dim"), str(path)), soft_wrap=True)


def write_json(path: Path, content: object) -> None:
    """Write JSON that people can read, too, whole or not at all, and say so."""
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    files.write_text(path, text + "\n")
    print_written(path)


@contextmanager
def progress_bar(text: str) -> Iterator[ProgressBar]:
    """Show a bar on the error stream inside the block, if that is a terminal.

    Args:
        text: what the bar says until it gets something else.

    Yields:
        A function to call with what is being done, how much of it is finished, how much there is,
        and that progress in words.
    """
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}", style="bold", markup=False),
        BarColumn(bar_width=None),
        TextColumn("{task.fields[words]}", markup=False),
        TimeRemainingColumn(compact=True),
    )
    bar = Progress(
        *columns, console=console, transient=True, expand=True, disable=not console.is_terminal
    )
    with bar:
        task: TaskID = bar.add_task(text, total=None, words="")

        def show(what: str, finished: float, of: float, words: str) -> None:
            bar.update(task, description=what, completed=finished, total=of, words=words)

        yield show


@contextmanager
def counting_bar(name: str) -> Iterator[CountingBar]:
    """Show a bar for something that counts its parts; yields an experiment's ``progress_bar``."""
    with progress_bar(name) as show:

        def count(what: str, finished: int, of: int) -> None:
            show(f"{name}: {what}" if what else name, finished, of, f"{finished} of {of}")

        yield count
