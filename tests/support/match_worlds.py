"""Matches that are soon over: what tests of the referee share."""

SHORT = ("match.ready=1.0", "match.hold=0.5", "match.half=20.0", "match.half_time=2.0")
"""Overrides."""


def kinds(said):
    """Return the first word of each of the referee's sentences."""
    return [text.partition(":")[0] for text in said]
