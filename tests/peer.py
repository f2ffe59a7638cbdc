"""A USARSim server of few words, for tests of clients: it speaks real bytes over a real socket.

It knows no physics: it greets, remembers what it hears and says what a test wants it to say.
"""

import asyncio
import contextlib
import threading

from grouser.protocol.dialects import UDK
from grouser.protocol.nfo import Greeting
from grouser.protocol.usarsim import ServerSide


class Peer:
    """A server in a thread of its own.

    Args:
        answers: message → messages that are said back; None closes the connection.
        dialect: what it speaks.
        greets: whether it greets, as servers do.
        context: for TLS.
    """

    def __init__(self, answers, dialect=UDK, greets=True, context=None):
        self.answers = answers
        self.dialect = dialect
        self.greets = greets
        self.context = context
        self.heard = []
        self.left = threading.Event()
        self.port = 0

    def __enter__(self):
        started = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve(started)))
        self._thread.start()
        assert started.wait(10)
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)
        assert not self._thread.is_alive()

    async def _serve(self, started):
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self._open = set()
        server = await asyncio.start_server(self._client, "127.0.0.1", 0, ssl=self.context)
        self.port = server.sockets[0].getsockname()[1]
        started.set()
        await self._stop.wait()
        server.close()
        for writer in self._open:
            writer.close()

    async def _client(self, reader, writer):
        side = ServerSide(self.dialect)
        self._open.add(writer)
        with contextlib.suppress(OSError):
            if self.greets:
                self._say(writer, side, Greeting(level="peer"))
            while data := await reader.read(65536):
                for message in side.receive(data):
                    self.heard.append(message)
                    for answer in self.answers(message):
                        if answer is None:
                            writer.close()
                            return
                        self._say(writer, side, answer)
        self.left.set()
        writer.close()

    def _say(self, writer, side, message):
        for line in side.send(message):
            writer.write(line)
