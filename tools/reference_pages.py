"""Generate the reference pages of the documentation from models and command line.

``make docs`` adds them to the site; ``python tools/reference_pages.py FOLDER`` writes files. The
meaning of a field is the docstring below it; its default is that of the model.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import itertools
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer
from pydantic import BaseModel

from grouser.cli import app
from grouser.physics.compliance import Compliance
from grouser.robots.kinds import ROBOTS
from grouser.sensors.sensor import SENSORS, MountKeys
from grouser.world.events import Event
from grouser.world.file import RobotEntry, Start, View, World
from grouser.world.match import Match
from grouser.world.objects import OBJECTS
from grouser.world.physics_settings import Contact, PhysicsSettings
from grouser.world.radio import RadioModel
from grouser.world.terrain.kinds import TERRAINS
from grouser.world.triggers import TRIGGERS

PARTS: Mapping[str, type[BaseModel]] = {
    "the world": World,
    "physics": PhysicsSettings,
    "physics.contact, robots.*.contact": Compliance,
    "physics.solver_contact": Contact,
    "robots.*": RobotEntry,
    "starts.*": Start,
    "events.*": Event,
    "match": Match,
    "radio": RadioModel,
    "view": View,
}
"""Parts of a world file without kinds, by path."""

NAME_MEANING = "Name on its robot."


def pages() -> dict[str, str]:
    """Return every reference page as Markdown, by file name."""
    return {
        "world-file.md": _world_file(),
        "terrains.md": _kinds("Kinds of terrain", "terrain", TERRAINS),
        "objects.md": _kinds("Kinds of object", "objects", OBJECTS),
        "triggers.md": _kinds("Kinds of trigger", "triggers", TRIGGERS),
        "robots.md": _robots(),
        "sensors.md": _sensors(),
        "commands.md": _commands(),
        "python.md": _python(),
    }


def _python() -> str:
    """Return the Python reference: every exported name, by package, for mkdocstrings."""
    source = Path(__file__).parent.parent / "src"
    lines = [
        "# Python API",
        "",
        "All names that the packages export. Other names are internal and may change.",
    ]
    for stub in sorted(source.rglob("__init__.pyi"), key=lambda path: len(path.parts)):
        package = ".".join(stub.parent.relative_to(source).parts)
        lines += ["", f"## {package}"]
        for node in ast.parse(stub.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    name = alias.asname or alias.name
                    lines += ["", f"### {package}.{name}", "", f"::: {node.module}.{alias.name}"]
    return "\n".join(lines) + "\n"


def meanings(model: type) -> dict[str, str]:
    """Return the docstring below each field of a class, including base classes."""
    found: dict[str, str] = {}
    for kind in reversed(model.__mro__):
        if not kind.__module__.startswith("grouser"):
            continue
        body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0].body  # type: ignore[attr-defined]
        for field, below in itertools.pairwise(body):
            match field, below:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(ast.Constant(str(text))):
                    found[name] = " ".join(inspect.cleandoc(text).split())
    return found


def _world_file() -> str:
    lines = [
        "# The world file",
        "A world file is YAML with the keys below. Only `name` and `terrain` are required;",
        "`grouser show WORLD` prints a file with all defaults.",
    ]
    for part, model in PARTS.items():
        lines += ["", f"## {part}", "", _first(model), "", *_model_table(model)]
    return "\n".join(lines) + "\n"


def _kinds(title: str, part: str, table: Mapping[str, type[BaseModel]]) -> str:
    lines = [f"# {title}", f"Each is an item of `{part}:` in a world file, `{{kind: NAME, …}}`."]
    for kind, model in table.items():
        lines += ["", f"## {kind}", "", _first(model), "", *_model_table(model)]
    return "\n".join(lines) + "\n"


def _robots() -> str:
    lines = [
        "# Kinds of robot",
        "Each is an item of `robots:` in a world file,",
        "`{name: a, kind: NAME, position: [0, 0]}`; the tables list its `options`.",
    ]
    for kind, place in ROBOTS.items():
        module, name = place.split(":")
        lines += ["", f"## {kind}", "", _first(importlib.import_module(module)), ""]
        lines += _model_table(getattr(importlib.import_module(module), name))
    return "\n".join(lines) + "\n"


def _sensors() -> str:
    pose = ", ".join(f"`{key}`" for key in MountKeys.model_fields)
    lines = [
        "# Kinds of sensor",
        "Each is an item of a robot's `sensors:`, `{kind: NAME, …}`. Sensors with a pose have",
        f"`mount` (a body of the robot) and {pose}",
        "in it (m, deg).",
    ]
    for kind, place in SENSORS.items():
        module, name = place.split(":")
        model = getattr(importlib.import_module(module), name)
        lines += ["", f"## {kind}", "", _first(model), "", *_model_table(model, leave_out="X_MS")]
    return "\n".join(lines) + "\n"


def _commands() -> str:
    lines = ["# Commands", "`grouser COMMAND --help` prints the same."]
    group: Any = typer.main.get_command(app)
    for name, command in group.commands.items():
        arguments = [p for p in command.params if p.param_type_name == "argument"]
        usage = " ".join(["grouser", name, *(str(p.metavar or p.name.upper()) for p in arguments)])
        about = inspect.cleandoc(command.help or "").partition("\n\n")[0]
        lines += ["", f"## {name}", "", f"`{usage}`", "", _plain(about), "", "| option | meaning |"]
        lines.append("| --- | --- |")
        for parameter in command.params:
            title = "/".join((*parameter.opts, *parameter.secondary_opts))
            if parameter.param_type_name == "argument":
                title = str(parameter.metavar or parameter.name)
            lines.append(_row(f"`{title}`", _plain(parameter.help or "")))
    return "\n".join(lines) + "\n"


def _model_table(model: type[BaseModel], leave_out: str = "") -> list[str]:
    descriptions, lines = meanings(model), ["| key | default | meaning |", "| --- | --- | --- |"]
    for key, field in model.model_fields.items():
        if (key == "kind" and not field.is_required()) or key == leave_out:
            continue  # the kind is in the heading
        default = (
            "**required**"
            if field.is_required()
            else _value(field.get_default(call_default_factory=True))
        )
        meaning = descriptions.get(key, NAME_MEANING if key == "name" else "")
        lines.append(_row(f"`{key}`", default, meaning))
    return lines if len(lines) > 2 else ["No options."]


def _value(value: Any) -> str:
    """Return a default in world-file notation, or a short description."""
    match value:
        case None:
            return "none"
        case bool():
            return str(value).lower()
        case int() | float() | str():
            return f"`{value}`" if value != "" else "empty"
        case tuple() | list() | dict() if not value:
            return "none"
        case tuple() if all(isinstance(part, int | float | str) for part in value):
            return f"`[{', '.join(map(str, value))}]`"
    return "standard"


def _first(thing: Any) -> str:
    """Return the first paragraph of a docstring."""
    return " ".join((inspect.getdoc(thing) or "").partition("\n\n")[0].split())


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _plain(text: str) -> str:
    """Return help text without colour markup."""
    for mark in ("[cyan]", "[bold cyan]", "[/]"):
        text = text.replace(mark, "`")
    return " ".join(text.split())


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for file, content in pages().items():
        (folder / file).write_text(content, encoding="utf-8")
