"""Worker process of a `ProcessRunner`: receives chunks of trials, sends each outcome.

Both sides send pickled messages over a pipe: `Chunk` and `Cancel` to the worker; `Ready`,
`Finished`, `Failed` and `ChunkEnd` back. A chunk brings the parts that the worker does not have.
The worker ends when the pipe is closed, at the latest one sample period later.
"""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

from grouser.errors import GrouserError
from grouser.trials.packing import PackedTrial, Part, PartStore, pack_outcome
from grouser.trials.threads import ThreadRunner


@dataclass(frozen=True)
class Chunk:
    """Trials for a worker, and the parts that it needs for them."""

    number: int
    """Increases from chunk to chunk."""
    trials: Sequence[PackedTrial]
    parts: Mapping[str, Part]
    old_worlds: Collection[str] = ()
    """Worlds of earlier runs that the worker no longer needs."""


@dataclass(frozen=True)
class Cancel:
    """Request to cancel a chunk and all before it; the worker answers `ChunkEnd`."""

    number: int


@dataclass(frozen=True)
class Ready:
    """First message of a worker."""


@dataclass(frozen=True)
class Finished:
    """Outcome of a trial, from `pack_outcome`."""

    number: int
    """Index of the trial."""
    outcome: bytes


@dataclass(frozen=True)
class Failed:
    """Error in a chunk, pickled."""

    error: bytes


@dataclass(frozen=True)
class ChunkEnd:
    """End of a chunk: all its outcomes have been sent, or it was cancelled or failed."""


class _Inbox:
    """Messages of the pipe, read by a thread of its own."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.chunks: SimpleQueue[Chunk | None] = SimpleQueue()
        """Received chunks; None: the pipe was closed."""
        self.cancelled = -1.0
        """Number of the last cancelled chunk; inf: the pipe was closed."""

    def is_cancelled(self, number: int) -> bool:
        """Return whether the chunk ``number`` is cancelled."""
        return number <= self.cancelled

    def receive(self) -> None:
        """Read until the pipe is closed."""
        try:
            while True:
                message = pickle.loads(self._connection.recv_bytes())
                if isinstance(message, Cancel):
                    self.cancelled = message.number
                else:
                    self.chunks.put(message)
        except (EOFError, OSError):
            self.cancelled = float("inf")
            self.chunks.put(None)


def work(connection: Connection, folder: Path) -> None:
    """Run chunks until the pipe is closed; files of the trials are written below ``folder``."""
    inbox, store = _Inbox(connection), PartStore(folder)
    Thread(target=inbox.receive, daemon=True).start()
    try:
        _send(connection, Ready())
        while (chunk := inbox.chunks.get()) is not None:
            try:
                run_chunk(
                    chunk,
                    store,
                    1,
                    partial(inbox.is_cancelled, chunk.number),
                    partial(_send, connection),
                )
            except (BrokenPipeError, ConnectionResetError):
                raise
            except Exception as error:
                _send(connection, failure(error))
            _send(connection, ChunkEnd())
    except (BrokenPipeError, ConnectionResetError):  # the runner has ended
        pass


def run_chunk(
    chunk: Chunk,
    store: PartStore,
    threads: int,
    cancelled: Callable[[], bool],
    send: Callable[[Finished], None],
) -> None:
    """Run the trials of a chunk on ``threads`` threads, and send each outcome."""
    store.remove_worlds(chunk.old_worlds)
    store.add(chunk.parts)
    trials = [store.unpack(packed) for packed in chunk.trials]
    with closing(ThreadRunner(threads).run(trials, stop=cancelled)) as outcomes:
        for index, outcome in outcomes:
            number = chunk.trials[index].number
            send(Finished(number, pack_outcome(number, outcome)))


def failure(error: Exception) -> Failed:
    """Return the message of an error, which may be of a class that cannot be pickled."""
    try:
        error.add_note(f"in a worker process:\n{traceback.format_exc()}")
        content = pickle.dumps(error)
        pickle.loads(content)  # some classes can be pickled, but not restored
    except Exception:  # a user's class may raise anything
        content = pickle.dumps(GrouserError(f"{type(error).__name__}: {error}"))
    return Failed(content)


def _send(connection: Connection, message: object) -> None:
    connection.send_bytes(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))
