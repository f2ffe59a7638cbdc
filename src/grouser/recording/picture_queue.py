"""Picture queue: orders the pictures of a recording from a process of its own.

Rendering takes a hundred times as long as all else: other messages do not wait for pictures.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace

from grouser.recording.channel import Channel, channel_pair
from grouser.recording.items import (
    Appearance,
    PictureItem,
    RenderedPicture,
    RenderFailure,
    RenderReady,
    SceneItem,
    SceneTopics,
)
from grouser.recording.recorded_cameras import RecordedCameras, picture_topics
from grouser.rendering.gl import ONE_THREAD

MOST_PICTURES = 500
"""Number of pictures that wait; more are dropped, or wait for the process."""
WINDOW = 8
"""Number of pictures that are with the process: it is busy while the writer is busy."""
POLL_PERIOD = 0.2
"""Longest time between two looks at the process while waiting for it, wall s."""
CLOSE_TIMEOUT = 5.0
"""Time for the process to exit after its socket is closed, wall s; then it is killed."""
PROCESS_MODULE = "grouser.recording.picture_process"


class PictureQueue:
    """Pictures that wait to be rendered, and the process that renders them.

    The process is started with the first scene that has a camera.

    Args:
        write: writes the messages of a picture.
        wants: returns True for the topics that are recorded.
        add_renderer: adds a description of the renderer to the metadata; called once.
        waits: True: a full queue waits for the process; False: pictures are dropped, and the
            process runs only while the machine has nothing else to do.
    """

    def __init__(
        self,
        write: Callable[[RenderedPicture], None],
        wants: Callable[[str], bool],
        add_renderer: Callable[[Mapping[str, str]], None],
        *,
        waits: bool,
    ) -> None:
        self._write, self._wants, self._add_renderer = write, wants, add_renderer
        self._waits = waits
        self._queue: deque[PictureItem] = deque()
        self._outstanding = 0
        self._appearance: dict[int, Appearance] = {}
        """Scene → changed appearance that came with a picture which was not ordered."""
        self._process: subprocess.Popen[bytes] | None = None
        self.channel: Channel | None = None
        """Connection to the process while it runs."""
        self._ready = self._failed = False
        self.dropped = 0
        """Number of pictures that were dropped."""
        self.warnings: list[str] = []
        """Not reported yet."""

    def load_scene(self, item: SceneItem, cameras: RecordedCameras) -> None:
        """Send a scene to the process; start it if there are cameras."""
        if self.channel is None and not self._failed and self._is_wanted(cameras):
            self._start()
            item = replace(item, model=cameras.model)
        if self.channel is not None:
            topics = {(robot, camera.name): topic for robot, topic, camera in cameras}
            seen = {key: item.sensors[key] for key in topics}
            self._send(SceneTopics(replace(item, sensors=seen), topics))

    def _is_wanted(self, cameras: RecordedCameras) -> bool:
        return any(
            self._wants(name)
            for _, topic, camera in cameras
            for name in picture_topics(topic, camera)[:2]
        )

    def add(self, item: PictureItem, cameras: RecordedCameras) -> None:
        """Add a picture of a scene with these cameras."""
        known = cameras.get(item.robot, item.sensor)
        if known is None or self.channel is None:
            return
        if not any(map(self._wants, picture_topics(*known)[:2])):
            self._keep_appearance(item)
            return
        while self._waits and len(self._queue) >= MOST_PICTURES and self.channel is not None:
            self.channel.wait(POLL_PERIOD)
            self.pump()
        if len(self._queue) >= MOST_PICTURES:
            self._keep_appearance(item)
            self._drop()
            return
        appearance = self._appearance.pop(item.scene, None)
        self._queue.append(item if item.appearance else replace(item, appearance=appearance))
        self.pump()

    def _keep_appearance(self, item: PictureItem) -> None:
        """Store what the next picture of the scene has to bring with it."""
        if item.appearance is not None:
            self._appearance[item.scene] = item.appearance

    def _drop(self) -> None:
        self.dropped += 1
        if self.dropped == 1:
            self.warnings.append("this machine is too slow for the cameras; pictures are dropped")

    def pump(self) -> None:
        """Order pictures, and write those that were rendered."""
        if self.channel is None:
            return
        while self._queue and self._outstanding < WINDOW and self._ready:
            self._outstanding += 1
            self._send(self._queue.popleft())
        try:
            self.channel.pump()
            answers = list(map(pickle.loads, self.channel.receive()))
        except OSError:
            self._fail("their process has ended")
            return
        for answer in answers:
            self._handle(answer)

    def _handle(self, answer: object) -> None:
        match answer:
            case RenderedPicture():
                self._outstanding -= 1
                self._write(answer)
            case RenderReady(renderer):
                self._ready = True
                self._add_renderer(renderer)
            case RenderFailure(reason):
                self._fail(reason)

    def finish(self) -> None:
        """Wait for all pictures, then end the process."""
        while self.channel is not None and (self._queue or self._outstanding):
            self.channel.wait(POLL_PERIOD)
            self.pump()
        self.close()

    def close(self) -> None:
        """End the process; pictures that wait are lost."""
        self._queue.clear()
        if self.channel is not None:
            self.channel.close()
            self.channel = None
        if self._process is not None:
            try:
                self._process.wait(CLOSE_TIMEOUT)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None

    # -- process -----------------------------------------------------------------------------

    def _start(self) -> None:
        self.channel, theirs = channel_pair()
        with theirs:
            priority = "normal" if self._waits else "idle"
            command = [sys.executable, "-m", PROCESS_MODULE, str(theirs.fileno()), priority]
            self._process = subprocess.Popen(
                command, pass_fds=[theirs.fileno()], env={**os.environ, **ONE_THREAD}
            )

    def _send(self, message: object) -> None:
        try:
            if self.channel is not None:
                self.channel.send(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))
        except OSError:
            self._fail("their process has ended")

    def _fail(self, reason: str) -> None:
        """Record no more pictures."""
        self._failed = True
        self.warnings.append(f"pictures are not recorded ({reason})")
        self.close()
