"""Narrowing of optional values for the type checker; a test fails where it is not possible."""

from typing import TypeVar

Value = TypeVar("Value")


def not_none(value: Value | None) -> Value:
    """Return ``value``; fail if it is None."""
    assert value is not None
    return value
