"""Ray runner: trials on the nodes of a Ray cluster, or in a Ray of this machine (extra `cluster`).

Every core of every node has a worker, which runs chunks of trials in the thread runner. Chunks grow
until they last `CHUNK_TIME`, so that their fixed cost is small, and become smaller towards the end.
Worlds and files are objects in Ray's object store, one for each content hash: a node receives them
once. If a node or worker is lost, its unfinished trials run elsewhere. Nodes that join during a run
receive workers within `NODE_PERIOD`.

Without an address Ray is started on this machine and listens on loopback. Token authentication is
on unless ``RAY_AUTH_MODE`` is set to something else.
"""

from __future__ import annotations

import os
import pickle
import secrets
import socket
import sys
import tempfile
import time
import weakref
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Self

from grouser.cores import cores
from grouser.errors import BadValue, Disconnected, GrouserError, missing_extra
from grouser.trials.chunk_queue import CHUNKS, ChunkQueue
from grouser.trials.packing import PackedTrial, PartStore, TrialPacker
from grouser.trials.trial import Outcome, Trial
from grouser.trials.worker_process import Chunk, ChunkEnd, Failed, Finished, failure, run_chunk

CHUNK_TIME = 2.0
"""Wall time that a chunk should last, s: the fixed cost of a chunk, at most 0.1 s (start, compiling
a world, transfer), is then at most 5 %."""
MOST_TRIALS = 1024
"""Largest chunk."""
NODE_PERIOD = 2.0
"""Wall time between two searches for new nodes, s."""
POLL = 0.05
"""Largest wall time between two calls of ``stop``, s."""
COLLECT_TIME = 1.0
"""Longest wall time of a call that collects messages of a worker, s."""
CONNECT_TIME = 5.0
"""Longest wall time until a client port accepts a connection, s."""
TIMEOUT = 10.0
"""Wall time after which a worker that does not react to a cancellation is ended, s."""
STORE_BYTES = 512 << 20
"""Object store of a local Ray, bytes."""
LOCAL = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # on every platform: all ports on loopback
    "RAY_USAGE_STATS_ENABLED": "0",
}
"""Environment of a local Ray."""


class RayRunner:
    """Runs trials in workers on the nodes of a Ray cluster.

    The workers start at first use and are kept for further runs. They end with `close`, at the end
    of a ``with`` block, or together with the runner or the program. A program that has called
    ``ray.init`` uses that connection.

    Args:
        address: ``ray://HOST:PORT`` (Ray's client port), ``HOST:PORT`` or ``auto`` on a node of a
            cluster; empty: start Ray on this machine.
        threads: threads of each worker.
    """

    def __init__(self, address: str = "", *, threads: int = 1) -> None:
        if threads < 1:
            raise BadValue(f"threads is {threads}, must be at least 1")
        self.address, self.threads = address, threads
        self._workers: list[_WorkerHandle] = []
        self._connection: dict[str, Any] = {}
        self._chunks = 0
        self._runs = False
        self._nodes_checked = float("-inf")
        weakref.finalize(self, _end_all, self._workers, self._connection)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the runner of ``--runner ray``, ``ray://HOST:PORT`` or ``ray:ADDRESS``."""
        if text.startswith("//"):
            text = f"ray:{text}"
        place = text.removeprefix("ray://")
        host, colon, port = place.rpartition(":")
        is_place = colon and host and port.isdecimal() and 0 < int(port) < 1 << 16
        if text and text != "auto" and not is_place:
            raise BadValue("must be ray, ray://HOST:PORT, ray:HOST:PORT or ray:auto")
        return cls(text)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all workers, and Ray if this runner has started it; a later run starts them again."""
        _end_all(self._workers, self._connection)

    @property
    def nodes(self) -> int:
        """Number of nodes with workers that are ready."""
        return len({worker.node for worker in self._workers if worker.ready})

    @property
    def workers(self) -> int:
        """Number of cores of all nodes; connects to the cluster."""
        self._add_workers()
        return max(1, len(self._workers))

    def run(
        self, trials: Sequence[Trial], *, stop: Callable[[], bool] | None = None
    ) -> Generator[tuple[int, Outcome], None, None]:
        """Yield index and outcome of each trial as soon as it has arrived.

        Args:
            trials: trials to run; their policies must be picklable, and their classes must be in
                modules that the nodes can import.
            stop: called regularly in this thread; True cancels all running trials.

        Raises:
            BadValue: a trial cannot be sent to another process.
            Disconnected: the cluster cannot be reached, or the connection was lost.
            GrouserError: a trial has ended several workers.
        """
        if self._runs:
            raise BadValue("Ray runner: it is running other trials; use a second runner")
        stopped = stop or (lambda: False)
        packer = TrialPacker()
        packed = [packer.pack(i, trial) for i, trial in enumerate(trials) if not stopped()]
        self._runs = True
        objects: dict[str, Any] = {}  # SHA-256 → object in Ray's store
        self._nodes_checked = float("-inf")
        try:
            queue = ChunkQueue(packed, packer.parts, 2 * self.workers)
            while queue.unfinished and not stopped():
                self._add_workers()
                queue.shares = max(1, 2 * len(self._workers))
                self._assign(queue, objects)
                for worker, message in self._receive(POLL):
                    if isinstance(message, Failed):
                        raise pickle.loads(message.error)
                    if message is None:
                        self._lose(worker, queue)
                    elif isinstance(message, Finished) and message.number in queue.unfinished:
                        yield message.number, queue.finish(message, trials)
            for message in self._cancel():
                if message.number in queue.unfinished:
                    yield message.number, queue.finish(message, trials)
        except Exception as error:
            self._check_connection(error)
            raise
        finally:
            self._runs = False
            for _ in self._cancel():
                pass

    def _check_connection(self, error: Exception) -> None:
        """Raise `Disconnected` if ``error`` came from a lost connection; a later run connects."""
        ray = self._connection.get("ray")
        if ray is None or ray.is_initialized():
            return
        self._workers.clear()
        self._connection.clear()
        reason = " ".join(str(error).split())
        raise Disconnected(
            f"Ray runner: the connection to {self.address or 'Ray'} was lost ({reason[:300]})"
        ) from error

    def _connect(self) -> Any:
        """Return the module ``ray`` after connecting to the cluster."""
        if not self._connection:
            ray, started = _connect(self.address)
            self._connection.update(ray=ray, started=started)
        return self._connection["ray"]

    def _add_workers(self) -> None:
        """Start the workers that are missing on the nodes of the cluster."""
        now = time.monotonic()
        if now - self._nodes_checked < NODE_PERIOD:
            return
        ray = self._connect()
        self._nodes_checked = now
        for node in ray.nodes():
            if node["Alive"]:
                there = sum(worker.node == node["NodeID"] for worker in self._workers)
                room = int(node["Resources"].get("CPU", 0)) // self.threads
                new = range(there, room)
                self._workers.extend(_WorkerHandle(ray, node["NodeID"], self.threads) for _ in new)

    def _assign(self, queue: ChunkQueue, objects: dict[str, Any]) -> None:
        """Send a chunk to every idle worker."""
        ray = self._connection["ray"]
        for worker in self._workers:
            if worker.ready and not worker.busy and (chosen := queue.take(worker.chunk_size)):
                self._chunks += 1
                needed = {digest for trial in chosen for digest in trial.parts}
                for digest in needed - objects.keys():
                    objects[digest] = ray.put(queue.parts[digest])
                worker.assign(self._chunks, chosen, queue, objects)

    def _receive(self, timeout: float) -> Iterator[tuple[_WorkerHandle, Any]]:
        """Yield the messages that arrive within ``timeout`` (s); None: the worker is lost."""
        ray = self._connection["ray"]
        workers = {worker.messages: worker for worker in self._workers}
        if not workers:
            time.sleep(timeout)
            return
        calls = list(workers)
        first, _ = ray.wait(calls, timeout=timeout)
        ready, _ = ray.wait(calls, num_returns=len(calls), timeout=0) if first else ([], [])
        for call in ready:
            for message in workers[call].receive():
                yield workers[call], message

    def _lose(self, worker: _WorkerHandle, queue: ChunkQueue) -> None:
        """Remove a lost worker; its unfinished trials run in another one.

        Raises:
            GrouserError: several workers were lost because of one trial, or one cannot start.
        """
        ray = self._connection["ray"]
        self._workers.remove(worker)
        worker.end()
        alive = {node["NodeID"] for node in ray.nodes() if node["Alive"]}
        if worker.node in alive and not worker.ready:
            raise GrouserError(f"Ray runner: a worker ended while it started: {worker.error}")
        queue.put_back(list(worker.chunk.values()), worker.error, suspect=worker.node in alive)

    def _cancel(self) -> Iterator[Finished]:
        """Cancel all chunks; yield the outcomes that arrive until all workers are idle."""
        until = time.monotonic() + TIMEOUT
        for worker in self._workers:
            if worker.busy:
                worker.cancel(self._chunks)
        try:
            while any(worker.busy for worker in self._workers) and time.monotonic() < until:
                for worker, message in self._receive(POLL):
                    if message is None:
                        self._workers.remove(worker)
                    elif isinstance(message, Finished):
                        yield message
        finally:
            for worker in [worker for worker in self._workers if worker.busy]:
                self._workers.remove(worker)
                worker.end()


class _WorkerHandle:
    """A worker, as its runner sees it."""

    def __init__(self, ray: Any, node: str, threads: int) -> None:
        """Start the worker on a node."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        self._ray, self.node, self._threads = ray, node, threads
        self.ready = False
        """True after its first messages."""
        self.busy = False
        """True between a chunk and its end."""
        self.chunk: dict[int, PackedTrial] = {}
        """Trials of its chunk whose outcomes have not arrived."""
        self.chunk_size = CHUNKS[0] * threads
        """Number of trials that last `CHUNK_TIME`."""
        self.error = ""
        """Reason of its loss."""
        self._size, self._began = 0, 0.0
        self._known: dict[str, bool] = {}  # SHA-256 of the parts that it has → is it a world?
        actor = ray.remote(RayWorker).options(
            num_cpus=threads,
            max_concurrency=4,
            max_restarts=0,
            scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=False),
        )
        self._actor = actor.remote(threads, versions(), os.getcwd())
        self.messages = self._actor.collect.remote()
        """Call that returns the worker's next messages."""

    def assign(
        self,
        number: int,
        trials: Sequence[PackedTrial],
        queue: ChunkQueue,
        objects: Mapping[str, Any],
    ) -> None:
        """Send a chunk, with references to the parts that the worker does not have."""
        parts = queue.parts
        old = [digest for digest in self._known if digest not in parts and self._known[digest]]
        needed = dict.fromkeys(digest for trial in trials for digest in trial.parts)
        missing = [digest for digest in needed if digest not in self._known]
        self._known |= {digest: parts[digest].is_world for digest in missing}
        for digest in old:
            del self._known[digest]
        self.chunk, self.busy = {trial.number: trial for trial in trials}, True
        self._size, self._began = len(trials), time.monotonic()
        chunk = Chunk(number, trials, {}, old)
        self._actor.assign.remote(chunk, missing, [objects[digest] for digest in missing])

    def cancel(self, number: int) -> None:
        """Cancel the chunk ``number`` and all before it."""
        self._actor.cancel.remote(number)

    def receive(self) -> list[Any]:
        """Return the messages of the finished call and begin the next one; [None]: it is lost."""
        try:
            messages: list[Any] = self._ray.get(self.messages)
        except self._ray.exceptions.RayError as error:
            self.error = " ".join(str(error).split())
            return [None]
        self.ready = True
        for message in messages:
            if isinstance(message, ChunkEnd):
                self.busy = False
                self._adapt()
            elif isinstance(message, Failed):
                self._known.clear()  # parts may be missing
            elif isinstance(message, Finished):
                self.chunk.pop(message.number, None)
        self.messages = self._actor.collect.remote()
        return messages

    def _adapt(self) -> None:
        """Set the size of the next chunk by the duration of the last one."""
        lasted = max(time.monotonic() - self._began, 1e-3)
        fitting = round(self._size * CHUNK_TIME / lasted)
        least = CHUNKS[0] * self._threads
        self.chunk_size = min(max(fitting, least), max(MOST_TRIALS, least))

    def end(self) -> None:
        """End the worker."""
        with suppress(Exception):  # the node, or Ray itself, may have ended
            self._ray.kill(self._actor)


class RayWorker:
    """Worker process on a node: runs chunks in a thread of its own."""

    def __init__(self, threads: int, expected: Mapping[str, str], folder: str) -> None:
        """Start without chunks.

        Args:
            threads: threads of the thread runner.
            expected: versions of packages in the program that runs the trials.
            folder: working folder of that program, used here if it exists.
        """
        if versions() != expected:
            raise RuntimeError(
                f"this node has {_text(versions())}, the program that runs the trials has "
                f"{_text(expected)}"
            )
        with suppress(OSError):
            os.chdir(folder)
        self._threads = threads
        self._files = tempfile.TemporaryDirectory(prefix="grouser-")
        self._store = PartStore(Path(self._files.name))
        self._chunks: SimpleQueue[Chunk] = SimpleQueue()
        self._messages: SimpleQueue[Any] = SimpleQueue()
        self._cancelled = 0
        Thread(target=self._work, daemon=True).start()
        self._messages.put(None)  # the first call of `collect` returns at once

    def assign(self, chunk: Chunk, digests: Sequence[str], objects: Sequence[Any]) -> None:
        """Run a chunk; its new parts are in ``objects`` of Ray's store."""
        import ray

        try:
            parts = dict(zip(digests, ray.get(list(objects)), strict=True))
        except Exception as error:  # the program that owns the objects may have ended
            self._messages.put(failure(error))
            self._messages.put(ChunkEnd())
            return
        self._chunks.put(Chunk(chunk.number, chunk.trials, parts, chunk.old_worlds))

    def cancel(self, number: int) -> None:
        """Cancel the chunk ``number`` and all before it."""
        self._cancelled = max(self._cancelled, number)

    def collect(self) -> list[Any]:
        """Return all new messages; waits for the first, at most `COLLECT_TIME`."""
        messages: list[Any] = []
        with suppress(Empty):
            messages.append(self._messages.get(timeout=COLLECT_TIME))
            while True:
                messages.append(self._messages.get_nowait())
        return [message for message in messages if message is not None]

    def _work(self) -> None:
        """Run chunks one after another."""
        while True:
            chunk = self._chunks.get()
            try:
                run_chunk(
                    chunk,
                    self._store,
                    self._threads,
                    lambda number=chunk.number: number <= self._cancelled,  # type: ignore[misc]
                    self._messages.put,
                )
            except Exception as error:
                self._messages.put(failure(error))
            self._messages.put(ChunkEnd())


def versions() -> dict[str, str]:
    """Return the versions of the packages that determine the bits of outcomes."""
    return {name: metadata.version(name) for name in ("grouser", "mujoco", "numpy")}


def _text(versions: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def _connect(address: str) -> tuple[Any, bool]:
    """Connect to a Ray cluster, or start one here; return the module and whether it was started.

    Raises:
        MissingDependency: Ray is not installed.
        Disconnected: the cluster cannot be reached.
    """
    early = "ray" in sys.modules and "RAY_AUTH_MODE" not in os.environ
    os.environ.setdefault("RAY_AUTH_MODE", "token")
    own = not address
    if own:
        for name, value in LOCAL.items():
            os.environ.setdefault(name, value)
        if not _has_token():
            os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
    # Workers on the GPU-less nodes see no device; Ray would warn of this otherwise.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    # A call after the connection was lost would start a Ray of its own here.
    os.environ.setdefault("RAY_ENABLE_AUTO_CONNECT", "0")
    try:
        import ray
    except ImportError as error:
        raise missing_extra("the Ray runner needs Ray", "cluster") from error
    if ray.is_initialized():
        return ray, False
    is_client = address.startswith("ray://")
    if is_client:
        _check_port(address)
    settings: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
    if own:
        settings |= {
            "num_cpus": cores(),
            "include_dashboard": False,
            "object_store_memory": STORE_BYTES,
        }
    try:
        ray.init(address or "local", **settings)
    except Exception as error:  # Ray raises errors of many classes
        reason = " ".join(str(error).split())
        hint = "; is it Ray's client port, and does the token agree?" if is_client else ""
        if own and early:
            hint = "; Ray was imported before, without a token: set RAY_AUTH_MODE=token"
        raise Disconnected(
            f"Ray runner: no connection to {address or 'a local Ray'} ({reason[:300]}){hint}"
        ) from error
    return ray, own


def _check_port(address: str) -> None:
    """Raise unless a program listens at ``ray://HOST:PORT``; Ray itself tries for 30 seconds."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_TIME).close()
    except OSError as error:
        raise Disconnected(f"Ray runner: no connection to {address} ({error})") from error


def _has_token() -> bool:
    """Return whether a token for Ray exists in the environment or in its file."""
    if os.environ.get("RAY_AUTH_TOKEN") or os.environ.get("RAY_AUTH_TOKEN_PATH"):
        return True
    return (Path.home() / ".ray" / "auth_token").is_file()


def _end_all(workers: list[_WorkerHandle], connection: dict[str, Any]) -> None:
    """End all workers, and Ray if it was started for them."""
    while workers:
        workers.pop().end()
    if connection.pop("started", False):
        connection["ray"].shutdown()
    connection.clear()
