"""Rules by which our value agrees with a reference: the printed value of a paper, or the truth.

A rule is a pure function of the reference and of the measured value, with a text for the table.
Papers print no tolerances, so tolerances are ours; the reason of each is stated where it is used.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Holds = Callable[[Any, Any], bool]
"""Function of the reference and the measured value, in the same form: numbers, words or tuples."""


@dataclass(frozen=True)
class Rule:
    """Condition under which a measured value agrees with its reference."""

    text: str
    """Condition in a few words: ``within 10 %``."""
    holds: Holds

    def judge(self, reference: Any, measured: Any) -> Judgement:
        """Return the judgement of a measured value."""
        return Judgement(self, reference, measured)


@dataclass(frozen=True)
class Judgement:
    """A rule with the two values that it compares."""

    rule: Rule
    reference: Any
    measured: Any
    """Measured value in the form of the reference; None: nothing was measured."""

    @property
    def agrees(self) -> bool:
        """True if the rule holds; False without a measured value."""
        if self.measured is None:
            return False
        return bool(self.rule.holds(self.reference, self.measured))


def same(text: str) -> Rule:
    """Return the rule of equal values: letters, signs, counts."""
    return Rule(text, lambda reference, measured: bool(reference == measured))


SAME_LETTER = same("same letter")


def within(relative: float) -> Rule:
    """Return the rule of a relative tolerance, as a fraction of the reference."""
    return Rule(
        f"within {100 * relative:g} %",
        lambda reference, measured: abs(measured - reference) <= relative * abs(reference),
    )


def within_absolute(difference: float, unit: str) -> Rule:
    """Return the rule of an absolute tolerance in the unit of the values."""
    return Rule(
        f"within {difference:g} {unit}",
        lambda reference, measured: abs(measured - reference) <= difference,
    )


def within_factor(factor: float, of: str = "") -> Rule:
    """Return the rule of positive values that differ by less than ``factor``."""

    def holds(reference: float, measured: float) -> bool:
        return measured > 0 and abs(math.log(measured / reference)) < math.log(factor)

    return Rule(f"{of} within a factor of {factor:g}".strip(), holds)


def above(what: str = "the paper's") -> Rule:
    """Return the rule of a value above its reference."""
    return Rule(f"above {what}", lambda reference, measured: bool(measured > reference))


def below(what: str = "the paper's") -> Rule:
    """Return the rule of a value below its reference."""
    return Rule(f"below {what}", lambda reference, measured: bool(measured < reference))


def at_least(bound: float, unit: str = "") -> Rule:
    """Return the rule of a lower bound, ours, for a reference in words."""
    text = f"at least {bound:g} {unit}".strip()
    return Rule(text, lambda reference, measured: bool(measured >= bound))


def at_most(bound: float, unit: str = "") -> Rule:
    """Return the rule of an upper bound, ours, for a reference in words."""
    text = f"at most {bound:g} {unit}".strip()
    return Rule(text, lambda reference, measured: bool(measured <= bound))


def between(low: float, high: float, text: str = "") -> Rule:
    """Return the rule of a range, ours, for a reference in words; ``high`` is excluded."""
    return Rule(
        text or f"{low:g} to {high:g}", lambda reference, measured: bool(low <= measured < high)
    )
