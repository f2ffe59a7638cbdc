"""Values of segments: tolerant parsing, and number formats of the dialects.

Parsing accepts what real clients send: a decimal comma ends a number (as in the original parser),
vector components may be separated by blanks, booleans come in any case.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from grouser.errors import BadValue
from grouser.protocol.usarsim.segments import quote_text

Vector = tuple[float, float, float]
"""x, y, z in m, or roll, pitch, yaw in rad; in the axes of the wire."""

LARGEST_INTEGER = 2**31 - 1
"""Unreal's integers have 32 bits."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_SWITCH = {"true": True, "false": False, "1": True, "0": False}


def read_number(text: str) -> float:
    """Return the number at the start of ``text``."""
    try:
        value = float(text)
    except ValueError:
        begins = _NUMBER.match(text)
        value = float(begins[0]) if begins else math.nan
    if math.isfinite(value) and "_" not in text:  # float() also accepts 1_0
        return value
    raise BadValue(f"is {quote_text(text)}, must be a finite number")


def read_named_number(key: str, text: str) -> float:
    """Return the number at the start of ``text``; the error message names ``key``."""
    try:
        return read_number(text)
    except BadValue as error:
        raise BadValue(f"{key} {error}") from None


def read_integer(text: str) -> int:
    """Return the number at the start of ``text``, truncated."""
    value = read_number(text)
    if abs(value) > LARGEST_INTEGER:
        raise BadValue(f"is {quote_text(text)}, must lie within ±{LARGEST_INTEGER}")
    return int(value)


def read_numbers(text: str) -> tuple[float, ...]:
    """Return numbers separated by commas, blanks or both."""
    words = text.replace(",", " ").split()
    try:
        numbers = tuple(map(float, words))  # fast path for scans with hundreds of plain numbers
        if math.isfinite(sum(numbers)) and "_" not in text:
            return numbers
    except ValueError:
        pass
    return tuple([read_number(word) for word in words])


def read_vector(text: str) -> Vector:
    """Return three numbers separated by commas, blanks or both."""
    numbers = read_numbers(text)
    if len(numbers) != 3:
        raise BadValue(f"is {quote_text(text)}, must be three numbers")
    return numbers[0], numbers[1], numbers[2]


def read_switch(text: str) -> bool:
    """Return a boolean from ``true``, ``false``, ``1`` or ``0``, in any case."""
    try:
        return _SWITCH[text.lower()]
    except KeyError:
        raise BadValue(f"is {quote_text(text)}, must be true or false") from None


@dataclass(frozen=True, slots=True)
class FixedDecimals:
    """Number format with a fixed number of decimals."""

    decimals: int
    """Digits after the point."""
    cut: bool = False
    """Truncate (UDK's helper) instead of rounding."""

    def text(self, value: float) -> str:
        """Return ``value`` with `decimals` digits."""
        if self.cut:
            whole, _, fraction = shortest_text(value).partition(".")
            return f"{whole}.{fraction[: self.decimals]:0<{self.decimals}}"
        return _finite(_form(self.decimals, 1) % value)

    def join(self, values: Iterable[float]) -> str:
        """Return ``values`` separated by commas."""
        if self.cut:
            return ",".join([self.text(value) for value in values])
        numbers = tuple(values)
        return _finite(_form(self.decimals, len(numbers)) % numbers)


@dataclass(frozen=True, slots=True)
class ShortestDecimals:
    """Number format of commands: the shortest text that reads back as the same number."""

    def text(self, value: float) -> str:
        """Return the shortest text of ``value``."""
        return shortest_text(value)

    def join(self, values: Iterable[float]) -> str:
        """Return ``values`` separated by commas; integers without a point."""
        return ",".join([shortest_text(value).removesuffix(".0") for value in values])


@dataclass(frozen=True, slots=True)
class TrimmedDecimals:
    """Number format: integers without a point, others truncated to four decimals."""

    def text(self, value: float) -> str:
        """Return ``value`` in this format."""
        text = FixedDecimals(4, cut=True).text(value)
        whole, _, fraction = text.partition(".")
        return text if fraction.strip("0") else str(int(whole))

    def join(self, values: Iterable[float]) -> str:
        """Return ``values`` separated by commas."""
        return ",".join([self.text(value) for value in values])


@lru_cache
def _form(decimals: int, count: int) -> str:
    """Return the format string of ``count`` numbers, so that a scan is formatted in one call."""
    return ",".join([f"%.{decimals}f"] * count)


NumberStyle = FixedDecimals | ShortestDecimals | TrimmedDecimals


def shortest_text(value: float) -> str:
    """Return the shortest text without an exponent that reads back as ``value``."""
    text = repr(float(value))
    if "e" in text:
        text = format(Decimal(text), "f")
    return _finite(text if "." in text else f"{text}.0")


def _finite(text: str) -> str:
    if "n" in text:  # nan, inf
        raise BadValue("a number that is not finite cannot be sent")
    return text


def wrapped_angle(angle: float) -> float:
    """Return ``angle`` (rad) wrapped to (-pi, pi]."""
    turned = math.remainder(angle, math.tau)
    return turned if turned > -math.pi else math.pi


def unsigned_angle(angle: float) -> float:
    """Return ``angle`` (rad) wrapped to [0, 2 pi)."""
    if 0.0 <= angle < math.tau:
        return angle
    turned = angle % math.tau
    return turned if turned < math.tau else 0.0
