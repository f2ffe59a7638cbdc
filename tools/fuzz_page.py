"""Random frames for the websocket of the browser page (`tests/support/page_fuzz.py`).

::

    python tools/fuzz_page.py --frames 1000000 [--seed N] [--log FILE]

Each part of 20,000 frames has a server of its own and a seed, so that a fault can be repeated. The
command ends with 1 at the first close code that the protocol does not document, the first internal
error that the server logs, and the first server that stops answering.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

PART = 20_000
"""Frames of one server."""


class ErrorCount(logging.Handler):
    """Log handler that keeps errors: a traceback in the log is a fault of the server."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep an error."""
        self.found.append(self.format(record))


def main() -> int:
    """Send frames until a fault, or until all are sent."""
    from support.page_fuzz import NO_CLOSE_FRAME, fuzz
    from support.page_world import yard

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--frames", type=int, default=100_000, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--log", type=Path, metavar="FILE", help="one line per part")
    args = parser.parse_args()
    errors = ErrorCount()
    logging.getLogger().addHandler(errors)
    logging.getLogger("grouser").setLevel(logging.ERROR)
    codes: Counter[int] = Counter()
    sent, seed, begin = 0, args.seed, time.process_time()
    while sent < args.frames:
        result = asyncio.run(fuzz(yard(), min(PART, args.frames - sent), seed))
        codes += result.codes
        sent += result.frames
        shown = ", ".join(f"{code}: {number}" for code, number in sorted(codes.items()))
        line = f"seed {seed}: {sent} frames, {time.process_time() - begin:.0f} s; {shown}"
        print(line, flush=True)
        if args.log:
            with args.log.open("a") as file:
                file.write(line + "\n")
        if result.undocumented - {NO_CLOSE_FRAME} or errors.found:
            print("\n".join([f"fault with seed {seed}: {result.undocumented}", *errors.found]))
            return 1
        seed += 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
