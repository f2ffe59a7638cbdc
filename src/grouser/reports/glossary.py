"""What letters and short words in tables stand for, in a sentence each.

A table is explained by what is in it: only words that one of its cells, columns or figures uses.
"""

from __future__ import annotations

from collections.abc import Iterable

LETTERS = {
    "S": "S: success, the robot got over it or through it",
    "F": "F: failure, it did not",
    "+": "+: good",
    "++": "++: very good",
}
"""By a cell's whole content."""
WORDS = {
    "rtf": "rtf: real-time factor, simulated seconds per second of the clock, on this machine",
    "misfit": "misfit: the largest jump of a grouser's tip where two links of a belt meet",
    "smooth": "smooth: the same robot on belts without grousers",
    "inertia": "inertia x: so many times the pitch inertia of the robot's parts as even boxes",
    "starts": "starts: runs of one row that begin a part of a grouser pitch apart",
    "deviation": "deviation: standard deviation",
    "norm": "norm: distance in the x-z plane",
    "agree": "agree: rows whose result is the paper's by the experiment's own rule",
    "rank": "rank correlation: 1 where each value is above the last, 0 where there is no order",
}
"""By a word in the name of a column or a figure."""


def explanations(cells: Iterable[str], names: Iterable[str]) -> list[str]:
    """Return a sentence for each letter in ``cells`` and each word in ``names`` that has one.

    Args:
        cells: what a table's cells show.
        names: of its columns and figures, words parted by blanks or underscores.
    """
    shown = set(cells)
    spoken = {word for name in names for word in name.lower().replace("_", " ").split()}
    letters = [text for letter, text in LETTERS.items() if letter in shown]
    return letters + [text for word, text in WORDS.items() if word in spoken]
