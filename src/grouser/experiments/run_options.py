"""How an experiment is to be run: at full size or quickly, with pictures or without."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Progress = Callable[[str, int, int], None]
"""Called with (what is being done, finished, all)."""


def silent(what: str, finished: int, of: int) -> None:
    """Report progress to nobody."""


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """What the person who runs an experiment wants."""

    quick: bool = False
    """A short version, to see that it runs; its table says so."""
    pictures: bool = False
    """Draw pictures for the report; needs OpenGL."""
    seed: int = 0
    """Decides everything random."""
    resume: Path | None = None
    """Where finished parts are kept and looked for; only experiments with ``KEEPS_PARTS``."""
    progress: Progress = silent
    """Told how far it is."""
