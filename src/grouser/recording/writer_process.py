"""Writer process: receives the items of a recorder and encodes them into the file.

A process of its own takes no time from the simulation's interpreter, and completes the file when
the simulation's process ends in any way. It exits when its socket is closed.

Run as ``python -m grouser.recording.writer_process FD``, with the descriptor of an open socket.
Messages are pickles from the process that started it.
"""

from __future__ import annotations

import json
import logging
import pickle
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from grouser.errors import GrouserError
from grouser.recording.channel import Channel, wait_for_any
from grouser.recording.encoder import Encoder
from grouser.recording.items import Beginning, Ending, Flush
from grouser.recording.priority import run_behind
from grouser.recording.repair import close_full

FLUSH_PERIOD = 0.2
"""Time between two flushes of the file, wall s."""
NICE = 2
"""Increment of the process's niceness: physics has priority."""
DRAIN_TIMEOUT = 60.0
"""Time to send the last reports, wall s."""

_LOG = logging.getLogger("grouser.recording.writer_process")


class BatchWriter:
    """Writes batches of items, and reports the first failure."""

    def __init__(self, channel: Channel) -> None:
        """Report to the other end of ``channel``."""
        self._channel = channel
        self._encoder: Encoder | None = None
        self._errors = 0
        self._written = 0
        """Number of batches that the file has, but not yet the operating system."""
        self._flushed = time.monotonic()

    def write(self, batch: list[Any]) -> None:
        """Write the items of a batch; after a failure they are dropped."""
        for item in batch:
            self._attempt(lambda: self._write(item))  # noqa: B023 - called at once
            if isinstance(item, Ending):
                self.close()
            self.flush()
        self._written += 1

    def _write(self, item: Any) -> None:
        if isinstance(item, Beginning):
            self._encoder = Encoder(item)
            self.report(opened=True)
        elif isinstance(item, Flush):
            self._flush()
            self.report(flushed=True)
        elif self._encoder is not None:
            self._encoder.write(item)

    def _attempt(self, work: Callable[[], None]) -> None:
        """Write something; an item that cannot be encoded does not end the recording."""
        try:
            work()
        except OSError as error:
            self._fail(error)
        except Exception as error:
            if self._encoder is None:
                self.report(failure=str(error))
            self._errors += 1
            if self._errors == 1:
                _LOG.exception("item cannot be recorded")
                self.report(warning=f"an item cannot be recorded ({error})")

    @property
    def until_flush(self) -> float:
        """Time until the next flush, wall s."""
        return max(0.0, self._flushed + FLUSH_PERIOD - time.monotonic())

    def flush(self) -> None:
        """Pass everything so far to the operating system, if it is due."""
        if not self.until_flush:
            self._flush()

    def _flush(self) -> None:
        self._guard(lambda encoder: encoder.bag.flush())
        self._flushed = time.monotonic()
        if self._written:
            dropped = {} if self._encoder is None else {"dropped": self._encoder.dropped}
            self.report(written=self._written, **dropped)
            self._written = 0

    @property
    def renderer(self) -> Channel | None:
        """Channel of the process that renders pictures, if it runs."""
        return None if self._encoder is None else self._encoder.renderer

    def receive_pictures(self) -> None:
        """Write the pictures that were rendered, and order others."""
        encoder = self._encoder
        if encoder is not None:
            self._attempt(encoder.receive_pictures)
            for warning in encoder.take_warnings():
                self.report(warning=warning)

    def close(self) -> None:
        """Complete the file; later calls do nothing."""
        self._guard(lambda encoder: encoder.close())
        encoder, self._encoder = self._encoder, None
        if encoder is not None:
            for warning in encoder.take_warnings():
                self.report(warning=warning)
            counts = {topic.name: topic.messages for topic in encoder.bag.topics.values()}
            self.report(counts=counts, dropped=encoder.dropped)

    def _guard(self, work: Any) -> None:
        if self._encoder is not None:
            try:
                work(self._encoder)
            except OSError as error:
                self._fail(error)

    def _fail(self, error: OSError) -> None:
        """Close the file as far as it is written, and report why."""
        encoder, self._encoder = self._encoder, None
        reason = error.strerror or str(error)
        if encoder is not None:
            encoder.abort()
            try:
                close_full(encoder.bag.folder)
            except (OSError, GrouserError) as unrepaired:
                _LOG.warning("recording: the file cannot be completed (%s)", unrepaired)
        self.report(failure=reason)

    def report(self, **content: Any) -> None:
        """Send a report to the recorder, if it is there."""
        with suppress(OSError):
            self._channel.send(json.dumps(content).encode())


def main(descriptor: int) -> None:
    """Write what arrives on a socket until it is closed."""
    logging.basicConfig(level=logging.WARNING)
    for number in (signal.SIGINT, signal.SIGTERM):  # the end of the recorder ends this process
        signal.signal(number, signal.SIG_IGN)
    run_behind(NICE)
    channel = Channel(socket.socket(fileno=descriptor))
    writer = BatchWriter(channel)
    with suppress(ConnectionError):
        while True:
            wait_for_any(writer.until_flush, channel, writer.renderer)
            with suppress(OSError):  # reports that nothing receives any more
                channel.pump()
            for content in channel.receive():
                writer.write(pickle.loads(content))
                writer.receive_pictures()
            writer.receive_pictures()
            writer.flush()
    writer.close()
    with suppress(OSError):
        channel.drain(DRAIN_TIMEOUT)
    channel.close()


if __name__ == "__main__":
    main(int(sys.argv[1]))
