"""Process runner: trials in worker processes of this machine.

Each worker runs chunks of trials in a batch of one thread (`grouser.trials.worker_process`). Worlds
and their files are sent to a worker once, by content (`grouser.trials.packing`). If a worker ends,
its unfinished trials run in another one; a trial that ends several workers is reported.

Workers import the main module of the program, as Python's ``multiprocessing`` does with the method
``spawn``: a script that uses this runner needs ``if __name__ == "__main__":``.
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import tempfile
import time
import weakref
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, Self

from grouser.cores import cores
from grouser.errors import BadValue, GrouserError
from grouser.trials.chunk_queue import ChunkQueue
from grouser.trials.packing import PackedTrial, Part, TrialPacker
from grouser.trials.threads import parse_workers
from grouser.trials.trial import Outcome, Trial
from grouser.trials.worker_process import Cancel, Chunk, ChunkEnd, Failed, Finished, Ready, work

MOST_LOST_STARTS = 3
"""Number of workers that may end while they start, less one."""
POLL = 0.02
"""Wall time between two calls of ``stop``, s."""
TIMEOUT = 10.0
"""Wall time after which a worker that does not react is killed, s."""


class ProcessRunner:
    """Runs trials in worker processes of this machine.

    The processes start at first use and are kept for further runs. They end with `close`, at the
    end of a ``with`` block, or together with the runner or the program.

    Args:
        processes: number of processes; 0: one per core.
    """

    def __init__(self, processes: int = 0) -> None:
        if processes < 0:
            raise BadValue(f"processes is {processes}, must be at least 0")
        self.processes = processes or cores()
        self._workers: list[_Worker] = []
        self._chunks = 0
        self._runs = False
        weakref.finalize(self, _end_all, self._workers)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the runner of ``--runner processes:text``."""
        return cls(parse_workers("processes", text))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all worker processes; a later run starts new ones."""
        _end_all(self._workers)

    def run(
        self, trials: Sequence[Trial], *, stop: Callable[[], bool] | None = None
    ) -> Generator[tuple[int, Outcome], None, None]:
        """Yield index and outcome of each trial as soon as it has finished.

        Args:
            trials: trials to run; their policies must be picklable.
            stop: called regularly in this thread; True cancels all running trials.

        Raises:
            BadValue: a trial cannot be sent to another process.
            GrouserError: a trial has ended several worker processes.
        """
        if self._runs:
            raise BadValue("process runner: it is running other trials; use a second runner")
        stopped = stop or (lambda: False)
        packer = TrialPacker()
        packed = [packer.pack(i, trial) for i, trial in enumerate(trials) if not stopped()]
        queue = ChunkQueue(packed, packer.parts, 2 * self.processes)
        self._runs = True
        try:
            while queue.unfinished and not stopped():
                self._assign(queue)
                for worker, message in self._receive(POLL if stop else None):
                    if isinstance(message, Failed):
                        raise pickle.loads(message.error)
                    if message is None:
                        self._lose(worker, queue)
                    elif isinstance(message, Finished):
                        yield message.number, queue.finish(message, trials)
            for message in self._cancel():
                yield message.number, queue.finish(message, trials)
        finally:
            self._runs = False
            for _ in self._cancel():
                pass

    def _assign(self, queue: ChunkQueue) -> None:
        """Send a chunk to every idle worker; start the workers that are missing."""
        while len(self._workers) < min(self.processes, len(queue.unfinished)):
            self._workers.append(_Worker())
        for worker in self._workers:
            if worker.ready and not worker.busy and (chosen := queue.take()):
                self._chunks += 1
                worker.assign(self._chunks, chosen, queue.parts)

    def _receive(self, timeout: float | None) -> Iterator[tuple[_Worker, Any]]:
        """Yield the messages that arrive within ``timeout`` (s; None: wait for the first).

        A message is None if the worker has ended.
        """
        workers: dict[Any, _Worker] = {worker.connection: worker for worker in self._workers}
        for connection in wait(list(workers), timeout):
            yield workers[connection], workers[connection].receive()

    def _lose(self, worker: _Worker, queue: ChunkQueue) -> None:
        """Remove a worker that has ended; its unfinished trials run in another one.

        Raises:
            GrouserError: several workers ended at their start, or because of one trial.
        """
        self._workers.remove(worker)
        reason = worker.end(timeout=1.0)
        queue.lost_starts += not worker.ready
        if queue.lost_starts == MOST_LOST_STARTS:
            raise GrouserError(
                f"process runner: {MOST_LOST_STARTS} workers ended while they started, the last "
                f"with {reason}; a script that uses this runner needs "
                'if __name__ == "__main__":'
            )
        queue.put_back(list(worker.chunk.values()), reason)

    def _cancel(self) -> Iterator[Finished]:
        """Cancel all chunks; yield the outcomes that arrive until all workers are idle."""
        until = time.monotonic() + TIMEOUT
        for worker in self._workers:
            if worker.busy:
                worker.send(Cancel(self._chunks))
        try:
            while any(worker.busy for worker in self._workers):
                for worker, message in self._receive(max(0.0, until - time.monotonic())):
                    if message is None:
                        self._workers.remove(worker)
                        worker.end()
                    elif isinstance(message, Finished):
                        yield message
                if time.monotonic() > until:
                    break
        finally:
            for worker in [worker for worker in self._workers if worker.busy]:
                self._workers.remove(worker)
                worker.end(timeout=0.0)


class _Worker:
    """A worker process, as its runner sees it."""

    def __init__(self) -> None:
        """Start the process."""
        context = multiprocessing.get_context("spawn")
        self._folder = tempfile.TemporaryDirectory(prefix="grouser-")
        self.connection, theirs = context.Pipe()
        self.ready = False
        """True after its first message."""
        self.busy = False
        """True between a chunk and its end."""
        self.chunk: dict[int, PackedTrial] = {}
        """Trials of its chunk whose outcomes have not arrived."""
        self._known: dict[str, bool] = {}  # SHA-256 of the parts that it has → is it a world?
        folder = Path(self._folder.name)
        self._process = context.Process(target=work, args=(theirs, folder), daemon=True)
        with _interrupts_blocked():
            self._process.start()
        theirs.close()

    def assign(self, number: int, trials: Sequence[PackedTrial], parts: Mapping[str, Part]) -> None:
        """Send a chunk, with the parts that the worker does not have."""
        old = [digest for digest in self._known if digest not in parts and self._known[digest]]
        needed = [digest for trial in trials for digest in trial.parts]
        missing = {digest: parts[digest] for digest in needed if digest not in self._known}
        self._known |= {digest: part.is_world for digest, part in missing.items()}
        for digest in old:
            del self._known[digest]
        self.chunk, self.busy = {trial.number: trial for trial in trials}, True
        self.send(Chunk(number, trials, missing, old))

    def send(self, message: Chunk | Cancel) -> None:
        """Send a message; if the worker has ended, `receive` returns None."""
        with suppress(OSError):
            self.connection.send_bytes(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))

    def receive(self) -> Any:
        """Return the next message, which must be there; None: the worker has ended."""
        try:
            message = pickle.loads(self.connection.recv_bytes())
        except (EOFError, OSError):
            return None
        if isinstance(message, Ready):
            self.ready = True
        elif isinstance(message, ChunkEnd):
            self.busy = False
        elif isinstance(message, Failed):
            self._known.clear()  # parts may be missing
        elif isinstance(message, Finished):
            del self.chunk[message.number]
        return message

    def end(self, timeout: float = TIMEOUT) -> str:
        """End the process, by force after ``timeout`` (s); return the reason of its end."""
        self.connection.close()
        self._process.join(timeout)
        if self._process.exitcode is None:
            self._process.kill()
            self._process.join()
        code = self._process.exitcode or 0
        self._process.close()
        self._folder.cleanup()
        return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def _end_all(workers: list[_Worker]) -> None:
    """End all workers, at the same time."""
    for worker in workers:
        worker.connection.close()
    while workers:
        workers.pop().end()


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Start processes without SIGINT: Ctrl-C reaches this process, which cancels its workers."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # starting it would unblock the signal again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
