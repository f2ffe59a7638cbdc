"""What is stored on the radio tags (RFID) of a world; all robots share it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

FIRST_DROPPED = 100_000
"""Number of the first tag that robots drop: above those that world files use."""


@dataclass
class TagMemory:
    """The tags of a world: what is written on them, and which were dropped by robots."""

    stored: dict[str, str] = field(default_factory=dict)
    """Number of a tag → what is written on it."""
    numbers: Iterator[int] = field(default_factory=lambda: count(FIRST_DROPPED))
    """Numbers of the tags that are still to be dropped."""
    dropped: Counter[str] = field(default_factory=Counter)
    """Robot → how many it has dropped."""
