"""The best pictures: MuJoCo's Filament renderer, with soft light and shade where things touch.

It needs a display server on Linux (X11; ``xvfb-run`` does), though it draws off screen. In software
a picture takes seconds where `Renderer` takes tenths, and the first one longer: shaders are built.
Sensors never use it: what robots see stays as it was measured.
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
from grouser.rendering.appearance import APPEARANCE_FIELDS
from grouser.rendering.dress import dressed_ground
from grouser.rendering.image import Image
from grouser.rendering.renderer import OPTION, temporarily
from grouser.rendering.viewpoint import Viewpoint, mujoco_camera

_SAMPLES = 4  # of each pixel, so that edges are smooth


class FilamentRenderer:
    """Draws MuJoCo models into arrays of ``width`` x ``height`` pixels; as `Renderer` is used.

    Raises `MissingDependency` where Filament cannot draw.
    """

    def __init__(self, width: int, height: int) -> None:
        if width < 1 or height < 1:
            raise BadValue(f"renderer: a picture cannot be {width} x {height} pixels")
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
        """Return what ``view`` sees; a string names a camera of the model.

        ``data`` must be forwarded: everything is drawn where it stands there.
        """
        if self._context is None:
            raise BadValue("renderer: it is closed; open another one")
        with _quiet(), dressed_ground(model):
            self._show(model)
            self._scene.update(data)
            frame = self._context.render([self._request(model, data, view)], [self._read])
            self._context.wait_for_frame(frame)
        return self._pixels.copy()

    def close(self) -> None:
        """Give everything back; closing twice does no harm."""
        # What belongs to the context goes before it does.
        self._scene = self._drawn = self._read = self._target = None
        self._context = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _show(self, model: mujoco.MjModel) -> None:
        """Fill the scene, again where another model or other colours are to be seen."""
        looks = b"".join(getattr(model, field).tobytes() for field in APPEARANCE_FIELDS)
        if self._drawn is None or self._drawn[0] is not model or self._drawn[1] != looks:
            self._scene = None  # the old one first: both at once would be twice the memory
            self._scene = _FilamentScene(self._mjrf, self._context, model)
            self._drawn = model, looks

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
    """The lights and things of a model, as Filament keeps them."""

    def __init__(self, mjrf: Any, context: Any, model: mujoco.MjModel) -> None:
        self.things = context.create_scene(mjrf.SceneParams())
        self.things.configure_from_model(model)
        self.things.set_msaa(_SAMPLES)
        self._resources = mjrf.ModelResources(context, model)
        self._lights = mjrf.ModelLights(self.things, self._resources)
        self._renderables = mjrf.ModelRenderables(self.things, self._resources)
        self._renderables.set_options(OPTION)

    def update(self, data: mujoco.MjData) -> None:
        """Put everything where it stands in ``data``."""
        self._lights.update(data)
        self._renderables.update(data)


def require_filament() -> Any:
    """Return MuJoCo's bindings of Filament, or say why they cannot be used here."""
    if sys.platform == "linux":
        _hold_display(os.environ.get("DISPLAY", ""))
    try:
        import mujoco.studio  # noqa: F401, brings the materials that Filament draws with
        from mujoco import mjrf
    except ImportError as error:
        raise MissingDependency(
            f"quality 'best' needs MuJoCo's Filament renderer ({error}); take quality 'high'"
        ) from error
    return mjrf


@cache
def _hold_display(name: str) -> int:
    """Connect to an X server for as long as this process lives; without one, raise.

    Asked beforehand, because Filament would end the whole process. Never closed, because a server
    without clients starts anew, and whoever comes meanwhile is turned away.
    """
    with suppress(OSError):  # there is no such library
        x11 = ctypes.CDLL("libX11.so.6")
        x11.XOpenDisplay.restype = ctypes.c_void_p
        x11.XOpenDisplay.argtypes = [ctypes.c_char_p]
        if display := x11.XOpenDisplay(name.encode()):
            return int(display)
    raise MissingDependency(
        "quality 'best' needs an X11 display, and DISPLAY names none that answers: "
        "put xvfb-run before the command (Debian's xvfb), or take quality 'high'"
    )


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what Filament prints of itself from the terminal inside the block."""
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
