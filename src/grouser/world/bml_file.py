"""Importer of ``bml_vrep`` configuration files (V-REP scenes of the roach report) as world files.

::

    scene_file: "empty.ttt"
    objects: [{model_filename: "stl_object.ttm", stl_filename: "double_bridge.stl",
               position: [0.0, 0.0, 0.0], orientation: [0.0, 0.0, 0.0, 1.0]}]
    robots: [{model_filename: "6leg_crawler_non_threaded.ttm",
              position: [0.0, -1.6, 0.045], orientation: [0, 0.0, 0, 1]}]

(Appendix B.) Orientations are quaternions x, y, z, w. Positions of robots are those of their
models' origins; Grouser's robots stand with their feet there. Friction and physics settings, which
the format lacks, are those of the shipped roach worlds. STL files become terrain of kind ``mesh``;
objects without one, such as V-REP's clock, are left out. `ImportedWorld.notices` lists both.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from pydantic import ValidationError

from grouser import files
from grouser.description import KeyPath
from grouser.errors import BadValue, WorldFileError, nearest, unknown
from grouser.frames import Array, degrees, to_rpy
from grouser.world.terrain.mesh import MeshGround
from grouser.world.yaml_source import MOST_BYTES, Source, read_yaml

ROBOT_MODELS: dict[str, tuple[str, float]] = {
    "6leg_crawler_non_threaded": ("velociroach", 0.045)  # appendix B: it stands on z = 0
}
"""V-REP's model → Grouser's kind of robot, and the height of the model's origin above ground, m."""

GOAL_MODEL = "6leg_crawler_dummy"
"""V-REP's model of a robot without contacts; it marks the goal (section 6.1)."""
GOAL_RADIUS = 0.05  # section 6.1: "navigate to a point within 5 cm"
GOAL_HEIGHT = 0.4

FRICTION = 0.6
PHYSICS: dict[str, Any] = {  # as in the experiments on the report's bridges
    "timestep": 0.0016,
    "integrator": "discrete",
    "springs": "start",
    "cone": "elliptic",
    "solver": "newton",
    "iterations": 50,
    "tolerance": 1e-10,
    "impratio": 20000,
}


@dataclass(frozen=True)
class ImportedWorld:
    """World file converted from another format, and notices about omissions."""

    text: str
    """The world file, YAML."""
    notices: tuple[str, ...]
    """One sentence for each part that was left out or replaced."""


def import_bml(path: Path, cell: float | None = None, folder: Path | None = None) -> ImportedWorld:
    """Read a ``bml_vrep`` configuration file into a world file.

    Args:
        path: the configuration file; its STL files are in the same folder.
        cell: grid spacing of a height map made of a mesh, m; None: as fine as needed.
        folder: folder of the world file, to which mesh paths are relative; None: that of ``path``.

    Raises:
        WorldFileError: the file is no such configuration, or refers to a missing file.
        UnknownName: it names an unknown robot model.
    """
    try:
        text = files.read_text(path, MOST_BYTES)
    except BadValue as error:
        raise WorldFileError(f"{path}: {error}") from None
    return _Import(read_yaml(text, str(path)), path, cell, folder or path.parent).world()


class _Import:
    """Conversion of one configuration file."""

    def __init__(self, source: Source, path: Path, cell: float | None, folder: Path) -> None:
        self._source, self._path, self._cell, self._folder = source, path, cell, folder
        self._notices: list[str] = []

    def world(self) -> ImportedWorld:
        data = self._source.data
        if not isinstance(data, dict) or not {"objects", "robots"} & set(data):
            raise WorldFileError(
                f"{self._path}: is no configuration of bml_vrep: neither objects nor robots given"
            )
        scene = data.get("scene_file", "empty.ttt")
        if scene != "empty.ttt":
            self._notices.append(f"scene_file {scene} is not read: a level floor stands for it")
        terrain = [{"kind": "flat", "friction": FRICTION}, *self._ground()]
        robots, goals = self._robots()
        world: dict[str, Any] = {
            "name": self._path.stem[:80],
            "description": f"Imported from {self._path.name}, a configuration of bml_vrep.",
            "physics": PHYSICS,
            "terrain": terrain,
            "robots": robots,
            "triggers": goals,
        }
        places = [thing["position"] for thing in (*robots, *goals)]
        if places:
            middle = np.mean(places, axis=0)
            reach = float(np.ptp(places, axis=0).max())
            world["view"] = {
                "lookat": middle.round(4).tolist(),
                "distance": round(1.2 * reach + 1, 4),
            }
        kept = {key: value for key, value in world.items() if value}
        text = yaml.safe_dump(kept, sort_keys=False, allow_unicode=True, width=100)
        return ImportedWorld(text, tuple(self._notices))

    def _ground(self) -> list[dict[str, Any]]:
        pieces = []
        for path, entry in self._entries("objects"):
            if "stl_filename" not in entry:
                name = entry.get("model_filename", "without a name")
                self._notices.append(f"object {name} has no stl_filename: left out")
                continue
            place, turns = self._pose(path, entry)
            stl = self._stl(path, entry["stl_filename"])
            pieces.append(self._mesh(stl, place, turns, (*path, "stl_filename")))
        return pieces

    def _stl(self, path: KeyPath, name: Any) -> Path:
        """Return the STL file of this name beside the configuration."""
        folder = self._path.parent
        if not isinstance(name, str):
            raise self._wrong((*path, "stl_filename"), f"{name!r} is no file name")
        if not (folder / name).is_file():
            there = sorted(f.name for f in folder.iterdir() if f.suffix.lower() == ".stl")
            listing = ", ".join(there) or "none"
            raise self._wrong(
                (*path, "stl_filename"),
                f"'{name}' is no file in {folder} (STL files there: {listing})"
                f"{nearest(name, there)}",
            )
        return folder / name

    def _mesh(
        self, stl: Path, place: Array, turns: tuple[float, ...], key: KeyPath
    ) -> dict[str, Any]:
        """Return an STL file as terrain, its own origin at ``place`` (m), turned (rad)."""
        entry: dict[str, Any] = {
            "kind": "mesh",
            "file": Path(os.path.relpath(stl.resolve(), self._folder.resolve())).as_posix(),
            **dict(zip("xyz", (place + 0.0).round(9).tolist(), strict=True)),
            "friction": FRICTION,
        }
        for name, turn in zip(("roll_deg", "pitch_deg", "yaw_deg"), turns, strict=True):
            if turn:
                entry[name] = round(degrees(turn), 6)
        if self._cell is not None:
            entry["cell"] = self._cell
        context = {"folder": self._folder}
        try:
            choice = MeshGround.model_validate(entry, context=context).choice()
        except ValidationError as error:
            reason = error.errors()[0]["msg"]
            entry["collide"] = "height_map"
            try:
                choice = MeshGround.model_validate(entry, context=context).choice()
            except ValidationError:
                raise self._wrong(key, f"'{stl.name}', {reason}") from None
            self._notices.append(f"{stl.name} {reason.removeprefix('which ')}")
        self._notices.append(f"{stl.name} becomes a {choice.taken}".replace("a 1 ", "1 "))
        return entry

    def _robots(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Return the robots, and the goals as trigger volumes."""
        robots: list[dict[str, Any]] = []
        goals: list[dict[str, Any]] = []
        for path, entry in self._entries("robots"):
            model = str(entry.get("model_filename", "")).removesuffix(".ttm")
            place, turns = self._pose(path, entry)
            if model == GOAL_MODEL:
                name = "goal" if not goals else f"goal_{len(goals) + 1}"
                volume = {"name": name, "kind": "cylinder", "position": place.tolist()}
                volume |= {"radius": GOAL_RADIUS, "length": GOAL_HEIGHT, "by": ["robots"]}
                goals.append(volume | {"do": [f"say {{who}} is at the {name}"]})
                continue
            if model not in ROBOT_MODELS:
                where = self._source.position((*path, "model_filename")).text
                raise unknown(where, "robot model", model, (*ROBOT_MODELS, GOAL_MODEL))
            kind, origin = ROBOT_MODELS[model]
            name = kind if not robots else f"{kind}_{len(robots) + 1}"
            place = (place - [0.0, 0.0, origin]).round(9)
            robot: dict[str, Any] = {"name": name, "kind": kind, "position": place.tolist()}
            for key, turn in zip(("roll_deg", "pitch_deg", "yaw_deg"), turns, strict=True):
                robot[key] = round(degrees(turn), 6)
            robots.append(robot)
        return robots, goals

    def _entries(self, key: str) -> list[tuple[KeyPath, dict[str, Any]]]:
        entries = self._source.data.get(key) or []
        if not isinstance(entries, list):
            raise self._wrong((key,), "must be a list")
        for i, entry in enumerate(entries):
            if not isinstance(entry, dict):
                raise self._wrong((key, i), f"must be a mapping, not {entry!r}")
        return [((key, i), entry) for i, entry in enumerate(entries)]

    def _pose(self, path: KeyPath, entry: dict[str, Any]) -> tuple[Array, tuple[float, ...]]:
        """Return an entry's position, m, and roll, pitch and yaw, rad."""
        place = self._numbers(path, entry, "position", [0.0, 0.0, 0.0])
        x, y, z, w = self._numbers(path, entry, "orientation", [0.0, 0.0, 0.0, 1.0])
        length = math.hypot(x, y, z, w)
        if not 0.99 < length < 1.01:
            raise self._wrong(
                (*path, "orientation"),
                f"must be a unit quaternion x, y, z, w; its length is {length:g}",
            )
        return np.array(place), tuple((to_rpy(np.array([w, x, y, z]) / length) + 0.0).tolist())

    def _numbers(
        self, path: KeyPath, entry: dict[str, Any], key: str, default: list[float]
    ) -> list[float]:
        value = entry.get(key, default)
        fits = isinstance(value, list) and len(value) == len(default)
        if not fits or not all(
            isinstance(v, int | float) and not isinstance(v, bool) for v in value
        ):
            raise self._wrong((*path, key), f"must be {len(default)} numbers, not {value!r}")
        return [float(v) for v in value]

    def _wrong(self, path: KeyPath, sentence: str) -> WorldFileError:
        key = ".".join(map(str, path))
        return WorldFileError(f"{self._source.position(path).text}: {key}: {sentence}")
