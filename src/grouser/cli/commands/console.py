"""``grouser console``: type lines at a world, in this process or at a server."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Annotated, Protocol

import typer

from grouser.cli import preflight
from grouser.cli.line_editing import line_editing
from grouser.cli.options import Seed, Token, speed_factor
from grouser.cli.terminal import complain, result_console
from grouser.errors import BadValue, Disconnected, GrouserError, SimulationDiverged

if TYPE_CHECKING:
    from grouser.simulation.simulation import Simulation

SLICE = 0.02
"""Simulated seconds that pass at once between two looks at the clock."""
PROMPT = "grouser> "
LEAVING = ("exit", "quit")
"""Words that end the typing, as Ctrl-D does."""


class LineConsole(Protocol):
    """Whatever carries out lines."""

    def execute(self, line: str) -> str:
        """Return the answer to a line, or raise why there is none."""
        ...

    def complete(self, text: str) -> list[str]:
        """Return how the last word of a line may go on."""
        ...


def console(
    world: Annotated[
        str | None,
        typer.Argument(
            metavar="[WORLD]",
            show_default=False,
            help="A world file, or the name of a shipped one; none with --server.",
        ),
    ] = None,
    server: Annotated[
        str | None,
        typer.Option(
            metavar="HOST[:PORT]",
            show_default=False,
            help="Type at a running server; PORT is its control port, 3000 if not given.",
        ),
    ] = None,
    token: Token = "",
    speed: Annotated[
        str,
        typer.Option(
            metavar="step|FACTOR",
            show_default="1.0 on a terminal, step otherwise",
            help="step: time passes only when told, 'step 2'; 1.0 is real time.",
        ),
    ] = "",
    seed: Seed = None,
) -> None:
    """Type lines at a world: open a door, move a robot, fire an event ('help' lists all).

    The same lines work in world files and over the wire. Tab completes, the arrows go through what
    was typed before, Ctrl-D or 'exit' ends it. Lines may also come from a file or a pipe.

    For example:

    [cyan]grouser console gate[/]

    [cyan]grouser console gate < lines.txt[/]

    [cyan]grouser console --server simulator.local[/]
    """
    if (world is None) == (server is None):
        raise BadValue("console: a WORLD or --server HOST is needed, and not both")
    if server is not None:
        with _connect(server, token) as remote:
            answer_lines(remote)
        return
    preflight.physics()
    from grouser.service.console import Console
    from grouser.simulation.simulation import Simulation
    from grouser.world.file import load

    factor = speed_factor(speed or ("1.0" if sys.stdin.isatty() else "step"), "step")
    simulation = Simulation(load(str(world)), seed=seed)
    if factor is None:
        answer_lines(Console(simulation, trusted=True, steps=True))
        return
    with RealTimeRun(simulation, factor) as lock:
        answer_lines(_Locked(Console(simulation, trusted=True), lock))


def answer_lines(console: LineConsole) -> None:
    """Answer lines until there are no more; leave with 1 if a piped one failed."""
    terminal, failed = sys.stdin.isatty(), False
    with line_editing(console.complete) if terminal else nullcontext():
        for line in _lines(terminal):
            if line.strip() in LEAVING:
                break
            try:
                answer = console.execute(line)
            except Disconnected:
                raise
            except GrouserError as error:
                complain(str(error))
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
    """Lets a simulation run by the clock in a thread, and prints what happens in it.

    Its ``with`` block is given the lock under which others may touch the simulation.
    """

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
        from grouser.simulation.changes.actions import Pause

        due = time.perf_counter()
        while not self._over.is_set():
            with self._lock:
                try:
                    if not self._simulation.paused:
                        self._simulation.step(SLICE)
                except SimulationDiverged as error:
                    complain(str(error))
                    self._simulation.do(Pause(True))
                happened = self._simulation.drain_events()
            for entry in happened:
                result_console().print(str(entry), markup=False, soft_wrap=True)
            # A world that is too slow for its clock is late, and does not try to catch up.
            due = max(due + SLICE / self._factor, time.perf_counter())
            self._over.wait(due - time.perf_counter())


class _Locked:
    """A console that waits until nobody else touches its simulation."""

    def __init__(self, console: LineConsole, lock: threading.Lock) -> None:
        self._console, self._lock = console, lock

    def execute(self, line: str) -> str:
        with self._lock:
            return self._console.execute(line)

    def complete(self, text: str) -> list[str]:
        with self._lock:
            return self._console.complete(text)


class _RemoteConsole:
    """A console at the far end of a wire."""

    def __init__(self, ask: Callable[[str], str]) -> None:
        self._ask = ask

    def execute(self, line: str) -> str:
        return self._ask(line) if line.strip() else ""

    def complete(self, text: str) -> list[str]:
        return self._ask(f"complete {text}.").splitlines()


@contextmanager
def _connect(server: str, token: str) -> Iterator[_RemoteConsole]:
    from grouser.client.address import parse_host_port
    from grouser.client.connection import connect
    from grouser.protocol.usarsim.codec import PORT

    host, port = parse_host_port(server, PORT, "--server")
    with connect(host=host, port=port, token=token or None) as connection:
        yield _RemoteConsole(connection.console)
