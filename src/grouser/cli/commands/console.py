"""``grouser console``: type console lines at a world, in this process or on a server."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol

import typer

from grouser import files
from grouser.cli import preflight
from grouser.cli.options import Seed, Token, speed_factor
from grouser.cli.terminal import print_error, result_console
from grouser.errors import BadValue, Disconnected, GrouserError, SimulationDiverged

HISTORY_LENGTH = 1000
"""Lines kept in the history file."""


def history_file() -> Path:
    """Return the history file in the user's state folder."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "grouser" / "console_history"


@contextmanager
def line_editing(complete: Callable[[str], list[str]]) -> Iterator[None]:
    """Enable history and completion (``complete``: line -> words) of ``input`` inside the block."""
    try:
        import readline
    except ImportError:  # optional part of Python
        yield
        return
    file = history_file()
    with suppress(OSError):
        readline.read_history_file(file)
    readline.set_history_length(HISTORY_LENGTH)
    completions: list[str] = []

    def completer(_: str, number: int) -> str | None:
        nonlocal completions
        if number == 0:
            try:
                completions = complete(readline.get_line_buffer()[: readline.get_endidx()])
            except GrouserError:
                completions = []
        return f"{completions[number]} " if number < len(completions) else None

    readline.set_completer(completer)
    readline.set_completer_delims(" \t")
    readline.parse_and_bind("tab: complete")
    try:
        yield
    finally:
        readline.set_completer(None)
        lines = [
            readline.get_history_item(i + 1) for i in range(readline.get_current_history_length())
        ]
        with suppress(GrouserError, OSError):  # the folder may be read-only
            files.write_text(file, "".join(f"{line}\n" for line in lines[-HISTORY_LENGTH:]))


if TYPE_CHECKING:
    from grouser.simulation.simulation import Simulation

SLICE = 0.02
"""Simulated time per slice of a paced run, s, rounded to whole time steps."""
PROMPT = "grouser> "
EXIT_WORDS = ("exit", "quit")
"""Lines that end the console, as Ctrl-D does."""


class LineConsole(Protocol):
    """Executor of console lines."""

    def execute(self, line: str) -> str:
        """Return the answer to a line; raise `GrouserError` if it fails."""
        ...

    def complete(self, text: str) -> list[str]:
        """Return the completions of the last word of a line."""
        ...


def console(
    world: Annotated[
        str | None,
        typer.Argument(
            metavar="[WORLD]",
            show_default=False,
            help="A world file, or the name of a shipped one; omitted with --server.",
        ),
    ] = None,
    server: Annotated[
        str | None,
        typer.Option(
            metavar="HOST[:PORT]",
            show_default=False,
            help="Use the console of a running server; PORT is its control port, default 3000.",
        ),
    ] = None,
    token: Token = "",
    speed: Annotated[
        str,
        typer.Option(
            metavar="step|FACTOR",
            show_default="1.0 on a terminal, step otherwise",
            help="step: time passes only by lines such as 'step 2'; 1.0 is real time.",
        ),
    ] = "",
    seed: Seed = None,
) -> None:
    """Type console lines at a world: open a door, move a robot, fire an event ('help' lists all).

    The same lines work in world files and over the network. Tab completes, the arrow keys browse
    the history, Ctrl-D or 'exit' ends it. Lines may also come from a file or a pipe.

    For example:

    [cyan]grouser console gate[/]

    [cyan]grouser console gate < lines.txt[/]

    [cyan]grouser console --server simulator.local[/]
    """
    if (world is None) == (server is None):
        raise BadValue("console: either WORLD or --server HOST is required")
    if server is not None:
        with _connect(server, token) as remote:
            execute_lines(remote)
        return
    preflight.physics()
    from grouser.service.console import Console
    from grouser.simulation.simulation import Simulation
    from grouser.world.file import load

    factor = speed_factor(speed or ("1.0" if sys.stdin.isatty() else "step"), "step")
    simulation = Simulation(load(str(world)), seed=seed)
    if factor is None:
        execute_lines(Console(simulation, trusted=True, steps=True))
        return
    with RealTimeRun(simulation, factor) as lock:
        execute_lines(_LockedConsole(Console(simulation, trusted=True), lock))


def execute_lines(console: LineConsole) -> None:
    """Execute the lines of standard input; exit with 1 if a line of a pipe or file failed."""
    terminal, failed = sys.stdin.isatty(), False
    with line_editing(console.complete) if terminal else nullcontext():
        for line in _lines(terminal):
            if line.strip() in EXIT_WORDS:
                break
            try:
                answer = console.execute(line)
            except Disconnected:
                raise
            except GrouserError as error:
                print_error(str(error))
                failed = True
            else:
                if answer:
                    result_console().print(answer, markup=False, soft_wrap=True)
    if failed and not terminal:
        raise typer.Exit(1)


def _lines(terminal: bool) -> Iterator[str]:
    if not terminal:
        yield from sys.stdin
        return
    while True:
        try:
            yield input(PROMPT)
        except EOFError:
            result_console().print()
            return


class RealTimeRun:
    """Paced run in a background thread; prints events; ``with`` gives the simulation's lock."""

    def __init__(self, simulation: Simulation, factor: float) -> None:
        self._simulation, self._factor = simulation, factor
        self._lock, self._over = threading.Lock(), threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> threading.Lock:
        self._thread.start()
        return self._lock

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        from grouser.service.pace import RealTimePacer
        from grouser.simulation.changes.actions import Pause

        simulation, timestep = self._simulation, self._simulation.scene.timestep
        step = max(1, round(SLICE / timestep)) * timestep
        # max_lag=0: a simulation slower than the real-time factor does not catch up.
        pacer = RealTimePacer(self._factor, simulation.time, max_lag=0.0, sleep=self._over.wait)
        while not self._over.is_set():
            with self._lock:
                try:
                    if not simulation.paused:
                        simulation.step(step)
                except SimulationDiverged as error:
                    print_error(str(error))
                    simulation.apply(Pause(True))
                events, paused, now = simulation.drain_events(), simulation.paused, simulation.time
            for entry in events:
                result_console().print(str(entry), markup=False, soft_wrap=True)
            if paused:
                pacer.restart(now)
                self._over.wait(step / self._factor)
            else:
                pacer.sleep(now)


class _LockedConsole:
    """Console that holds a lock while a line is executed."""

    def __init__(self, console: LineConsole, lock: threading.Lock) -> None:
        self._console, self._lock = console, lock

    def execute(self, line: str) -> str:
        with self._lock:
            return self._console.execute(line)

    def complete(self, text: str) -> list[str]:
        with self._lock:
            return self._console.complete(text)


class _RemoteConsole:
    """Console of a server."""

    def __init__(self, request: Callable[[str], str]) -> None:
        self._request = request

    def execute(self, line: str) -> str:
        return self._request(line) if line.strip() else ""

    def complete(self, text: str) -> list[str]:
        return self._request(f"complete {text}.").splitlines()


@contextmanager
def _connect(server: str, token: str) -> Iterator[_RemoteConsole]:
    from grouser.client.address import parse_host_port
    from grouser.client.connection import connect
    from grouser.protocol.usarsim.codec import PORT

    host, port = parse_host_port(server, PORT, "--server")
    with connect(host=host, port=port, token=token or None) as connection:
        yield _RemoteConsole(connection.console)
