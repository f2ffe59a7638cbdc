"""Command of the moon."""

from typing import Annotated

import typer

from grouser.errors import BadValue


def phase(
    day: Annotated[float, typer.Argument(help="Days since new moon.")],
    names: Annotated[bool, typer.Option("--names", help="Print a name.")] = False,
) -> None:
    """Print the phase of the moon."""
    if not 0 <= day < 29.53:
        raise BadValue(f"DAY is {day:g}, must be 0 to 29.53")
    share = day / 29.53
    typer.echo(("new moon", "waxing", "full moon", "waning")[int(share * 4)] if names else share)
