"""Pictures of depth cameras, rendered by a background thread with a renderer of its own."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

from grouser.rendering.render_state import RenderStateLoader
from grouser.rendering.renderer import Renderer
from grouser.sensors.depth import BoundDepthCamera, Depths, DepthShot

CLOSE_TIMEOUT = 5.0
"""Time for the thread to end, wall s."""
_FIRST_BUFFER = (64, 64)
"""Pixels; the renderer enlarges it."""

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class DepthOrder:
    """Picture to be rendered."""

    camera: BoundDepthCamera
    shot: DepthShot
    done: Callable[[Depths], None]
    """Called with the picture in the thread of the event loop."""


class DepthPictures:
    """Thread that renders the newest shot of each depth camera; call `close` at the end."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._changed = threading.Condition()
        self._waiting: dict[str, DepthOrder] = {}
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="depth", daemon=True)
        self._thread.start()

    def order(self, topic: str, order: DepthOrder) -> None:
        """Render a shot for a topic, in place of one that still waits."""
        with self._changed:
            self._waiting[topic] = order
            self._changed.notify()

    def close(self) -> None:
        """End the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join(CLOSE_TIMEOUT)

    def _run(self) -> None:
        try:
            with Renderer(*_FIRST_BUFFER, shadows=False, smooth=False) as renderer:
                self._render_all(renderer)
        except Exception as error:  # without OpenGL all else is still served
            _LOG.warning("ros: pictures of depth cameras cannot be rendered (%s)", error)

    def _render_all(self, renderer: Renderer) -> None:
        loader = RenderStateLoader()
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or bool(self._waiting))
                if self._closed:
                    return
                topic = next(iter(self._waiting))
                order = self._waiting.pop(topic)
            depths = order.camera.draw(order.shot, loader, renderer)
            try:
                self._loop.call_soon_threadsafe(order.done, depths)
            except RuntimeError:  # the loop is closed
                return
