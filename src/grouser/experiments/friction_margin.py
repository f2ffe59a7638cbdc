"""How far friction may be from a table's own before a row's result turns."""

from __future__ import annotations

from collections.abc import Sequence


def friction_margin(frictions: Sequence[float], letters: Sequence[str], usual: float) -> str:
    """Return the range round the ``usual`` friction in which a row's result stays, as text.

    Args:
        frictions: that were driven, rising; the usual one is among them.
        letters: the row's result at each.
        usual: friction of the table.
    """
    low = high = frictions.index(usual)
    while low > 0 and letters[low - 1] == letters[low]:
        low -= 1
    while high + 1 < len(letters) and letters[high + 1] == letters[high]:
        high += 1
    return f"{frictions[low]:.2f}-{frictions[high]:.2f}"
