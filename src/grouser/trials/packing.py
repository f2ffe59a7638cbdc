"""Trials as messages: worlds and files travel by content hash, once for each receiver.

A `TrialPacker` converts trials to `PackedTrial`s, which refer to worlds by their
`grouser.simulation.world_content` hash, and keeps these parts. A receiver adds the parts to a
`PartStore`, which restores the trials. An `Outcome` travels back without its trial.

Messages are pickles: accept them from trusted senders only.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grouser.errors import BadValue
from grouser.simulation import references
from grouser.simulation.world_content import WorldStore, sha256, world_content
from grouser.trials.trial import Outcome, Trial
from grouser.world.file import World


@dataclass(frozen=True)
class PackedTrial:
    """A trial that refers to its world by content."""

    number: int
    """Index of the trial."""
    content: bytes
    """Pickled trial with references."""
    parts: tuple[str, ...]
    """SHA-256 of the files and worlds that it needs; a world comes after its files."""


@dataclass(frozen=True)
class Part:
    """World or file, sent once to each receiver."""

    content: bytes
    is_world: bool


class TrialPacker:
    """Packs trials and keeps their worlds and files as parts."""

    def __init__(self) -> None:
        """Start without parts."""
        self.parts: dict[str, Part] = {}
        """Worlds and files of all packed trials, by SHA-256."""
        self._worlds: dict[int, tuple[World, tuple[str, ...]]] = {}

    def pack(self, number: int, trial: Trial) -> PackedTrial:
        """Return trial ``number`` as a message.

        Raises:
            BadValue: the trial cannot be pickled; the message names trial and object.
        """
        needed = self._world(trial.world)
        try:
            content = _dump(trial, trial.world, needed[-1])
        except Exception as error:  # a user's class may raise anything
            raise _not_picklable(number, trial, error) from error
        return PackedTrial(number, content, needed)

    def _world(self, world: World) -> tuple[str, ...]:
        """Return the SHA-256 of the files of a world, and its own at the end."""
        if id(world) not in self._worlds:
            described = world_content(world)
            for digest, path in described.sources.items():
                if digest not in self.parts:
                    self.parts[digest] = Part(_read(path, digest), is_world=False)
            self.parts[described.digest] = Part(described.description, is_world=True)
            # The world is kept, so that its id is not used for another one.
            self._worlds[id(world)] = world, (*described.sources, described.digest)
        return self._worlds[id(world)][1]


def _read(path: Path, digest: str) -> bytes:
    content = path.read_bytes()
    if sha256(content) != digest:
        raise BadValue(f"{path}: was changed while trials were prepared")
    return content


def _dump(value: object, world: World, digest: str) -> bytes:
    """Pickle ``value`` with a reference instead of ``world``."""
    return references.dump(value, lambda part: digest if part is world else None)


def _not_picklable(number: int, trial: Trial, error: Exception) -> BadValue:
    """Return the error that names the field of ``trial`` that cannot be pickled."""
    for field in dataclasses.fields(trial):
        value = getattr(trial, field.name)
        try:
            _dump(value, trial.world, "")
        except Exception as reason:  # as above
            return BadValue(
                f"trial {number}: its {field.name} {value!r} cannot be sent to another process "
                f"({reason}); functions and classes must be at the top level of a module"
            )
    return BadValue(f"trial {number}: cannot be sent to another process ({error})")


class PartStore:
    """Parts at the receiver; restores trials."""

    def __init__(self, folder: Path) -> None:
        """Start empty; files are written below ``folder``."""
        self._worlds = WorldStore(folder)

    def add(self, parts: Mapping[str, Part]) -> None:
        """Store parts; a world comes after its files."""
        for digest, part in parts.items():
            if part.is_world:
                self._worlds.add_world(digest, part.content)
            else:
                self._worlds.add_file(digest, part.content)

    def remove_worlds(self, digests: Collection[str]) -> None:
        """Remove worlds; their files are kept."""
        for digest in digests:
            self._worlds.remove_world(digest)

    def unpack(self, packed: PackedTrial) -> Trial:
        """Return a trial whose parts are there.

        Raises:
            BadValue: it refers to a class or function that cannot be imported here.
        """
        try:
            trial: Trial = references.load(packed.content, self._worlds.world)
        except Exception as error:  # importing a user's module may raise anything
            raise BadValue(
                f"trial {packed.number}: cannot be restored in a worker process "
                f"({type(error).__name__}: {error}); its functions and classes must be in a module "
                "that the worker can import"
            ) from error
        return trial


def pack_outcome(number: int, outcome: Outcome) -> bytes:
    """Return the outcome of trial ``number`` without the trial."""
    return references.dump(outcome, lambda part: number if part is outcome.trial else None)


def unpack_outcome(content: bytes, trials: Sequence[Trial]) -> Outcome:
    """Return an outcome with its trial, one of ``trials``."""
    outcome: Outcome = references.load(content, trials.__getitem__)
    return outcome
