"""A film crew: processes that draw a run's frames while physics goes on and the coder codes.

They are render workers like a server's eyes, and draw the same bytes that this process would. Here
no frame is left out, and frames come back in the order in which they were taken.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections import deque
from queue import SimpleQueue
from typing import Self

import mujoco

from grouser.errors import BadValue, GrouserError
from grouser.gateways.images.render_pool import ONE_THREAD
from grouser.gateways.images.snapshot_codec import encode_appearance, encode_frame
from grouser.gateways.images.world_transfer import encode_world
from grouser.protocol.images import ImageType
from grouser.protocol.rendering import (
    Failed,
    Looks,
    Message,
    NewWorld,
    ParcelReader,
    Picture,
    encode,
)
from grouser.rendering.snapshot import Snapshot
from grouser.rendering.viewpoint import Viewpoint
from grouser.simulation.simulation import Simulation

WINDOW = 3
"""Frames on their way to a worker: one is drawn, the next is there, one comes back."""

_CHUNK = 2**20


class FilmCrew:
    """Draws what happens in a simulation, frame by frame; use it in a ``with`` block.

    Args:
        width: of a frame, pixels.
        height: of a frame, pixels.
        quality: how well it is drawn, by name (`QUALITIES`).
        coded: frames come back as VP8 key frames; else as pixels, red, green, blue, top row first.
        workers: processes, at least one.
    """

    def __init__(self, width: int, height: int, *, quality: str, coded: bool, workers: int) -> None:
        if workers < 1:
            raise BadValue(f"film: {workers} workers, must be at least 1")
        self._size, self._quality, self._coded = (width, height), quality, coded
        self._workers = [_FilmWorker() for _ in range(workers)]
        self._turns: deque[_FilmWorker] = deque()  # whose each frame is that has not come back
        self._taken = 0
        self._model: mujoco.MjModel | None = None
        self._appearance: Looks | None = None

    @staticmethod
    def possible() -> bool:
        """Return whether a process here can be given an open socket."""
        return os.name == "posix"

    def __enter__(self) -> Self:
        for worker in self._workers:
            worker.start()
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.close()

    def take(self, simulation: Simulation, view: Viewpoint) -> list[bytes]:
        """Have a frame of the simulation drawn as it is now; return frames that are finished.

        Only where everybody is busy does it wait, and then for the oldest frame.
        """
        self._update_world(simulation)
        state = Snapshot.of(simulation.model, simulation.data)
        worker = self._workers[self._taken % len(self._workers)]
        order = encode_frame(
            state, view, self._taken, size=self._size, quality=self._quality, coded=self._coded
        )
        worker.send(order)
        self._turns.append(worker)
        self._taken += 1
        full = len(self._turns) >= WINDOW * len(self._workers)
        finished = [self._next()] if full else []
        while self._turns and self._turns[0].has_answered:
            finished.append(self._next())
        return finished

    def finish(self) -> list[bytes]:
        """Wait for all frames that are still being drawn."""
        return [self._next() for _ in range(len(self._turns))]

    def _next(self) -> bytes:
        """Return the oldest frame that has not been returned yet."""
        answer = self._turns.popleft().receive()
        if isinstance(answer, Failed):
            raise GrouserError(f"a frame could not be drawn: {answer.reason}")
        if not isinstance(answer, Picture):
            raise GrouserError("a frame could not be drawn: its world is not the film crew's")
        return answer.body

    def _update_world(self, simulation: Simulation) -> None:
        """Tell everybody who has joined or left since the last frame, and what looks different."""
        model = simulation.model
        appearance = encode_appearance(model)
        if self._model is not model:
            world = NewWorld([], [], int(ImageType.RAW), [], encode_world(simulation.world))
            for worker in self._workers:
                worker.send(world)
            self._appearance = None
        if self._appearance != appearance:
            for worker in self._workers:
                worker.send(appearance)
        self._model, self._appearance = model, appearance


class _FilmWorker:
    """One process, and a thread that takes its answers, so that it never waits for us."""

    def __init__(self) -> None:
        self._answers: SimpleQueue[Message | None] = SimpleQueue()  # None: it has ended
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def has_answered(self) -> bool:
        """Whether `receive` would not wait."""
        return not self._answers.empty()

    def start(self) -> None:
        """Start the process."""
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "grouser.gateways.images.worker", str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                env=os.environ | ONE_THREAD,
                stdin=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is the run's business
            )
        threading.Thread(target=self._listen, daemon=True).start()

    def send(self, message: Message) -> None:
        """Send a message; of one that has ended `receive` tells."""
        try:
            self._socket.sendall(encode(message))
        except OSError:
            self._answers.put(None)

    def receive(self) -> Message:
        """Return the next answer, when it comes."""
        answer = self._answers.get()
        if answer is None:
            raise GrouserError("a process that draws frames has ended before the film was")
        return answer

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._socket.close()
            self._process.kill()
            self._process.wait()

    def _listen(self) -> None:
        parcels = ParcelReader()
        try:
            while data := self._socket.recv(_CHUNK):
                for message in parcels.receive(data):
                    self._answers.put(message)
        except OSError:
            pass
        self._answers.put(None)
