"""The voice of a session: messages → lines, in the manner that its client can take."""

from __future__ import annotations

from collections.abc import Iterable

from grouser.protocol.usarsim.codec import ServerSide
from grouser.protocol.usarsim.extensions import Notice
from grouser.protocol.usarsim.message import Message
from grouser.service.outbox import Sender, subject


class MessageWriter:
    """Says things to one client."""

    def __init__(self, side: ServerSide, sender: Sender) -> None:
        """Say through ``sender`` what ``side`` writes in the client's dialect."""
        self._side, self._sender = side, sender
        self.modern = False
        """Whether the client has sent a line of Grouser's own; others are told none."""

    def say(self, message: Message) -> None:
        """Say something that the client must not miss."""
        for line in self._side.send(message):
            self._sender.line(line)

    def say_all(self, messages: Iterable[Message]) -> None:
        """Say several things that the client must not miss."""
        for message in messages:
            self.say(message)

    def say_stale(self, messages: Iterable[Message]) -> None:
        """Say what is worth nothing once it is said anew.

        Old clients need every line in a write of its own (reference: transport); others get all at
        once, which costs a third.
        """
        lines = [line for message in messages for line in self._side.send(message)]
        if self.modern and lines:
            self._sender.line(b"".join(lines), stale=" ".join(map(subject, lines)))
            return
        for line in lines:
            self._sender.line(line, stale=subject(line))

    def notice(self, kind: str, text: str) -> None:
        """Say something that concerns the client; old ones hear only that they were refused."""
        if self.modern or kind == "Refused":
            self.say(Notice(kind, text))
