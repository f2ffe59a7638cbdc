"""Terminal output of all commands: results on standard output, progress on standard error."""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from grouser import files

ProgressBar = Callable[[str, float, float, str], None]
"""Called with description, finished amount, total amount, and the amount as text."""
CountingBar = Callable[[str, int, int], None]
"""Called with description, number of finished parts, and number of parts."""

_ARGUMENTS: ContextVar[tuple[str, ...]] = ContextVar("arguments", default=())


def result_console() -> Console:
    """Return the console for results, without automatic highlighting of numbers and paths."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, 100)  # rich assumes 80 columns for a pipe
    return console


def print_line(text: str) -> None:
    """Print one line on standard output, without wrapping."""
    result_console().print(text, soft_wrap=True)


def print_note(text: str, style: str) -> None:
    """Print text in a style on standard output, without wrapping."""
    result_console().print(Text(text, style), soft_wrap=True)


def plain_table(*headings: str, no_wrap: bool = False) -> Table:
    """Return a table without borders.

    Args:
        headings: headings of its columns; none: a table without a header.
        no_wrap: lines in these columns are not wrapped.
    """
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=bool(headings))
    for heading in headings:
        table.add_column(Text(heading, "bold"), no_wrap=no_wrap)
    return table


def print_error(sentence: str) -> None:
    """Print an error on standard error, as one line of any length."""
    line = Text.assemble(("grouser:", "bold red"), " ", " ".join(sentence.split()))
    Console(stderr=True).print(line, soft_wrap=True)


def print_written(path: Path) -> None:
    """Report a written file."""
    result_console().print(Text.assemble(("wrote ", "dim"), str(path)), soft_wrap=True)


def write_json(path: Path, content: object) -> None:
    """Write indented JSON atomically, and report the file."""
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    files.write_text(path, text + "\n")
    print_written(path)


@contextmanager
def progress_bar(text: str) -> Iterator[ProgressBar]:
    """Show a progress bar on standard error inside the block, if that is a terminal."""
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
def counting_bar(name: str, runner: object = None) -> Iterator[CountingBar]:
    """Show a progress bar that counts parts, with parts per second and the nodes of ``runner``."""
    speed = Throughput(runner)
    with progress_bar(name) as show:

        def count(what: str, finished: int, of: int) -> None:
            words = speed.text(what, finished, of)
            show(f"{name}: {what}" if what else name, finished, of, words)

        yield count


class Throughput:
    """Text of finished parts per second, and of the nodes of a runner that has several."""

    def __init__(self, runner: object = None) -> None:
        self._runner = runner
        self._what, self._start, self._first = "", 0.0, 0

    def text(self, what: str, finished: int, of: int) -> str:
        """Return ``"37 of 300, 12.3/s, 3 nodes"``; each activity ``what`` is counted anew."""
        now = time.monotonic()
        if what != self._what or finished < self._first:
            self._what, self._start, self._first = what, now, finished
        lasted, nodes = now - self._start, getattr(self._runner, "nodes", 0)
        rate = (finished - self._first) / lasted if lasted > 0 else 0.0
        parts = [f"{finished} of {of}"]
        parts += [f"{rate:.3g}/s"] if rate > 0 else []
        parts += [f"{nodes} nodes"] if nodes else []
        return ", ".join(parts)


def set_command_line(arguments: Sequence[str]) -> None:
    """Store the arguments after ``grouser``, for `command_line`."""
    _ARGUMENTS.set(tuple(arguments))


def command_line() -> str:
    """Return the running command, quoted for a shell: ``grouser experiment okada-table4 --quick``.

    Only ``grouser`` if a command's function is called from Python.
    """
    return shlex.join(["grouser", *_ARGUMENTS.get()])
