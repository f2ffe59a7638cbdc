"""Lines typed at a running server: from a terminal, a pipe or a file, in a thread of their own.

A terminal gives whole lines, a pipe may give half of one and then nothing for an hour, a file is
always ready: only a thread that waits by itself reads all three without holding anybody up.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable


def read_lines(handle: Callable[[str], object]) -> None:
    """Begin to read the standard input; ``handle`` is called, in that thread, with every line.

    The end of the input only ends the reading; what is half a line there is a line.
    """
    stream = sys.stdin
    if stream is None:  # the program was started without any
        return

    def read() -> None:
        try:
            for line in stream:
                handle(line)
        except (OSError, ValueError, RuntimeError):
            pass  # the terminal has gone, the stream is closed, or whoever listened is

    threading.Thread(target=read, name="typed lines", daemon=True).start()
