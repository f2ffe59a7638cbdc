"""Short matches for tests of the referee."""

from collections.abc import Iterable

SHORT = ("match.ready=1.0", "match.hold=0.5", "match.half=20.0", "match.half_time=2.0")
"""Overrides."""


def kinds(messages: Iterable[str]) -> list[str]:
    """Return the first word of each message of the referee."""
    return [text.partition(":")[0] for text in messages]
