"""Images of the best quality: MuJoCo's Filament renderer with soft light and ambient occlusion.

On Linux it needs a display server (X11; ``xvfb-run`` is sufficient), although it renders offscreen.
In software an image takes seconds, compared with tenths of a second with `Renderer`. The first
image takes longer, because shaders are compiled. Simulated cameras do not use this renderer, so
that their images remain those that were validated.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any, Self

import mujoco
import numpy as np

from grouser.errors import BadValue, MissingDependency
from grouser.rendering.decoration import textured_ground
from grouser.rendering.image import Image
from grouser.rendering.render_state import APPEARANCE_FIELDS
from grouser.rendering.renderer import OPTION, temporarily
from grouser.rendering.viewpoint import Viewpoint, mujoco_camera

_SAMPLES = 4  # samples per pixel for antialiasing


class FilamentRenderer:
    """Offscreen Filament renderer with the interface of `Renderer`.

    Raises:
        BadValue: the image size is not positive.
        MissingDependency: Filament is not available.
    """

    def __init__(self, width: int, height: int) -> None:
        if width < 1 or height < 1:
            raise BadValue(f"renderer: {width} x {height} pixels; both must be at least 1")
        self._mjrf = require_filament()
        self._pixels = np.empty((height, width, 3), np.uint8)
        config = self._mjrf.ContextConfig()
        config.graphics_api = self._mjrf.GraphicsApi.GRAPHICS_API_OPENGL
        with _quiet():
            self._context: Any = self._mjrf.Context(config)  # None: closed
            self._target = self._context.create_render_target(
                self._mjrf.RenderTargetConfig(color_format=self._mjrf.PixelFormat.PIXEL_FORMAT_RGB8)
            )
            self._target.resize(width, height)
        self._read = self._mjrf.ReadRequest(target=self._target)
        self._read.set_buffer(self._pixels)
        self._drawn: tuple[mujoco.MjModel, bytes] | None = None
        self._scene: Any = None

    def picture(self, model: mujoco.MjModel, data: mujoco.MjData, view: Viewpoint | str) -> Image:
        """Return the image of ``view``; a string names a camera of the model.

        ``data`` must be forwarded, because its derived poses are drawn.
        """
        if self._context is None:
            raise BadValue("renderer: it is closed; open another one")
        with _quiet(), textured_ground(model):
            self._update_scene(model)
            self._scene.update(data)
            frame = self._context.render([self._request(model, data, view)], [self._read])
            self._context.wait_for_frame(frame)
        return self._pixels.copy()

    def close(self) -> None:
        """Release all resources; further calls have no effect."""
        # Objects of the context are released before the context.
        self._scene = self._drawn = self._read = self._target = None
        self._context = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _update_scene(self, model: mujoco.MjModel) -> None:
        """Create the scene if the model or its appearance has changed."""
        appearance = b"".join(getattr(model, field).tobytes() for field in APPEARANCE_FIELDS)
        if self._drawn is None or self._drawn[0] is not model or self._drawn[1] != appearance:
            self._scene = None  # releases the old scene first, to limit the memory
            self._scene = _FilamentScene(self._mjrf, self._context, model)
            self._drawn = model, appearance

    def _request(self, model: mujoco.MjModel, data: mujoco.MjData, view: Viewpoint | str) -> Any:
        free = {} if isinstance(view, str) else {"fovy": view.fovy_deg, "orthographic": 0}
        with temporarily(model.vis.global_, free):
            seen = mujoco.mjv_camera2GLCamera(model, data, mujoco_camera(model, view))
        request = self._mjrf.RenderRequest()
        request.scene, request.target = self._scene.things, self._target
        request.camera = self._mjrf.Camera(
            pos=seen.pos,
            forward=seen.forward,
            up=seen.up,
            frustum_bottom=seen.frustum_bottom,
            frustum_top=seen.frustum_top,
            frustum_near=seen.frustum_near,
            frustum_far=seen.frustum_far,
        )
        request.viewport.left = request.viewport.bottom = 0
        request.viewport.height, request.viewport.width = self._pixels.shape[:2]
        request.post_processing = request.reflections = request.shadows = True
        request.skybox = request.haze = True
        return request


class _FilamentScene:
    """Filament scene with the lights and geoms of a model."""

    def __init__(self, mjrf: Any, context: Any, model: mujoco.MjModel) -> None:
        self.things = context.create_scene(mjrf.SceneParams())
        self.things.configure_from_model(model)
        self.things.set_msaa(_SAMPLES)
        self._resources = mjrf.ModelResources(context, model)
        self._lights = mjrf.ModelLights(self.things, self._resources)
        self._renderables = mjrf.ModelRenderables(self.things, self._resources)
        self._renderables.set_options(OPTION)

    def update(self, data: mujoco.MjData) -> None:
        """Set the poses of lights and geoms from ``data``."""
        self._lights.update(data)
        self._renderables.update(data)


def require_filament() -> Any:
    """Return MuJoCo's bindings of Filament, or raise `MissingDependency` with the reason."""
    if sys.platform == "linux":
        _hold_display(os.environ.get("DISPLAY", ""))
    try:
        import mujoco.studio  # noqa: F401, provides the materials of Filament
        from mujoco import mjrf
    except ImportError as error:
        raise MissingDependency(
            f"quality 'best' needs MuJoCo's Filament renderer ({error}); use quality 'high'"
        ) from error
    return mjrf


@cache
def _hold_display(name: str) -> int:
    """Open a connection to the X server ``name`` that stays open until the process ends.

    It is checked here because Filament aborts the process without a display. It is not closed
    because an X server without clients resets and rejects connections meanwhile.
    """
    with suppress(OSError):  # the library is not installed
        x11 = ctypes.CDLL("libX11.so.6")
        x11.XOpenDisplay.restype = ctypes.c_void_p
        x11.XOpenDisplay.argtypes = [ctypes.c_char_p]
        if display := x11.XOpenDisplay(name.encode()):
            return int(display)
    raise MissingDependency(
        f"quality 'best' needs an X11 display; DISPLAY is {name!r}, which cannot be opened: "
        "put xvfb-run before the command (Debian's xvfb), or use quality 'high'"
    )


@contextmanager
def _quiet() -> Iterator[None]:
    """Redirect standard output and error to the null device within the block."""
    sys.stdout.flush(), sys.stderr.flush()
    kept = [(number, os.dup(number)) for number in (1, 2)]
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        for number, _ in kept:
            os.dup2(nowhere, number)
        yield
    finally:
        for number, saved in kept:
            os.dup2(saved, number)
            os.close(saved)
        os.close(nowhere)
