"""A recording on disk: metadata, messages, world, actions, hashes, states."""

from __future__ import annotations

import io
import math
import pickle
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from grouser.errors import BadValue, MissingDependency, reason_of
from grouser.recording.items import OWN
from grouser.recording.repair import recorded_file
from grouser.ros.definitions import EXTRA, deserialize
from grouser.simulation import references
from grouser.simulation.observers import ActionRecord
from grouser.simulation.snapshot import Snapshot, check_snapshot
from grouser.simulation.world_content import WorldStore, sha256
from grouser.world.file import World


@dataclass(frozen=True)
class BagMessage:
    """A message of a recording."""

    topic: str
    time: int
    """ns."""
    content: Any
    """The decoded message."""


@dataclass(frozen=True)
class StateHash:
    """Hashes of the state at one step."""

    step: int
    passed: int
    time: float
    """Simulated time since the simulation was created, s."""
    fingerprint: str
    parts: dict[str, int]
    """``OWNER/quantity`` → hash."""


@dataclass(frozen=True)
class RecordedSnapshot:
    """State from which the run can be continued."""

    passed: int
    """Steps since the simulation was created."""
    scheduled: int
    """Scheduled actions that were carried out before."""
    actions: int
    """Recorded actions before."""
    content: bytes
    """Pickled `Snapshot`."""


class Recording:
    """A recording of Grouser; close it, or use it in a ``with`` block.

    Args:
        folder: folder or MCAP file.
        trusted: its source is trusted: snapshots, which can execute code, are loaded.

    Raises:
        BadValue: there is no recording, its end is missing, or another program made it.
        MissingDependency: the packages for recordings are not installed.
    """

    def __init__(self, folder: Path, *, trusted: bool = False) -> None:
        self._trusted = trusted
        try:
            from mcap.reader import make_reader
        except ImportError as error:
            raise MissingDependency(f"recordings need the package mcap: {EXTRA}") from error
        self.folder, self.path = folder, recorded_file(folder)
        self._stream = _SizedReader(self.path)
        self._files: tempfile.TemporaryDirectory[str] | None = None
        try:
            self._reader: Any = make_reader(self._stream)
            self.metadata = {one.name: one.metadata for one in self._reader.iter_metadata()}
        except Exception as error:  # readers raise anything on damaged files
            self._stream.close()
            raise self._unreadable("", error) from None
        if "grouser" not in self.metadata:
            self._stream.close()
            raise BadValue(f"{folder}: is not a recording of Grouser, there is no run to repeat")

    def close(self) -> None:
        """Close the file and remove temporary files."""
        self._stream.close()
        if self._files is not None:
            self._files.cleanup()

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _unreadable(self, what: str, error: Exception) -> BadValue:
        """Return the error of a damaged part of the file."""
        reason = reason_of(error) if str(error) else "its end is missing"
        return BadValue(
            f"{self.folder}: {what}cannot be read ({reason}); try grouser recover {self.folder}"
        )

    def messages(self, *topics: str) -> Iterator[BagMessage]:
        """Yield the messages of ``topics`` in the order of their times.

        Raises:
            BadValue: a message is damaged.
        """
        found = self._reader.iter_messages(topics=list(topics))
        while True:
            try:
                if (one := next(found, None)) is None:
                    return
                schema, channel, message = one
                content = deserialize(message.data, schema.name)
            except Exception as error:  # as above
                raise self._unreadable("a message ", error) from error
            yield BagMessage(channel.topic, message.log_time, content)

    @cached_property
    def topics(self) -> dict[str, int]:
        """Number of messages of each topic."""
        try:
            summary = self._reader.get_summary()
            counts = summary.statistics.channel_message_counts
            return {one.topic: counts.get(one.id, 0) for one in summary.channels.values()}
        except Exception as error:  # as above
            raise self._unreadable("the index ", error) from error

    def _number(self, record: str, name: str, kind: type[int] | type[float]) -> Any:
        """Return a number >= 0 of the metadata; raise `BadValue` if it is missing or damaged."""
        try:
            value = kind(self.metadata[record][name])
            if 0 <= value < math.inf:
                return value
        except (KeyError, ValueError):
            pass
        raise BadValue(f"{self.folder}: the metadata '{record}' have no valid {name}")

    @property
    def timestep(self) -> float:
        """Length of a step, s."""
        return float(self._number("grouser", "timestep", float))

    @property
    def begin(self) -> int:
        """Steps since the simulation's creation when the recording began."""
        return int(self._number("grouser", "passed", int))

    @property
    def seed(self) -> int:
        """Seed of the simulation."""
        return int(self._number("grouser", "seed", int))

    @property
    def scheduled(self) -> int:
        """Scheduled actions that were carried out before the recording began."""
        return int(self._number("grouser", "scheduled", int))

    @property
    def fresh(self) -> bool:
        """True if the recording began with its simulation."""
        return self.metadata["grouser"].get("fresh") == "true"

    @cached_property
    def end(self) -> int:
        """Steps since the simulation's creation at the end: of a cut file, at the last hash."""
        if "grouser/end" in self.metadata:
            return int(self._number("grouser/end", "passed", int))
        return max((one.passed for one in self.state_hashes()), default=self.begin)

    @property
    def dropped(self) -> int:
        """Number of items that were dropped; -1: unknown, the end is missing."""
        if "grouser/end" not in self.metadata:
            return -1
        return int(self._number("grouser/end", "dropped", int))

    # -- content -----------------------------------------------------------------------------

    def state_hashes(self) -> Iterator[StateHash]:
        """Yield the hashes of the states, oldest first."""
        for message in self.messages(f"{OWN}state_hash"):
            one = message.content
            if len(one.parts) != len(one.hashes):
                raise BadValue(f"{self.folder}: the state hash of step {one.step} is damaged")
            parts = dict(zip(one.parts, one.hashes.tolist(), strict=True))
            time = message.time / 10**9
            yield StateHash(one.step, one.passed, time, one.fingerprint, parts)

    def action_records(self) -> list[ActionRecord]:
        """Return all actions, oldest first.

        Raises:
            BadValue: an action is damaged, or contains anything but descriptions.
        """
        return [self._record(message) for message in self.messages(f"{OWN}action")]

    def _record(self, message: BagMessage) -> ActionRecord:
        one, content = message.content, message.content.content.tobytes()
        if one.kind == "Restore":  # it contains a snapshot, which is more than a description
            self._require_trust("a restored snapshot")
        return ActionRecord(
            step=one.step,
            time=one.step * self.timestep,
            action=self._load(content, trusted=one.kind == "Restore"),
            source=one.source,
            internal=one.internal,
            passed=one.passed,
            scheduled=one.scheduled,
        )

    def _load(self, content: bytes, *, trusted: bool = False) -> Any:
        try:
            return references.load(content, _no_reference, trusted=trusted)
        except Exception as error:  # unpickling raises anything
            raise BadValue(
                f"{self.folder}: an action cannot be read ({reason_of(error)})"
            ) from error

    def scenes(self) -> Iterator[tuple[int, int, World]]:
        """Yield number, time (ns) and world of every scene.

        Raises:
            BadValue: a world is damaged or not a description.
        """
        for message in self.messages(f"{OWN}scene"):
            one = message.content
            yield one.scene, message.time, self._world(one.content.tobytes())

    @cached_property
    def world(self) -> World:
        """World at the beginning."""
        for _, _, world in self.scenes():
            return world
        raise BadValue(f"{self.folder}: has no world")

    def _world(self, description: bytes) -> World:
        store = self._store
        try:
            store.add_world("", description)
        except BadValue:
            raise
        except Exception as error:  # as above
            raise BadValue(f"{self.folder}: a world cannot be read ({reason_of(error)})") from error
        return store.world("")

    @cached_property
    def _store(self) -> WorldStore:
        self._files = tempfile.TemporaryDirectory(prefix="grouser-recording-")
        store = WorldStore(Path(self._files.name), trusted=False)
        try:
            attachments = list(self._reader.iter_attachments())
        except Exception as error:  # as above
            raise self._unreadable("an attachment ", error) from error
        for attached in attachments:
            kind, _, rest = attached.name.partition("/")
            digest = rest.partition("/")[0]
            if kind == "files" and digest != sha256(attached.data):
                raise BadValue(f"{self.folder}: the attached file {attached.name} is damaged")
            if kind == "files":
                store.add_file(digest, attached.data)
        return store

    def snapshots(self) -> Iterator[RecordedSnapshot]:
        """Yield all snapshots, oldest first."""
        for message in self.messages(f"{OWN}snapshot"):
            one = message.content
            counts = one.passed, one.scheduled, one.actions
            yield RecordedSnapshot(*counts, one.content.tobytes())

    def load_snapshot(self, recorded: RecordedSnapshot) -> Snapshot:
        """Return a recorded snapshot, which is a pickle of running objects.

        Raises:
            BadValue: the recording is not trusted, or the snapshot is damaged.
        """
        self._require_trust("a snapshot")
        try:
            snapshot: Snapshot = pickle.loads(recorded.content)
            check_snapshot(snapshot)
        except BadValue:
            raise
        except Exception as error:  # unpickling raises anything
            raise BadValue(f"{self.folder}: a snapshot is damaged ({reason_of(error)})") from error
        return snapshot

    def _require_trust(self, what: str) -> None:
        if not self._trusted:
            raise BadValue(
                f"{self.folder}: {what} is needed, which can execute code; use --trust "
                "(trusted=True) if the source of the recording is trusted"
            )


class _SizedReader(io.BufferedReader):
    """File of which never more is read than it has: a damaged length would allocate gigabytes."""

    def __init__(self, path: Path) -> None:
        super().__init__(io.FileIO(path))
        self._size = path.stat().st_size

    def read(self, size: int | None = -1) -> bytes:
        """Return up to ``size`` bytes; None and negative numbers: all."""
        left = max(0, self._size - self.seek(0, io.SEEK_CUR))
        return super().read(left if size is None or size < 0 else min(size, left))


def _no_reference(value: Any) -> Any:
    raise pickle.UnpicklingError(f"refers to {value!r}")


def picture_topics(topics: Sequence[str]) -> list[str]:
    """Return the topics with hashes of pictures."""
    return [topic for topic in topics if topic.startswith(f"{OWN}pictures/")]
