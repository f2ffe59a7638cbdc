"""The one renderer: pictures, videos and every simulated camera come out of it.

It draws what a camera would see and nothing else: no sites, no rays, no contact arrows. One
renderer may draw several models in turn; only a change of model costs a rebuild. With
``shadows=False, smooth=False`` it is about ten times faster in software, which is what sensor
cameras want; all of them in a process share one such renderer (`shared_renderer`), which draws for
each just the pixels it asks for (`Renderer.draw_camera`).

MuJoCo keeps buffer sizes, tessellation and the free camera's opening angle in the model. They
are set while MuJoCo looks at them and put back at once, so a caller's model never changes.
"""

from __future__ import annotations

import atexit
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.frames import Pose, rotate
from grouser.rendering import gl
from grouser.rendering.appearance import HIDDEN_GROUP, copy_appearance
from grouser.rendering.coarse_model import (
    COARSE_QUALITY,
    coarse_copy,
    coarse_planes,
    out_of_view,
)
from grouser.rendering.dress import dressed_ground, round_hulls
from grouser.rendering.image import DepthImage, Image
from grouser.rendering.image_plane import ImagePlane
from grouser.rendering.shadows import COARSE, FINE, fit_shadows
from grouser.rendering.viewpoint import Viewpoint, mujoco_camera

_SPARE_GEOMS = 10_000  # tendons and flexes put more into a scene than the model's own geoms
_SOLID = mujoco.mjtCatBit.mjCAT_STATIC | mujoco.mjtCatBit.mjCAT_DYNAMIC  # no decoration
OPTION = mujoco.MjvOption()
"""What is drawn: no sites."""
OPTION.sitegroup[:] = 0  # sites count as solid, but they mark places, not things
_USER = mujoco.MjvCamera()  # "the caller sets OpenGL's camera"
_USER.type = mujoco.mjtCamera.mjCAMERA_USER
_FIRST_BUFFER = (256, 256)  # pixels   of the shared renderer; it grows


class Renderer:
    """Draws MuJoCo models into arrays of ``width`` x ``height`` pixels.

    Any thread may use it, one at a time. Close it, or use it in a ``with`` block.

    Args:
        width: of every picture, pixels.
        height: of every picture, pixels.
        shadows: draw shadows and reflections.
        smooth: smooth edges, finely cut round shapes and what `dress` adds; else the fast path.
    """

    def __init__(
        self, width: int, height: int, *, shadows: bool = True, smooth: bool = True
    ) -> None:
        if width < 1 or height < 1:
            raise BadValue(f"renderer: a picture cannot be {width} x {height} pixels")
        self.width, self.height = width, height
        self._shadows, self._smooth = shadows, smooth
        self._rect = mujoco.MjrRect(0, 0, width, height)
        self._buffer = (width, height)  # pixels   `draw_camera` may need more than a picture does
        self._built: _BuiltModel | None = None  # None: no model has been drawn
        self._gl: gl.GlContext | None = gl.open_context(width, height)  # None: closed

    def picture(self, model: mujoco.MjModel, data: mujoco.MjData, view: Viewpoint | str) -> Image:
        """Return what ``view`` sees; a string names a camera of the model.

        ``data`` must be forwarded: everything is drawn where it stands there.
        """
        pixels = np.empty((self.height, self.width, 3), np.uint8)
        with self._drawing(model) as built:
            _aim(built, data, view)
            if self._smooth:
                round_hulls(built.scene, model)
            mujoco.mjr_render(self._rect, built.scene, built.context)
            mujoco.mjr_readPixels(pixels, None, self._rect, built.context)
        return np.ascontiguousarray(pixels[::-1])  # OpenGL's first row is the lowest

    def depth(
        self, model: mujoco.MjModel, data: mujoco.MjData, view: Viewpoint | str
    ) -> DepthImage:
        """Return how far each pixel's surface is along the axis of view, m; the sky is `inf`."""
        nearness = np.empty((self.height, self.width), np.float32)
        with self._drawing(model) as built:
            _aim(built, data, view)
            with _shapes_only(built.scene):
                mujoco.mjr_render(self._rect, built.scene, built.context)
            mujoco.mjr_readPixels(None, nearness, self._rect, built.context)
            return _depth_in_metres(nearness[::-1], model, bool(built.scene.camera[0].orthographic))

    def draw_camera(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        X_WC: Pose,
        plane: ImagePlane,
        pixels: npt.NDArray[np.uint8],
    ) -> None:
        """Fill ``pixels`` with what a camera sees, **lowest row first**, as OpenGL gives it.

        Turning the picture over would cost a copy, and the CMOS filter need not have it turned.

        Args:
            model: what is drawn.
            data: forwarded; everything is drawn where it stands there.
            X_WC: pose of the camera: x ahead, y left, z up.
            plane: size and opening of the picture; its pixels must be square.
            pixels: (height x width x 3,), contiguous.
        """
        rect = mujoco.MjrRect(0, 0, plane.width, plane.height)
        with self._drawing(model) as built:
            self._enlarge_buffer(built, plane)
            for camera in built.scene.camera:  # two, for a stereo picture; both see the same
                _place_camera(camera, model, X_WC, plane)
            drawn = built.drawn
            if drawn is not model:
                copy_appearance(model, drawn)
                drawn.geom_group[out_of_view(model, data, X_WC, plane)] = HIDDEN_GROUP
            mujoco.mjv_updateScene(drawn, data, OPTION, None, _USER, _SOLID, built.scene)
            mujoco.mjr_render(rect, built.scene, built.context)
            mujoco.mjr_readPixels(pixels, None, rect, built.context)

    def camera_depth(
        self, model: mujoco.MjModel, data: mujoco.MjData, X_WC: Pose, plane: ImagePlane
    ) -> DepthImage:
        """Return `depth` for a camera that is placed as in `draw_camera`."""
        nearness = np.empty((plane.height, plane.width), np.float32)
        rect = mujoco.MjrRect(0, 0, plane.width, plane.height)
        with self._drawing(model) as built:
            self._enlarge_buffer(built, plane)
            for camera in built.scene.camera:
                _place_camera(camera, model, X_WC, plane)
            mujoco.mjv_updateScene(model, data, OPTION, None, _USER, _SOLID, built.scene)
            with _shapes_only(built.scene):
                mujoco.mjr_render(rect, built.scene, built.context)
            mujoco.mjr_readPixels(None, nearness, rect, built.context)
        return _depth_in_metres(nearness[::-1], model, orthographic=False)

    def close(self) -> None:
        """Give the buffers back; closing twice does no harm."""
        if self._gl is None:
            return
        with self._gl.as_current():
            self._clear()
        self._gl.free()
        self._gl = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        # MuJoCo may free its buffers only while their OpenGL context is current.
        if hasattr(self, "_gl"):
            self.close()

    @contextmanager
    def _drawing(self, model: mujoco.MjModel) -> Iterator[_BuiltModel]:
        """Make OpenGL draw here and give ``model`` its buffers, which stay for the next call."""
        if self._gl is None:
            raise BadValue("renderer: it is closed; open another one")
        with self._gl.as_current():
            if self._built is None or self._built.model is not model:
                self._clear()
                self._built = self._build(model)
            yield self._built

    def _build(self, model: mujoco.MjModel) -> _BuiltModel:
        size = dict(zip(("offwidth", "offheight"), self._buffer, strict=True))
        cells = (FINE if self._smooth else COARSE) if self._shadows else 0
        quality = ({} if self._smooth else COARSE_QUALITY) | {"shadowsize": cells}
        drawn = model if self._smooth or self._shadows else coarse_copy(model)
        planes = nullcontext() if self._smooth else coarse_planes(drawn)
        with (
            temporarily(drawn.vis.global_, size),
            temporarily(drawn.vis.quality, quality),
            dressed_ground(drawn) if self._smooth else nullcontext(),
            planes,
        ):
            context = mujoco.MjrContext(drawn, mujoco.mjtFontScale.mjFONTSCALE_100)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, context)
        context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR  # exact far away, too
        scene = mujoco.MjvScene(model, maxgeom=model.ngeom + _SPARE_GEOMS)
        if not self._shadows:
            scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = 0
            scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = 0
        return _BuiltModel(model, drawn, scene, context, float(context.shadowClip))

    def _enlarge_buffer(self, built: _BuiltModel, plane: ImagePlane) -> None:
        """Make the buffer large enough for ``plane``."""
        needed = max(self._buffer[0], plane.width), max(self._buffer[1], plane.height)
        if needed != self._buffer:
            self._buffer = needed
            mujoco.mjr_resizeOffscreen(*needed, built.context)

    def _clear(self) -> None:
        if self._built is not None:
            self._built.context.free()
            self._built = None


@dataclass(frozen=True)
class _BuiltModel:
    """A model and MuJoCo's buffers for it; holding the model keeps its identity unique."""

    model: mujoco.MjModel
    drawn: mujoco.MjModel
    """What `Renderer.draw_camera` draws: the model, or a coarse copy of it that it may change."""
    scene: mujoco.MjvScene
    context: mujoco.MjrContext
    shadow_clip: float
    """MuJoCo's own choice of how far shadows reach, m."""


@cache
def shared_renderer() -> Renderer:
    """Return the one fast renderer that all simulated cameras of this process share."""
    renderer = Renderer(*_FIRST_BUFFER, shadows=False, smooth=False)
    atexit.register(renderer.close)  # OpenGL must still be there when the buffers are given back
    return renderer


def _aim(built: _BuiltModel, data: mujoco.MjData, view: Viewpoint | str) -> None:
    """Fill the scene with what stands in front of ``view``."""
    free = {} if isinstance(view, str) else {"fovy": view.fovy_deg, "orthographic": 0}
    with temporarily(built.model.vis.global_, free):
        camera = mujoco_camera(built.model, view)
        mujoco.mjv_updateScene(built.model, data, OPTION, None, camera, _SOLID, built.scene)
    if isinstance(view, Viewpoint):
        fit_shadows(built.scene, built.context, view)
    else:
        built.context.shadowClip = built.shadow_clip


def _place_camera(
    camera: mujoco.MjvGLCamera, model: mujoco.MjModel, X_WC: Pose, plane: ImagePlane
) -> None:
    """Aim OpenGL's camera; OpenGL itself opens it sideways as far as the picture is wide."""
    focal, (cx, cy) = plane.focal[0], plane.centre
    near = model.vis.map.znear * model.stat.extent
    pixel = near / focal
    camera.pos[:] = X_WC.position
    camera.forward[:] = rotate(X_WC.wxyz, (1.0, 0.0, 0.0))
    camera.up[:] = rotate(X_WC.wxyz, (0.0, 0.0, 1.0))
    camera.frustum_center = ((plane.width - 1) / 2 - cx) * pixel
    camera.frustum_bottom = (cy - (plane.height - 0.5)) * pixel
    camera.frustum_top = (cy + 0.5) * pixel
    camera.frustum_width = plane.width / 2 * pixel
    camera.frustum_near = near
    camera.frustum_far = model.vis.map.zfar * model.stat.extent
    camera.orthographic = 0


def _depth_in_metres(nearness: DepthImage, model: mujoco.MjModel, orthographic: bool) -> DepthImage:
    """Undo OpenGL's projection: ``nearness`` is 1 at the near plane and 0 at the far one."""
    near = model.vis.map.znear * model.stat.extent
    far = model.vis.map.zfar * model.stat.extent
    value = nearness.astype(np.float64)  # 32 bits would lose the far millimetres
    if orthographic:
        metres = far - value * (far - near)
    else:
        metres = near * far / (near + value * (far - near))
    return np.where(nearness > 0, metres, np.inf).astype(np.float32)


@contextmanager
def _shapes_only(scene: mujoco.MjvScene) -> Iterator[None]:
    """Draw shapes alone inside the block: sky, haze, shadows and mirrors have no depth."""
    before = scene.flags.copy()
    scene.flags[:] = 0
    scene.flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = 1
    scene.flags[mujoco.mjtRndFlag.mjRND_CULL_FACE] = 1
    try:
        yield
    finally:
        scene.flags[:] = before


@contextmanager
def temporarily(settings: Any, values: Mapping[str, float]) -> Iterator[None]:
    """Set attributes of ``settings`` inside the block and put the old ones back."""
    before = {name: getattr(settings, name) for name in values}
    try:
        for name, value in values.items():
            setattr(settings, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(settings, name, value)
