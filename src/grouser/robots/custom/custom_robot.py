"""Robot files: loading, overrides, validation; `CustomRobot` is the loaded description."""

from __future__ import annotations

import copy
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from grouser import files
from grouser.description import display_value
from grouser.errors import BadValue, WorldFileError, nearest
from grouser.robots.custom.assembly import assemble
from grouser.robots.custom.model_files import model_file_paths, resolve_model
from grouser.robots.custom.robot_file import MODEL_ENDINGS, RobotFile
from grouser.robots.robot import Robot
from grouser.world.validation_errors import world_file_error
from grouser.world.yaml_source import MOST_BYTES, Source, put, read_yaml


@dataclass(frozen=True, kw_only=True)
class CustomRobot:
    """Robot from a file; equal if file, options and model files are equal."""

    path: Path
    """The robot file."""
    source_json: str
    """Content of the file with options applied, as JSON."""
    digests: tuple[tuple[str, str], ...] = ()
    """Model and mesh files with their SHA-256."""
    spec: RobotFile = field(compare=False, repr=False)
    """Validated content."""

    @property
    def display_name(self) -> str:
        """Name in the file; class name on the wire."""
        return self.spec.name

    @property
    def model_path(self) -> Path | None:
        """URDF or MJCF file of the model."""
        return resolve_model(self.path.parent, self.spec.model) if self.spec.model else None

    def number(self, path: str) -> float | None:
        """Return a number of the file by its path (``centre.0``); None: not given."""
        inside: Any = json.loads(self.source_json)
        for step in path.split("."):
            inside = _item(inside, step)
        return float(inside) if isinstance(inside, int | float) else None

    def build(self) -> Robot:
        """Return the robot."""
        return assemble(self.spec, self.path)


def load_robot(path: Path | str, options: Mapping[str, Any] | None = None) -> CustomRobot:
    """Read a robot file.

    Args:
        path: the YAML file; a URDF or MJCF is a robot without additions.
        options: overrides, nested as in the file or by path (``tracks.0.width``).

    Raises:
        WorldFileError: the file or an option is invalid.
    """
    file = Path(path)
    if file.suffix.lower() in MODEL_ENDINGS:
        text = f"name: {model_name(file)}\nmodel: {json.dumps(file.name)}\n"
    else:
        text = _read(file)
    source = read_yaml(text, str(path))
    if not isinstance(source.data, dict):
        given = display_value(source.data)
        raise WorldFileError(f"{path} line 1: the robot is {given}, a mapping is needed")
    source = Source(copy.deepcopy(source.data), dict(source.positions))
    for steps, value in _paths(options or {}, source.data):
        put(source, steps, value, f"{path}: option '{'.'.join(steps)}'", {})
    try:
        spec = RobotFile.model_validate(source.data)
    except ValidationError as error:
        raise world_file_error(error, source, {}, "the robot") from None
    model = None
    if spec.model is not None:
        model = _model(file, spec.model, source.position(("model",)).text or str(path))
    return CustomRobot(
        path=file.resolve(),
        source_json=json.dumps(source.data, sort_keys=True),
        digests=_digests(model) if model else (),
        spec=spec,
    )


def model_name(file: Path) -> str:
    """Return a valid robot name made from a file's stem."""
    fit = "".join(c if c.isascii() and (c.isalnum() or c in "_-") else "_" for c in file.stem)
    return (fit if fit[:1].isalpha() else f"r{fit}")[:40]


def _read(file: Path) -> str:
    if not os.path.exists(file):
        try:
            beside = [f.name for f in file.parent.iterdir() if f.suffix in (".yaml", ".yml")]
        except OSError:
            beside = []
        hint = nearest(file.name, beside)
        raise WorldFileError(f"{file}: there is no such robot file{hint}")
    try:
        return files.read_text(file, MOST_BYTES)
    except BadValue as error:
        raise WorldFileError(f"{file}: {error}") from None


def _model(file: Path, given: str, where: str) -> Path:
    """Return the existing model file that a robot file names."""
    try:
        model = resolve_model(file.resolve().parent, given)
    except BadValue as error:
        raise WorldFileError(f"{where}: {error}") from None
    if model.is_file():
        return model
    folder = (file.parent / given).parent
    beside = sorted(f.name for f in folder.iterdir()) if folder.is_dir() else []
    models = [name for name in beside if name.lower().endswith(MODEL_ENDINGS)]
    raise WorldFileError(
        f"{where}: model is '{model.name}', which is no file in {folder} "
        f"(there is: {', '.join(models) or 'no model'}){nearest(model.name, models)}"
    )


def _digests(model: Path) -> tuple[tuple[str, str], ...]:
    """Return the SHA-256 of the model and its meshes: a changed mesh makes another robot."""
    return tuple(
        (str(file), hashlib.sha256(file.read_bytes()).hexdigest())
        for file in model_file_paths(model)
    )


def _paths(options: Mapping[str, Any], data: Any) -> Iterator[tuple[list[str], Any]]:
    """Yield every value of ``options`` with its path; recurse into mappings that the file has."""
    for key, value in options.items():
        steps = key.split(".")
        inside = data
        for step in steps:
            inside = _item(inside, step)
        if isinstance(value, Mapping) and isinstance(inside, dict | list):
            for further, leaf in _paths(value, inside):
                yield [*steps, *further], leaf
        else:
            yield steps, value


def _item(data: Any, step: str) -> Any:
    if isinstance(data, dict):
        return data.get(step)
    if isinstance(data, list):
        named = [item for item in data if isinstance(item, dict) and item.get("name") == step]
        if named:
            return named[0]
        if step.isdigit() and int(step) < len(data):
            return data[int(step)]
    return None
