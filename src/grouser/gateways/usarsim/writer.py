"""Messages to one client: written as lines of its dialect, in the manner that it can take."""

from __future__ import annotations

from collections.abc import Iterable

from grouser.protocol.usarsim.codec import ServerSide
from grouser.protocol.usarsim.extensions import Notice
from grouser.protocol.usarsim.message import Message
from grouser.service.outbox import Sender


class MessageWriter:
    """Writes messages to one client."""

    def __init__(self, side: ServerSide, sender: Sender) -> None:
        """Send through ``sender`` the lines that ``side`` makes in the client's dialect."""
        self._side, self._sender = side, sender
        self.modern = False
        """Whether the client has sent a line of Grouser's own; others are sent none."""

    def write(self, message: Message) -> None:
        """Write something that the client must not miss."""
        for line in self._side.send(message):
            self._sender.line(line)

    def write_all(self, messages: Iterable[Message]) -> None:
        """Write several things that the client must not miss."""
        for message in messages:
            self.write(message)

    def write_replaceable(self, messages: Iterable[Message]) -> None:
        """Write what is worth nothing once it is written anew.

        Old clients need every line in a write of its own (reference: transport); others get all at
        once, which costs a third.
        """
        lines = [line for message in messages for line in self._side.send(message)]
        if self.modern and lines:
            self._sender.line(b"".join(lines), stale=" ".join(map(subject, lines)))
            return
        for line in lines:
            self._sender.line(line, stale=subject(line))

    def write_giving_way(self, message: Message, about: str) -> None:
        """Write something of which, if the client does not read, older ones are dropped first.

        Args:
            message: what is written.
            about: what it is one of; each of them says something of its own.
        """
        for line in self._side.send(message):
            self._sender.line(line, stale=about)

    def notice(self, kind: str, text: str) -> None:
        """Write something that concerns the client; old ones learn only that they were refused."""
        if self.modern or kind == "Refused":
            self.write(Notice(kind, text))


def subject(line: bytes) -> str:
    """Return what a line is about, by which it goes stale: head, type and name, without values."""
    words = line.split(b"{", 4)[:4]
    return b"".join([word for word in words if not word.startswith(b"Time")]).decode("latin-1")
