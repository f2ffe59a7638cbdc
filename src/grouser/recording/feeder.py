"""Feeder: bounded queue of items, and the thread that sends them to the writer process."""

from __future__ import annotations

import json
import logging
import os
import pickle
import select
import socket
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping
from typing import Any

from grouser.errors import BadValue
from grouser.recording.items import Beginning, Flush
from grouser.recording.writer_process import LENGTH

QUEUE_BYTES = 64 << 20
"""Largest size of the items that wait for the writer process."""
BATCH_BYTES = 1 << 20
"""Size of the items that are sent at once."""
BATCH_PERIOD = 0.05
"""Longest time that an item waits for others that are sent with it, wall s."""
CLOSE_TIMEOUT = 120.0
"""Time for the writer process to complete the file, wall s; then it is killed."""
WORKER_MODULE = "grouser.recording.writer_process"

_LOG = logging.getLogger("grouser.recording")


class Feeder:
    """Bounded queue of items, and the thread that sends them to the writer process.

    Args:
        beginning: first item; its options have the longest time that `put` waits for space.

    Raises:
        BadValue: the writer process cannot open the file.
    """

    def __init__(self, beginning: Beginning) -> None:
        self._wait = beginning.options.wait
        self._opened = False
        self._flushes = 0
        """Number of `Flush` items that the writer process has carried out."""
        self.failure = ""
        self.dropped = 0
        self.counts: dict[str, int] = {}
        self._queue: deque[tuple[object, int]] = deque([(beginning, BATCH_BYTES)])
        self._bytes = BATCH_BYTES  # a batch of its own
        self._closed = False
        self._changed = threading.Condition(threading.RLock())
        ours, theirs = socket.socketpair()
        self._connection, self._reports = ours, b""
        with theirs:
            command = [sys.executable, "-m", WORKER_MODULE, str(theirs.fileno())]
            self._process = subprocess.Popen(
                command, pass_fds=[theirs.fileno()], env={**os.environ, "LP_NUM_THREADS": "1"}
            )
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._thread.start()
        with self._changed:
            self._changed.wait_for(lambda: self._opened or bool(self.failure))
        if not self._opened:
            self.close()
            raise BadValue(f"{beginning.folder}: cannot be recorded to ({self.failure})")

    def flush(self) -> None:
        """Wait until everything so far is in the file, or the writer process has failed."""
        with self._changed:
            awaited = self._flushes + 1
            self._queue.append((Flush(), BATCH_BYTES))
            self._bytes += BATCH_BYTES
            self._changed.notify_all()
            self._changed.wait_for(
                lambda: self._flushes >= awaited or bool(self.failure), CLOSE_TIMEOUT
            )

    def put(self, item: object, size: int = 0, *, keep: bool = False, wait: bool = True) -> bool:
        """Add an item of ``size`` bytes; if the queue stays full it is dropped unless ``keep``.

        Returns:
            False: it was dropped.
        """
        with self._changed:
            if self._bytes > 2 * QUEUE_BYTES:  # items to keep only, and the writer is stuck
                self._fail("the writer process does not keep up")
                return False
            if self._bytes + size > QUEUE_BYTES and not keep:
                if wait and self._wait:
                    self._changed.wait_for(self._has_space, self._wait)
                if not self._has_space():
                    self._drop()
                    return False
            self._queue.append((item, size))
            self._bytes += size
            if self._bytes >= BATCH_BYTES:  # the thread wakes by itself after `BATCH_PERIOD`
                self._changed.notify_all()
        return True

    def _has_space(self) -> bool:
        return self._bytes < QUEUE_BYTES // 2 or bool(self.failure)

    def _drop(self) -> None:
        self._wait = 0.0  # a writer that is too slow stays too slow
        self.dropped += 1
        if self.dropped == 1:
            _LOG.warning("recording: the disk or this machine is too slow; data is dropped")

    def close(self) -> dict[str, int]:
        """Send the rest and wait for the writer process; return the messages per topic."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join(CLOSE_TIMEOUT)
        try:
            self._process.wait(CLOSE_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            self._fail("the writer process does not answer")
        return self.counts

    def _run(self) -> None:
        with self._connection:
            flushes = 0
            try:
                while batch := self._take():
                    content = pickle.dumps(batch, pickle.HIGHEST_PROTOCOL)
                    self._connection.sendall(LENGTH.pack(len(content)) + content)
                    flushes += sum(isinstance(item, Flush) for item in batch)
                    while not (self._opened and self._flushes >= flushes) and not self.failure:
                        self._read_reports()
                    while select.select([self._connection], [], [], 0.0)[0]:
                        self._read_reports()
                self._connection.shutdown(socket.SHUT_WR)
                while True:
                    self._read_reports()
            except OSError:
                if not self.counts:
                    self._fail("the writer process has ended")
        with self._changed:
            self._queue.clear()
            self._bytes = 0

    def _take(self) -> list[object]:
        """Remove and return the items of a `BATCH_PERIOD`, or the next ones. Empty: the end."""
        batch, size = list[object](), 0
        with self._changed:
            while not self._changed.wait_for(self._is_batch, BATCH_PERIOD) and not self._queue:
                pass
            while self._queue and size < BATCH_BYTES:
                item, bytes_ = self._queue.popleft()
                batch.append(item)
                size += bytes_
            self._bytes -= size
            self._changed.notify_all()
        return batch

    def _is_batch(self) -> bool:
        return self._bytes >= BATCH_BYTES or self._closed

    def _read_reports(self) -> None:
        """Wait for reports and process them; raise `ConnectionError` at the end of the stream."""
        content = self._connection.recv(1 << 16)
        if not content:
            raise ConnectionError
        *lines, self._reports = (self._reports + content).split(b"\n")
        for line in lines:
            self._handle(json.loads(line))

    def _handle(self, report: Mapping[str, Any]) -> None:
        if "failure" in report:
            self._fail(str(report["failure"]))
        if "error" in report:
            _LOG.warning("recording: %s", report["error"])
        self.counts = report.get("counts", self.counts)
        with self._changed:
            self._opened |= "opened" in report
            self._flushes += "flushed" in report
            self._changed.notify_all()

    def _fail(self, reason: str) -> None:
        if self.failure:
            return
        with self._changed:
            self.failure = reason
            self._changed.notify_all()
        if self._opened:
            _LOG.warning("recording ended: %s; the simulation continues", reason)
