"""What was typed before, and what Tab makes of a line: Python's readline, where there is one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from grouser import files
from grouser.errors import GrouserError

KEPT = 1000
"""Lines that are remembered."""


def history_file() -> Path:
    """Return the file in which lines are kept, in the user's own state folder."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "grouser" / "console_history"


@contextmanager
def line_editing(complete: Callable[[str], list[str]]) -> Iterator[None]:
    """Let ``input`` remember lines and complete words inside the block.

    Args:
        complete: returns how the last word of a line may go on.
    """
    try:
        import readline
    except ImportError:  # not every Python has it
        yield
        return
    file = history_file()
    with suppress(OSError):
        readline.read_history_file(file)
    readline.set_history_length(KEPT)
    completions: list[str] = []

    def completer(_: str, number: int) -> str | None:
        nonlocal completions
        if number == 0:
            try:
                completions = complete(readline.get_line_buffer()[: readline.get_endidx()])
            except GrouserError:
                completions = []
        return f"{completions[number]} " if number < len(completions) else None

    readline.set_completer(completer)
    readline.set_completer_delims(" \t")
    readline.parse_and_bind("tab: complete")
    try:
        yield
    finally:
        readline.set_completer(None)
        lines = [
            readline.get_history_item(i + 1) for i in range(readline.get_current_history_length())
        ]
        with suppress(GrouserError, OSError):  # a console must end even where it may not write
            files.write_text(file, "".join(f"{line}\n" for line in lines[-KEPT:]))
