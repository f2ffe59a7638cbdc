"""What commands that serve a world share: logging, where it listens, until when it runs."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from typing import TYPE_CHECKING, NoReturn

import typer

from grouser.cli.terminal import complain
from grouser.cli.typed_lines import read_lines
from grouser.errors import BadValue, GrouserError

if TYPE_CHECKING:
    from grouser.gateways.server import Server

LEVELS = {0: logging.WARNING, 1: logging.INFO}
"""Times that -v was given → what is logged; more: everything."""
LONGEST_BEAT_MS = 1000.0


def log(verbose: int) -> None:
    """Log to the error stream; ``verbose``: how often -v was given."""
    logging.basicConfig(
        stream=sys.stderr,
        level=LEVELS.get(verbose, logging.DEBUG),
        format="%(asctime)s %(name)s: %(message)s",
    )


async def serve_until_ended(server: Server, seconds: float, console: bool = False) -> None:
    """Say where it listens, then let time pass until somebody or something ends it.

    Args:
        server: opened here.
        seconds: simulated time at which it ends.
        console: whether lines of the console are taken from the standard input.
    """
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, server.stop)
    async with server:
        ports = " ".join(f"{name}={number}" for name, number in server.ports.items())
        typer.echo(f"listening {ports}")
        if console:
            read_lines(lambda line: loop.call_soon_threadsafe(_run_typed_line, server, line))
        await server.run(until=seconds)
    lost = server.pace.lost
    if lost > 0:
        complain(f"this machine is too slow for the pace: {lost:.1f} s were given up")


def _run_typed_line(server: Server, line: str) -> None:
    """Carry out a line that was typed here."""
    try:
        if answer := server.console(line):
            typer.echo(answer)
    except GrouserError as error:
        complain(str(error))


# -- numbers of ports and times --------------------------------------------------------------------


def port_number(option: str, number: int) -> int:
    """Return a port's number; raise if it is none."""
    if not 0 <= number < 65536:
        raise BadValue(f"{option} is {number}, a port is from 0 (any) to 65535")
    return number


def is_open(option: str, number: int) -> bool:
    """Return whether a port is wanted; raise if it is none."""
    if number < -1:
        raise BadValue(f"{option} is {number}, a port is from 0 (any) to 65535, and -1 is none")
    if number >= 0:
        port_number(option, number)  # raises if it is too large
    return number >= 0


def beat_seconds(beat_ms: float) -> float:
    """Return a beat in s; for longer than a second nobody can be left waiting."""
    if not 0 < beat_ms <= LONGEST_BEAT_MS:
        _refuse("--beat-ms", beat_ms, f"above 0, at most {LONGEST_BEAT_MS:g}")
    from grouser.frames import seconds

    return seconds(beat_ms)


def above(value: float, option: str) -> float:
    """Return an option's value, which must be above 0."""
    return value if value > 0 else _refuse(option, value, "above 0")


def not_below(value: float, option: str) -> float:
    """Return an option's value, which must be at least 0."""
    return value if value >= 0 else _refuse(option, value, "0 or above")


def _refuse(option: str, value: float, allowed: str) -> NoReturn:
    raise BadValue(f"{option} is {value:g}, must be {allowed}")
