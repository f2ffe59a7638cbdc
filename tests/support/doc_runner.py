"""Runs a page of the documentation as a reader would: block after block, in one folder.

``python doc_runner.py PAGE…`` in an empty folder. Shell blocks go to bash, Python blocks share
their names from block to block, and a world or robot file whose first line is ``# NAME.yaml`` is
saved. What a block starts in the background (``grouser serve … &``) is waited for until it listens,
and ended with the page or when another block starts something.
"""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # also a program of its own

from support.doc_blocks import Block, blocks, commands, file_name

LISTENS = 120.0
"""How long a server may take until it listens, s."""


def starts_in_background(block: Block) -> bool:
    """Return whether its last command is left running."""
    return commands(block)[-1].partition("  #")[0].rstrip().endswith("&")


class PageRunner:
    """The reader's folder, shell and Python session."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._names: dict[str, object] = {"__name__": "__page__"}
        self._background: subprocess.Popen[bytes] | None = None

    def run(self, block: Block) -> None:
        """Run one block, or raise."""
        print(f"== {block.place}", flush=True)
        print(block.text, flush=True)
        began = time.monotonic()
        if block.language == "python":
            exec(compile(block.text, block.place, "exec"), self._names)
        elif block.language == "sh":
            self._shell(block)
        elif block.language == "yaml" and (name := file_name(block)):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(block.text, encoding="utf-8")
        print(f"== {time.monotonic() - began:.1f} s", flush=True)

    def _shell(self, block: Block) -> None:
        if not starts_in_background(block):
            quiet = subprocess.DEVNULL  # nobody types at a console
            subprocess.run(["bash", "-ec", block.text], cwd=self.folder, stdin=quiet, check=True)
            return
        self.end()
        said = self.folder / "background.log"
        with said.open("wb") as stream:
            self._background = subprocess.Popen(
                ["bash", "-ec", block.text + "\nwait"],
                cwd=self.folder,
                stdout=stream,
                stderr=stream,
                start_new_session=True,
            )
        patience = time.monotonic() + LISTENS
        while b"listening" not in said.read_bytes():
            if time.monotonic() > patience or self._background.poll() is not None:
                raise RuntimeError(f"{block.place}: does not listen: {said.read_text()}")
            time.sleep(0.2)

    def end(self) -> None:
        """End what runs in the background."""
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
    """Run everything on ``page`` that is to be run, in ``folder``."""
    runner = PageRunner(folder)
    try:
        for block in blocks(page):
            if block.runs:
                runner.run(block)
    finally:
        runner.end()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # nothing is left running
    for name in sys.argv[1:]:
        run_page(Path(name).resolve(), Path.cwd())
