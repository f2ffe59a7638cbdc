"""Feeder: bounded queue of items, which are sent to the writer process in batches.

The simulation's thread itself pickles and sends a batch, which takes a fraction of a millisecond
and never blocks. A thread that did so would compete for the interpreter at any moment: after each
of its system calls the simulation would wait for it up to 5 ms.
"""

from __future__ import annotations

import json
import logging
import pickle
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from grouser.errors import BadValue
from grouser.recording.channel import channel_pair
from grouser.recording.items import Beginning, Flush

QUEUE_BYTES = 64 << 20
"""Largest size of the items that wait for the writer process."""
BATCH_BYTES = 1 << 20
"""Size of the items that are pickled at once at most."""
BATCH_PERIOD = 0.02
"""Longest time that an item waits for others that are sent with it, wall s."""
PACKED_ITEMS = 8
"""Number of items that are pickled at once: more would make one step of the simulation longer."""
RETRY_PERIOD = 0.002
"""Time between two attempts to send what did not fit into the socket's buffer, wall s."""
SWEEP_PERIOD = 0.2
"""Time between two looks at what was left behind by a simulation that does not step, wall s."""
LAG = 0.5
"""Longest time by which the file may be behind before a simulation waits, wall s."""
CLOSE_TIMEOUT = 120.0
"""Time for the writer process to complete the file, wall s; then it is killed."""
WORKER_MODULE = "grouser.recording.writer_process"

_LOG = logging.getLogger("grouser.recording")


class Feeder:
    """Bounded queue of items, which are sent to the writer process in batches.

    Args:
        beginning: first item; its options have the longest time that `put` waits for the writer.

    Raises:
        BadValue: the writer process cannot open the file.
    """

    def __init__(self, beginning: Beginning) -> None:
        self._wait = self._lag_wait = beginning.options.wait
        self.failure = ""
        self._own_dropped = self._pictures_dropped = 0
        self.counts: dict[str, int] = {}
        self._opened = self._closed = self._ended = False
        self._flushed = self._flushes = 0
        """Number of `Flush` items that the writer process has carried out, and that were sent."""
        self._batch: list[object] = []
        self._size = 0
        self._due = 0.0
        self._unwritten: deque[float] = deque()
        """Times of sending the batches that are not in the file yet, wall s."""
        self._warnings: deque[str] = deque()
        self._lock = threading.RLock()
        self._channel, theirs = channel_pair()
        with theirs:
            command = [sys.executable, "-m", WORKER_MODULE, str(theirs.fileno())]
            self._process = subprocess.Popen(command, pass_fds=[theirs.fileno()])
        with self._locked():
            self._batch.append(beginning)
            self._send()
            self._await(lambda: self._opened or bool(self.failure), CLOSE_TIMEOUT)
        if not self._opened:
            self.close()
            raise BadValue(f"{beginning.folder}: cannot be recorded to ({self.failure})")
        self._stopped = threading.Event()
        self._sweeper = threading.Thread(target=self._sweep, name="recorder", daemon=True)
        self._sweeper.start()

    def flush(self) -> None:
        """Wait until everything so far is in the file, or the writer process has failed."""
        with self._locked():
            self._batch.append(Flush())
            self._flushes += 1
            self._send()
            self._await(lambda: self._flushed >= self._flushes or bool(self.failure), CLOSE_TIMEOUT)

    def put(self, item: object, size: int = 0, *, keep: bool = False, wait: bool = True) -> bool:
        """Add an item of ``size`` bytes; if the queue stays full it is dropped unless ``keep``.

        Returns:
            False: it was dropped.
        """
        with self._lock:
            added = self._put(item, size, keep=keep, wait=wait)
        if self._warnings:
            self._log_warnings()
        return added

    def _put(self, item: object, size: int, *, keep: bool, wait: bool) -> bool:
        if self.failure or self._closed:
            return False
        waiting = self._waiting
        if waiting > 2 * QUEUE_BYTES:  # items to keep only, and the writer is stuck
            self._fail("the writer process does not keep up")
            return False
        now = time.monotonic()
        if wait and self._is_late(now):
            self._catch_up()
        if not keep and waiting + size > QUEUE_BYTES:
            if wait and self._wait:
                self._await(self._has_space, self._wait)
            if not self._has_space():
                self._drop()
                return False
        self._batch.append(item)
        self._size += size
        if len(self._batch) >= PACKED_ITEMS or self._size >= BATCH_BYTES:
            self._pack(now)
        if now >= self._due:
            self._send()
        return not self.failure

    @property
    def _waiting(self) -> int:
        """Size of the items that were not sent, bytes."""
        return self._size + self._channel.unsent

    @property
    def dropped(self) -> int:
        """Number of items that were dropped, here and by the writer process."""
        return self._own_dropped + self._pictures_dropped

    def _has_space(self) -> bool:
        return self._waiting < QUEUE_BYTES // 2 or bool(self.failure)

    def _is_late(self, now: float) -> bool:
        """Return True if the file is further behind than a simulation that may wait permits."""
        waits = self._lag_wait and self._unwritten and not self.failure
        return bool(waits) and now - self._unwritten[0] > LAG

    def _catch_up(self) -> None:
        """Wait for the writer; if that takes too long, do so no more."""
        self._send()
        self._await(lambda: not self._is_late(time.monotonic()), self._lag_wait)
        if self._is_late(time.monotonic()):
            self._lag_wait = 0.0

    def _drop(self) -> None:
        self._wait = 0.0  # a writer that is too slow stays too slow
        self._own_dropped += 1
        if self._own_dropped == 1:
            self._warn("recording: the disk or this machine is too slow; data is dropped")

    def close(self) -> dict[str, int]:
        """Send the rest and wait for the writer process; return the messages per topic."""
        with self._locked():
            self._send()
            self._await(lambda: not self._channel.unsent, CLOSE_TIMEOUT)
            self._closed = True
            self._channel.end()
            self._await(lambda: self._ended, CLOSE_TIMEOUT)
            self._channel.close()
        try:
            self._process.wait(0.0 if not self._ended else CLOSE_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            with self._locked():
                self._fail("the writer process does not answer")
        if self._opened:
            self._stopped.set()
            self._sweeper.join()
        return self.counts

    # -- sending -----------------------------------------------------------------------------

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Return a context with the lock; warnings are logged after it.

        Another thread that logs may wait for this lock in the handler of the log.
        """
        try:
            with self._lock:
                yield
        finally:
            self._log_warnings()

    def _log_warnings(self) -> None:
        while self._warnings:
            _LOG.warning("%s", self._warnings.popleft())

    def _warn(self, text: str) -> None:
        self._warnings.append(text)

    def _pack(self, now: float) -> None:
        """Pickle the items of the batch, to be sent at ``now`` or later (wall s)."""
        if self._batch:
            self._channel.queue(pickle.dumps(self._batch, pickle.HIGHEST_PROTOCOL))
            self._batch, self._size = [], 0
            self._unwritten.append(now)

    def _send(self) -> None:
        """Send what waits, as far as the socket accepts it."""
        now = time.monotonic()
        self._pack(now)
        self._pump()
        self._due = now + (RETRY_PERIOD if self._channel.unsent else BATCH_PERIOD)

    def _pump(self) -> None:
        """Send what was pickled, as far as the socket accepts it, and process reports."""
        if self._ended:
            return
        with suppress(OSError):  # its last reports may have arrived
            self._channel.pump()
        try:
            for report in self._channel.receive():
                self._handle(json.loads(report))
        except OSError:
            self._ended = True
            if not self.counts:
                self._fail("the writer process has ended")

    def _await(self, condition: Callable[[], bool], timeout: float) -> None:
        """Send and receive until a condition holds or the stream ends; at most ``timeout``, s."""
        end = time.monotonic() + timeout
        self._pump()
        while not (condition() or self._ended):
            if (left := end - time.monotonic()) <= 0:
                break
            self._channel.wait(min(left, SWEEP_PERIOD))
            self._pump()

    def _sweep(self) -> None:
        """Send what was left behind, and receive reports, until the end."""
        while not self._stopped.wait(SWEEP_PERIOD):
            with self._locked():
                if not self._closed and time.monotonic() >= self._due:
                    self._send()

    # -- reports -----------------------------------------------------------------------------

    def _handle(self, report: Mapping[str, Any]) -> None:
        self.counts = report.get("counts", self.counts)
        self._opened |= "opened" in report
        self._flushed += "flushed" in report
        self._pictures_dropped = report.get("dropped", self._pictures_dropped)
        for _ in range(min(report.get("written", 0), len(self._unwritten))):
            self._unwritten.popleft()
        if "warning" in report:
            self._warn(f"recording: {report['warning']}")
        if "failure" in report:
            self._fail(str(report["failure"]))

    def _fail(self, reason: str) -> None:
        if self.failure:
            return
        self.failure = reason
        self._batch, self._size = [], 0
        if self._opened:
            self._warn(f"recording ended: {reason}; the simulation continues")
