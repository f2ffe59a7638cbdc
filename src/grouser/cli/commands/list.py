"""``grouser list``: names of a kind, with one line about each.

The lines are docstrings, read without importing the modules, so that no optional package is needed.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import util
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from grouser.cli import preflight
from grouser.cli.terminal import plain_table, result_console
from grouser.errors import unknown


def _robots() -> dict[str, str]:
    from grouser.robots.kinds import robot_kinds

    return _docstrings(robot_kinds(), of_modules=True)


def _tracks() -> dict[str, str]:
    from grouser.tracks.track import track_methods

    return _docstrings(track_methods())


def _sensors() -> dict[str, str]:
    from grouser.sensors.sensor import sensor_kinds

    return _docstrings(sensor_kinds())


def _terrains() -> dict[str, str]:
    from grouser.world.terrain.kinds import TERRAINS

    return {name: _first_line(inspect.getdoc(kind)) for name, kind in TERRAINS.items()}


def _planners() -> dict[str, str]:
    from grouser.planning.paths import planners

    return _docstrings(planners())


def _runners() -> dict[str, str]:
    from grouser.trials.runner import runners

    return _docstrings(runners())


def _gateways() -> dict[str, str]:
    from grouser.gateways.gateway import gateway_kinds

    return _docstrings(gateway_kinds())


def _worlds() -> dict[str, str]:
    from grouser.world.file import load, shipped

    return {name: _first_line(load(name).description) for name in shipped()}


def _logs() -> dict[str, str]:
    from grouser.evaluation.trajectory import log_title, shipped_logs

    return {name: log_title(path) for name, path in shipped_logs().items()}


def _experiments() -> dict[str, str]:
    from grouser.experiments import EXPERIMENTS

    return _docstrings(EXPERIMENTS)


def _benches() -> dict[str, str]:
    from grouser.benches import BENCHES

    return _docstrings(BENCHES)


@dataclass(frozen=True)
class _Kind:
    """Kind of object that can be listed."""

    entries: Callable[[], dict[str, str]]
    """Returns name -> one line."""
    use: str
    """Example of use."""


KINDS: dict[str, _Kind] = {
    "worlds": _Kind(_worlds, "grouser run NAME"),
    "logs": _Kind(_logs, "grouser compare NAME run.csv, after grouser run WORLD --log run.csv"),
    "experiments": _Kind(_experiments, "grouser experiment NAME --quick"),
    "benches": _Kind(_benches, "grouser bench NAME"),
    "robots": _Kind(
        _robots, "in a world file:  robots: [{name: r1, kind: NAME, position: [0, 0]}]"
    ),
    "terrains": _Kind(_terrains, "in a world file:  terrain: [{kind: NAME, …}]"),
    "tracks": _Kind(_tracks, 'in Python:  Track(method="NAME", …)'),
    "planners": _Kind(_planners, "grouser plan WORLD --planner NAME"),
    "runners": _Kind(_runners, "grouser sweep ROBOT --runner NAME:4"),
    "gateways": _Kind(_gateways, "grouser serve WORLD --gateway NAME:port=PORT"),
    "sensors": _Kind(_sensors, 'in Python:  sim.read("robot", "NAME")'),
}
"""Kind -> its entries."""


def list_kind(
    kind: Annotated[
        str, typer.Argument(metavar="KIND", show_default=False, help=f"One of {', '.join(KINDS)}.")
    ],
    plain: Annotated[bool, typer.Option("--plain", help="Print names only, one per line.")] = False,
) -> None:
    """List the names of a kind, such as worlds, robots, experiments or sensors.

    For example:

    [cyan]grouser list worlds[/]

    [cyan]for e in $(grouser list experiments --plain); do grouser experiment $e; done[/]
    """
    if kind not in KINDS:
        raise unknown("list", "kind", kind, KINDS)
    preflight.physics()
    entries = KINDS[kind].entries()
    console = result_console()
    if plain:
        for name in entries:
            console.print(Text(name), soft_wrap=True)
        return
    grid = plain_table()
    grid.add_column(style="bold cyan", no_wrap=True)
    grid.add_column()
    for name, line in entries.items():
        grid.add_row(Text(name), Text(line))
    console.print(grid)
    if console.is_terminal:
        console.print(Text(f"\n{KINDS[kind].use}", "dim"))


def _docstrings(table: Mapping[str, str], *, of_modules: bool = False) -> dict[str, str]:
    """Return one docstring line per entry, of its class or, with ``of_modules``, of its module."""
    targets = {
        name: target.partition(":")[0] if of_modules else target for name, target in table.items()
    }
    return {name: docstring_line(target) for name, target in targets.items()}


def docstring_line(target: str) -> str:
    """Return the first docstring line of ``module:Class`` or a function, or of its module."""
    module, _, attribute = target.partition(":")
    try:
        spec = util.find_spec(module)
    except Exception:  # the package around a plug-in's module is imported; it may raise anything
        spec = None
    if spec is None or spec.origin is None:
        return ""
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    defined = (node for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef))
    documented = next((node for node in defined if node.name == attribute), tree)
    return _first_line(ast.get_docstring(documented))


def _first_line(text: str | None) -> str:
    return (text or "").strip().partition("\n")[0]
