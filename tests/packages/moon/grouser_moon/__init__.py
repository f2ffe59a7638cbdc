"""A rover and a crater of the moon."""

from pathlib import Path

ROVER = Path(__file__).parent / "rover.yaml"


class Nothing:
    """Class that does not describe a robot."""
