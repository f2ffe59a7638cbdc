"""Values of segments: read loosely, written in the style of a dialect.

Reading forgives what real clients send: a decimal comma ends a number (as the old parser did), the
components of a vector may be divided by blanks, switches come in any case.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from grouser.errors import BadValue
from grouser.protocol.usarsim.segments import quoted

Vector = tuple[float, float, float]
"""x, y, z in m, or roll, pitch, yaw in rad; in the wire's axes."""

LARGEST_WHOLE = 2**31 - 1
"""Unreal's integers have 32 bits."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_SWITCH = {"true": True, "false": False, "1": True, "0": False}


def read_number(text: str) -> float:
    """Return the number that ``text`` begins with."""
    try:
        value = float(text)
    except ValueError:
        begins = _NUMBER.match(text)
        value = float(begins[0]) if begins else math.nan
    if math.isfinite(value) and "_" not in text:  # Python reads 1_0 as ten, nobody else does
        return value
    raise BadValue(f"is {quoted(text)}, must be a finite number")


def read_named_number(key: str, text: str) -> float:
    """Return the number that ``text`` begins with; name ``key`` in the complaint."""
    try:
        return read_number(text)
    except BadValue as refusal:
        raise BadValue(f"{key} {refusal}") from None


def read_whole(text: str) -> int:
    """Return the number that ``text`` begins with, without its fraction."""
    value = read_number(text)
    if abs(value) > LARGEST_WHOLE:
        raise BadValue(f"is {quoted(text)}, must lie within ±{LARGEST_WHOLE}")
    return int(value)


def read_numbers(text: str) -> tuple[float, ...]:
    """Return numbers divided by commas, blanks or both."""
    words = text.replace(",", " ").split()
    try:
        numbers = tuple(map(float, words))  # a scan has hundreds: all at once, if all are plain
        if math.isfinite(sum(numbers)) and "_" not in text:
            return numbers
    except ValueError:
        pass
    return tuple([read_number(word) for word in words])


def read_vector(text: str) -> Vector:
    """Return three numbers divided by commas, blanks or both."""
    numbers = read_numbers(text)
    if len(numbers) != 3:
        raise BadValue(f"is {quoted(text)}, must be three numbers")
    return numbers[0], numbers[1], numbers[2]


def read_switch(text: str) -> bool:
    """Return whether ``text`` says true, in any case."""
    try:
        return _SWITCH[text.lower()]
    except KeyError:
        raise BadValue(f"is {quoted(text)}, must be true or false") from None


@dataclass(frozen=True, slots=True)
class FixedDecimals:
    """How a number is written."""

    decimals: int
    """Digits after the point."""
    cut: bool = False
    """Further digits are cut off (UDK's helper); otherwise they are rounded."""

    def text(self, value: float) -> str:
        """Return ``value`` with the digits of this style."""
        if self.cut:
            whole, _, fraction = shortest_text(value).partition(".")
            return f"{whole}.{fraction[: self.decimals]:0<{self.decimals}}"
        return _finite(_form(self.decimals, 1) % value)

    def join(self, values: Iterable[float]) -> str:
        """Return ``values`` divided by commas."""
        if self.cut:
            return ",".join([self.text(value) for value in values])
        numbers = tuple(values)
        return _finite(_form(self.decimals, len(numbers)) % numbers)


@dataclass(frozen=True, slots=True)
class ShortestDecimals:
    """The style of commands: every digit that the number has, and not one more."""

    def text(self, value: float) -> str:
        """Return ``value`` so that it reads back the same."""
        return shortest_text(value)

    def join(self, values: Iterable[float]) -> str:
        """Return ``values`` divided by commas; whole numbers without a point."""
        return ",".join([shortest_text(value).removesuffix(".0") for value in values])


@dataclass(frozen=True, slots=True)
class TrimmedDecimals:
    """Whole numbers without a point, others with four decimals cut off."""

    def text(self, value: float) -> str:
        """Return ``value`` in this style."""
        text = FixedDecimals(4, cut=True).text(value)
        whole, _, fraction = text.partition(".")
        return text if fraction.strip("0") else str(int(whole))

    def join(self, values: Iterable[float]) -> str:
        """Return ``values`` divided by commas."""
        return ",".join([self.text(value) for value in values])


@lru_cache
def _form(decimals: int, count: int) -> str:
    """Return the form of ``count`` numbers: a scan's hundreds are written by one call."""
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
    """Return ``angle`` (rad) turned into (-pi, pi]."""
    turned = math.remainder(angle, math.tau)
    return turned if turned > -math.pi else math.pi


def unsigned_angle(angle: float) -> float:
    """Return ``angle`` (rad) turned into [0, 2 pi)."""
    if 0.0 <= angle < math.tau:
        return angle
    turned = angle % math.tau
    return turned if turned < math.tau else 0.0
