"""What a log tells about one parameter: a value, an interval and a verdict.

If the interval is most of the plausible range, the run cannot tell the parameter; who stops at the
range's end says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from grouser.calibration.parameters import Parameter
from grouser.frames import Array

WIDE = 0.5
"""An interval that covers more of the plausible range tells nothing."""

Verdict = Literal["determined", "one-sided", "at the end", "cannot be told"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Finding:
    """What a log tells about one parameter."""

    parameter: Parameter
    start: float
    """What the world said."""
    value: float
    """Best value; of a parameter that cannot be told: the start, or the nearest not excluded."""
    low: float
    """Smallest value that noise does not exclude; the range's end if none is excluded."""
    high: float
    """Largest such value."""
    verdict: Verdict
    values: Array
    """At which the loss was profiled, (m,)."""
    rises: Array
    """Of the loss there; 1 is as much as noise explains, (m,)."""

    @property
    def determined(self) -> bool:
        """Whether the value can be relied on."""
        return self.verdict == "determined"

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        p, (low, high) = self.parameter, self._open_ends()
        half = (self.high - self.low) / 2
        match self.verdict:
            case "determined" if p.low > 0:
                return f"determined ± {100 * half / self.value:.2g} %"
            case "determined":
                return f"determined ± {half:.2g}{p.suffix}"
            case "one-sided":
                return f"at least {self.low:.3g}{p.suffix}" if high else f"at most {self.high:.3g}"
            case "at the end":
                end = p.low if self.value - p.low < p.high - self.value else p.high
                return f"at the end of the plausible range ({end:g}): may lie beyond, or else errs"
        only = "" if low and high else f", only {'below' if low else 'above'} "
        bound = "" if low and high else f"{self.high if low else self.low:.2g}{p.suffix}"
        return f"cannot be told from this run{only}{bound}"

    def _open_ends(self) -> tuple[bool, bool]:
        return self.low <= self.parameter.low, self.high >= self.parameter.high

    def to_json(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        return {
            "unit": self.parameter.unit,
            "start": self.start,
            "found": self.value,
            "interval": [self.low, self.high],
            "plausible": [self.parameter.low, self.parameter.high],
            "verdict": self.verdict,
            "sentence": self.sentence,
            "profile": {"values": self.values.tolist(), "rises": self.rises.tolist()},
        }


def interval(at: Array, rises: Array, best: float) -> tuple[float, float]:
    """Return between which values the loss rises by less than 1, in the unit box.

    Args:
        at: increasing values, (m,), ``best`` among them.
        rises: of the loss there, (m,).
        best: where it is least.

    The root of the rise is read by straight lines: it is one near a minimum.
    """
    roots = np.sqrt(rises)
    middle = int(np.abs(at - best).argmin())
    ends = []
    for side, end in ((range(middle - 1, -1, -1), 0.0), (range(middle + 1, len(at)), 1.0)):
        last = middle
        for i in side:
            if roots[i] > 1:
                part = (1 - roots[last]) / (roots[i] - roots[last])
                ends.append(float(at[last] + part * (at[i] - at[last])))
                break
            last = i
        else:
            ends.append(end)
    return ends[0], ends[1]


def judge(low: float, high: float, best: float) -> Verdict:
    """Return what an interval in the unit box says about its parameter."""
    if high - low > WIDE:
        return "cannot be told"
    if best <= 0.005 or best >= 0.995:
        return "at the end"
    return "one-sided" if low <= 0 or high >= 1 else "determined"
