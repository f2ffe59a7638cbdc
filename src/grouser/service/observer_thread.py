"""Background thread of a slow observer, with a bounded queue: it delays nothing but itself."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

from grouser.errors import BadValue
from grouser.simulation.observers import METHODS, Mailbox, Message

CAPACITY = 10_000
"""Default number of messages that wait for the observer."""
CLOSE_TIMEOUT = 5.0
"""Wall time that `ObserverThread.close` waits for the observer, s."""

_LOG = logging.getLogger(__name__)


class ObserverThread(Mailbox):
    """Mailbox whose messages a background thread passes to an observer.

    When the observer is slower than the messages, the oldest ones are dropped and counted in
    ``dropped``. An exception in the observer ends the thread and is stored in ``error``.

    Args:
        observer: object with some of the methods of `Observer`.
        capacity: most messages that wait for the observer.
    """

    def __init__(self, observer: object, capacity: int = CAPACITY) -> None:
        super().__init__(capacity)
        self.error: Exception | None = None
        """Exception that ended the thread."""
        self._methods: dict[str, Any] = {
            name.removeprefix("on_"): getattr(observer, name)
            for name in METHODS
            if callable(getattr(observer, name, None))
        }
        if not self._methods:
            raise BadValue(
                f"subscribe: {type(observer).__name__} has no method of an observer "
                f"({', '.join(METHODS)})"
            )
        for name in METHODS:
            if name.removeprefix("on_") not in self._methods:
                setattr(self, name, None)  # messages of this kind are not stored
        self.on_close: Callable[[], None] | None = None
        """Called once when the thread is closed or has failed, in the simulation's thread: ends the
        subscription."""
        self._name = type(observer).__name__
        self._wake, self._closed = threading.Event(), False
        self._thread = threading.Thread(
            target=self._run, name=f"observer {self._name}", daemon=True
        )
        self._thread.start()

    def close(self, timeout: float = CLOSE_TIMEOUT) -> None:
        """Pass the remaining messages to the observer and end the thread.

        Args:
            timeout: wall time after which a busy observer is left alone, s.
        """
        self._end_subscription()
        self._closed = True
        self._wake.set()
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout)

    def _put(self, message: Message) -> None:
        if self.error is not None:  # here, since only this thread may change the subscriptions
            self._end_subscription()
            return
        super()._put(message)
        self._wake.set()

    def _run(self) -> None:
        try:
            while not self._closed or len(self):
                self._wake.wait()
                self._wake.clear()
                for message in self.drain():
                    method = self._methods[message.kind]
                    if message.kind == "reading":
                        method(message.robot, message.content)
                    else:
                        method(message.content)
        except Exception as error:  # an observer must not stop the server
            self.error = error
            _LOG.exception("observer %s failed and is removed", self._name)

    def _end_subscription(self) -> None:
        end, self.on_close = self.on_close, None
        if end:
            end()
