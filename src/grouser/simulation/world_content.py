"""Content of a world: a hash that covers the files it names, and transfer by content.

A world names files: meshes, height maps, robot files with their models and meshes, routines of
events. `world_content` lists them by SHA-256. The hash of a world is that of its description with
every file name replaced by the file's content: it depends neither on the process, nor on the folder
of the files, nor on the order of keys.

A sender passes `WorldContent.description` and the bytes of `WorldContent.sources`; each hash is
sent once. `WorldStore` writes the files to a folder and returns the world, which then names these
files. Descriptions are pickles; a store that is not trusted accepts descriptions only.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import os
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel

from grouser import files
from grouser.errors import BadValue
from grouser.robots.custom.custom_robot import CustomRobot
from grouser.robots.custom.model_files import PACKAGE
from grouser.robots.kinds import describe, is_file
from grouser.simulation import references
from grouser.world.file import World


@dataclass(frozen=True)
class FileTree:
    """Files that are read together, such as a robot file with its model and meshes, by content."""

    main: str
    """File to open, relative to the top of the tree; ``.`` is the top itself."""
    members: tuple[tuple[str, str], ...] = ()
    """Path relative to the top and SHA-256 of each file, sorted."""
    installed: tuple[tuple[str, str], ...] = ()
    """Name and SHA-256 of files that belong to an installed package; they are not sent."""

    @property
    def contents(self) -> frozenset[str]:
        """SHA-256 of all files."""
        return frozenset(digest for _, digest in (*self.members, *self.installed))


@dataclass(frozen=True, eq=False)
class WorldContent:
    """A world by content; returned by `world_content`."""

    digest: str
    """SHA-256 of the description and of all files that it names."""
    description: bytes
    """Pickled world that refers to files by content."""
    sources: Mapping[str, Path]
    """SHA-256 of each file → its path here."""


def content_hash(world: World) -> str:
    """Return the SHA-256 of a world and of all files that it names.

    Equal in every process, for any order of keys, and wherever the files are.
    """
    return world_content(world).digest


def world_content(world: World) -> WorldContent:
    """Return hash, description and files of ``world``.

    Raises:
        BadValue: a robot of the world cannot be described, or an option cannot be pickled.
    """
    inventory = _Inventory()
    inventory.add_robots(world)
    inventory.add_routines(world)
    plain = {name: inventory.plain(getattr(world, name)) for name in type(world).model_fields}
    for robot, entry in zip(plain["robots"], world.robots, strict=True):
        robot["kind"] = "file" if is_file(entry.kind) else entry.kind
        robot["files"] = inventory.robots.get(entry.kind)
    plain["routines"] = inventory.trees.get(world.folder) if world.folder else None
    text = json.dumps(plain, sort_keys=True, default=dataclasses.asdict)
    return WorldContent(sha256(text.encode()), inventory.dump(world), inventory.sources)


def sha256(content: bytes) -> str:
    """Return the SHA-256 of ``content`` in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


@functools.lru_cache(maxsize=1024)
def _file_digest(path: Path, changed: int, size: int) -> str:
    """Return the SHA-256 of a file; cached until its time of modification or its size changes."""
    return sha256(path.read_bytes())


@dataclass(eq=False)
class _Inventory:
    """Files that a world names."""

    sources: dict[str, Path] = field(default_factory=dict)
    """SHA-256 of each file that is sent → its path."""
    trees: dict[Path, FileTree] = field(default_factory=dict)
    """By the path in the description."""
    robots: dict[str, FileTree] = field(default_factory=dict)
    """By the kind of a robot."""

    def add_robots(self, world: World) -> None:
        """Add all robot files with their models and meshes."""
        for number, entry in enumerate(world.robots):
            where = world.where("robots", number, "kind")
            robot = describe(entry.kind, entry.options, where)
            if not isinstance(robot, CustomRobot):
                continue
            paths = [robot.path, *(Path(os.path.abspath(path)) for path, _ in robot.digests)]
            packaged = robot.spec.model is not None and robot.spec.model.startswith(PACKAGE)
            sent = 0 if not is_file(entry.kind) else 1 if packaged else len(paths)
            tree = self._tree(paths[:sent], robot.path)
            installed = sorted((path.name, self._digest(path)) for path in paths[sent:])
            self.robots[entry.kind] = dataclasses.replace(tree, installed=tuple(installed))

    def add_routines(self, world: World) -> None:
        """Add the modules beside the world file that its events call."""
        if world.folder is None:
            return
        top, modules = world.folder.absolute(), list[Path]()
        for name in sorted({event.call.partition(":")[0] for event in world.events if event.call}):
            part = name.partition(".")[0]
            modules += [top / f"{part}.py", *sorted((top / part).rglob("*.py"))]
        if present := [path for path in modules if path.is_file()]:
            self.trees[world.folder] = self._tree(present, top, top)

    def plain(self, value: Any) -> Any:
        """Return a part of a description as JSON values, with files as trees."""
        if isinstance(value, BaseModel):
            fields = {name: self.plain(getattr(value, name)) for name in type(value).model_fields}
            return {"type": type(value).__name__, **fields}
        if isinstance(value, Mapping):
            return {str(key): self.plain(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.plain(item) for item in value]
        if isinstance(value, Path):
            if value not in self.trees:
                self.trees[value] = self._tree([value.absolute()], value.absolute())
            return self.trees[value]
        if isinstance(value, np.generic):
            return value.item()
        if value is None or isinstance(value, bool | int | float | str):
            return value
        return {"pickle": sha256(_pickle_bytes(value))}

    def dump(self, world: World) -> bytes:
        """Return the pickled world with references to file trees."""
        return references.dump(
            (world, self.robots),
            lambda part: self.trees.get(part) if isinstance(part, Path) else None,
        )

    def _tree(self, paths: Sequence[Path], main: Path, top: Path | None = None) -> FileTree:
        """Return the tree of ``paths`` below ``top``; None: below their common folder."""
        if not paths:
            return FileTree(main.name)
        common = top or Path(os.path.commonpath([path.parent for path in paths]))
        members = {path.relative_to(common).as_posix(): self._digest(path) for path in paths}
        self.sources |= {self._digest(path): path for path in paths}
        return FileTree(main.relative_to(common).as_posix(), tuple(sorted(members.items())))

    def _digest(self, path: Path) -> str:
        try:
            status = path.stat()
            return _file_digest(path, status.st_mtime_ns, status.st_size)
        except OSError as error:
            raise BadValue(f"{path}: cannot be read ({error.strerror})") from error


def _pickle_bytes(value: object) -> bytes:
    try:
        return pickle.dumps(value, protocol=4)
    except Exception as error:  # a user's class may raise anything
        raise BadValue(f"world: {value!r} has no content hash, it cannot be pickled") from error


class WorldStore:
    """Worlds and files received by content, below one folder."""

    def __init__(self, folder: Path, *, trusted: bool = True) -> None:
        """Start empty; files are written below ``folder``.

        ``trusted``: see `references.load`.
        """
        self._folder, self._trusted = folder, trusted
        self._worlds: dict[str, World] = {}

    def add_file(self, digest: str, content: bytes) -> None:
        """Store a file."""
        files.write_bytes(self._folder / digest, content)

    def add_world(self, digest: str, description: bytes) -> None:
        """Store a world whose files are there.

        Raises:
            BadValue: its robot files refer to files that are not the same here.
        """
        world, robots = references.load(description, self._place, trusted=self._trusted)
        kinds = {kind: str(self._place(tree)) for kind, tree in robots.items() if tree.members}
        world = world.changed(
            robots=tuple(
                entry.model_copy(update={"kind": kinds.get(entry.kind, entry.kind)})
                for entry in world.robots
            )
        )
        here = _Inventory()
        here.add_robots(world)
        for kind, tree in robots.items():
            if here.robots[kinds.get(kind, kind)].contents != tree.contents:
                raise BadValue(
                    f"world '{world.name}': robot '{kind}' refers to files outside its folder that "
                    "are not the same in the process that runs the trial"
                )
        self._worlds[digest] = world

    def remove_world(self, digest: str) -> None:
        """Remove a stored world; its files are kept."""
        del self._worlds[digest]

    def world(self, digest: str) -> World:
        """Return a stored world."""
        return self._worlds[digest]

    def _place(self, tree: FileTree) -> Path:
        """Return the path of a tree's main file; its files are written at first use."""
        top = self._folder / f"tree-{sha256(repr(tree).encode())}"
        for name, digest in tree.members:
            if not (top / name).resolve().is_relative_to(top.resolve()):
                raise BadValue(f"a file of the world is outside its folder: {name}")
            if not (top / name).exists():
                files.write_bytes(top / name, (self._folder / digest).read_bytes())
        return top / tree.main
