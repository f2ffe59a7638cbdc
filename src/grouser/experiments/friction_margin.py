"""S or F of drives, and the range of friction in which the result of a table row stays."""

from __future__ import annotations

from collections.abc import Sequence

from grouser.trials.trial import Outcome


def success_letter(*outcomes: Outcome) -> str:
    """Return S if the majority of drives succeeded, else F, as the papers print them."""
    return "S" if 2 * sum(outcome.arrived for outcome in outcomes) > len(outcomes) else "F"


def friction_margin(frictions: Sequence[float], letters: Sequence[str], usual: float) -> str:
    """Return the range around the ``usual`` friction in which a row's result stays, as text.

    ``letters`` are the results at the ascending ``frictions``, which contain ``usual``.
    """
    low = high = frictions.index(usual)
    while low > 0 and letters[low - 1] == letters[low]:
        low -= 1
    while high + 1 < len(letters) and letters[high + 1] == letters[high]:
        high += 1
    return f"{frictions[low]:.2f}-{frictions[high]:.2f}"
