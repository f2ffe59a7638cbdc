"""Shared parts of commands that run a server: logging, port checks, the serving loop."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn

import typer

from grouser.cli.terminal import print_error
from grouser.errors import BadValue, GrouserError

if TYPE_CHECKING:
    import ssl
    from pathlib import Path

    from grouser.gateways.server import Server

LEVELS = {0: logging.WARNING, 1: logging.INFO}
"""Number of -v options -> log level; above: DEBUG."""
LONGEST_BEAT_MS = 1000.0


def configure_logging(verbose: int) -> None:
    """Log to standard error; ``verbose`` is the number of -v options."""
    logging.basicConfig(
        stream=sys.stderr,
        level=LEVELS.get(verbose, logging.DEBUG),
        format="%(asctime)s %(name)s: %(message)s",
    )


async def serve_until_ended(
    server: Server,
    seconds: float,
    console: bool = False,
    opened: Callable[[], object] | None = None,
) -> None:
    """Open a server, print its ports, and run it until a signal or ``seconds`` of simulated time.

    With ``console`` it reads console lines from standard input; ``opened`` is called when all
    ports are open.
    """
    above(seconds, "--seconds")
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, server.stop)
    async with server:
        ports = " ".join(f"{name}={number}" for name, number in server.ports.items())
        typer.echo(f"listening {ports}")
        if opened is not None:
            opened()
        if console:
            _read_lines(lambda line: loop.call_soon_threadsafe(_run_console_line, server, line))
        await server.run(until=seconds)
    lost = server.pace.lost
    if lost > 0:
        print_error(f"this machine is too slow for the pace: {lost:.1f} s were dropped")


def _run_console_line(server: Server, line: str) -> None:
    try:
        if answer := server.console(line):
            typer.echo(answer)
    except GrouserError as error:
        print_error(str(error))


def _read_lines(handle: Callable[[str], object]) -> None:
    """Read standard input in a background thread, and call ``handle`` there with every line."""
    # Only a blocking thread reads terminals, pipes and files alike. A partial line at the end
    # of the input counts as a line.
    stream = sys.stdin
    if stream is None:  # the process has no standard input
        return

    def read() -> None:
        try:
            for line in stream:
                handle(line)
        except (OSError, ValueError, RuntimeError):
            pass  # the terminal is gone, the stream or the event loop is closed

    threading.Thread(target=read, name="console lines", daemon=True).start()


def tls_context(certificate: Path | None, key: Path | None) -> ssl.SSLContext | None:
    """Return the TLS context of the ports, and print a hint for clients; None without TLS."""
    from grouser.tls import client_hint, server_context

    if certificate is None:
        if key is not None:
            raise BadValue(f"--key is '{key}', but --certificate is missing: TLS needs both")
        return None
    context = server_context(certificate, key)
    print_error(client_hint(certificate))
    return context


# -- checks of ports and times ---------------------------------------------------------------------


def port_number(option: str, number: int) -> int:
    """Return a port number; raise if it is out of range."""
    if not 0 <= number < 65536:
        raise BadValue(f"{option} is {number}, must be from 0 (any free port) to 65535")
    return number


def is_open(option: str, number: int) -> bool:
    """Return whether a port is to be opened; raise if it is out of range."""
    if number < -1:
        raise BadValue(
            f"{option} is {number}, must be from 0 (any free port) to 65535, or -1 (none)"
        )
    if number >= 0:
        port_number(option, number)
    return number >= 0


def beat_seconds(beat_ms: float | None) -> float | None:
    """Return the interval ``--beat-ms`` in s; None if it is not given."""
    if beat_ms is None:
        return None
    if not 0 < beat_ms <= LONGEST_BEAT_MS:
        _reject("--beat-ms", beat_ms, f"above 0, at most {LONGEST_BEAT_MS:g}")
    from grouser.frames import seconds

    return seconds(beat_ms)


def above(value: float, option: str) -> float:
    """Return the value of an option; raise unless it is above 0."""
    return value if value > 0 else _reject(option, value, "above 0")


def not_below(value: float, option: str) -> float:
    """Return the value of an option; raise unless it is at least 0."""
    return value if value >= 0 else _reject(option, value, "0 or above")


def _reject(option: str, value: float, allowed: str) -> NoReturn:
    raise BadValue(f"{option} is {value:g}, must be {allowed}")
