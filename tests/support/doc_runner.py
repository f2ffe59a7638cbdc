"""Run the blocks of documentation pages in order, in one folder.

``python doc_runner.py PAGE…`` in an empty folder. Shell blocks go to bash, Python blocks share
their names from block to block, and a file whose first line is ``# NAME.yaml`` or ``# NAME.py`` is
saved. A block that starts a server in the background (``grouser serve … &``) ends when the server
listens. The server is stopped at the end of the page or by the next block with a server.
"""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # also run as a program

from support.doc_blocks import Block, blocks, commands, file_name

START_TIMEOUT = 120.0
"""Time-out of the start of a server, s."""


def starts_in_background(block: Block) -> bool:
    """Return whether the last command of a block is started in the background."""
    return commands(block)[-1].partition("  #")[0].rstrip().endswith("&")


class PageRunner:
    """Folder, Python session and background server of a page."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._names: dict[str, object] = {"__name__": "__page__"}
        self._background: subprocess.Popen[bytes] | None = None

    def run(self, block: Block) -> None:
        """Run one block, or raise."""
        print(f"== {block.location}", flush=True)
        print(block.text, flush=True)
        began = time.monotonic()
        if name := file_name(block):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            exec(compile(block.text, block.location, "exec"), self._names)
        elif block.language == "sh":
            self._shell(block)
        print(f"== {time.monotonic() - began:.1f} s", flush=True)

    def _shell(self, block: Block) -> None:
        if not starts_in_background(block):
            none = subprocess.DEVNULL
            subprocess.run(["bash", "-ec", block.text], cwd=self.folder, stdin=none, check=True)
            return
        self.end()
        log = self.folder / "background.log"
        with log.open("wb") as stream:
            self._background = subprocess.Popen(
                ["bash", "-ec", block.text + "\nwait"],
                cwd=self.folder,
                stdout=stream,
                stderr=stream,
                start_new_session=True,
            )
        deadline = time.monotonic() + START_TIMEOUT
        while b"listening" not in log.read_bytes():
            if time.monotonic() > deadline or self._background.poll() is not None:
                raise RuntimeError(f"{block.location}: does not listen: {log.read_text()}")
            time.sleep(0.2)

    def end(self) -> None:
        """Stop the background server."""
        if self._background is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._background.pid, signal.SIGINT)
            try:
                self._background.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(self._background.pid, signal.SIGKILL)
                self._background.wait()
            self._background = None


def run_page(page: Path, folder: Path) -> None:
    """Run all blocks of ``page`` that are to be run, in ``folder``."""
    runner = PageRunner(folder)
    try:
        for block in blocks(page):
            if block.runs:
                runner.run(block)
    finally:
        runner.end()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # also stops the background server
    for name in sys.argv[1:]:
        run_page(Path(name).resolve(), Path.cwd())
