"""Offscreen renderer for images, videos and all simulated cameras.

It draws geoms only, without sites, rays and contact arrows. One renderer may draw several models
in turn; a change of the model rebuilds its buffers. With ``shadows=False, smooth=False`` it is
about ten times faster in software, which suits simulated cameras. All simulated cameras of a
process share one such renderer (`shared_renderer`), which renders the image size of each camera
(`Renderer.draw_camera`).

MuJoCo stores buffer sizes, tessellation and the free camera's field of view in the model. They are
set while MuJoCo reads them and restored afterwards, so that the caller's model does not change.

MuJoCo's shadow map of a directional light covers a fixed square around the light. A robot of half a
metre covers only a few dozen cells of it, so that edges of shadows look dashed. `fit_shadows` moves
the light above the point at which a viewpoint looks, which does not change the illumination, and
fits the square to the visible region.
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
from grouser.rendering.coarse_model import COARSE_QUALITY, coarse_copy, coarse_planes, out_of_view
from grouser.rendering.decoration import round_hulls, textured_ground
from grouser.rendering.image import DepthImage, Image
from grouser.rendering.image_plane import ImagePlane
from grouser.rendering.render_state import HIDDEN_GROUP, copy_appearance
from grouser.rendering.viewpoint import Viewpoint, mujoco_camera

_SPARE_GEOMS = 10_000  # tendons and flexes add geoms to a scene
_SOLID = mujoco.mjtCatBit.mjCAT_STATIC | mujoco.mjtCatBit.mjCAT_DYNAMIC  # no decoration
OPTION = mujoco.MjvOption()
"""Visualization options of all images: no sites."""
OPTION.sitegroup[:] = 0  # MuJoCo treats sites as solid, but they are only markers
_USER = mujoco.MjvCamera()  # camera type for which the caller sets OpenGL's camera
_USER.type = mujoco.mjtCamera.mjCAMERA_USER
_FIRST_BUFFER = (256, 256)  # pixels   initial buffer of the shared renderer

SHADOW_REACH = 3.0
"""Half the edge of the shadow map, in distances of the camera; where a nearer edge crosses the
ground, speckles appear."""
FINE_SHADOWS, COARSE_SHADOWS = 4096, 1024
"""Cells along the edge of a shadow map, for smooth and for fast images."""


class Renderer:
    """Offscreen renderer of MuJoCo models.

    Any thread may use it, but only one at a time. Close it, or use it in a ``with`` block.

    Args:
        width: width of the images, pixels.
        height: height of the images, pixels.
        shadows: draw shadows and reflections.
        smooth: use antialiasing, fine tessellation and `grouser.rendering.decoration`.

    Raises:
        BadValue: the image size is not positive.
        MissingDependency: no OpenGL back end works on this machine.
    """

    def __init__(
        self, width: int, height: int, *, shadows: bool = True, smooth: bool = True
    ) -> None:
        if width < 1 or height < 1:
            raise BadValue(f"renderer: {width} x {height} pixels; both must be at least 1")
        self.width, self.height = width, height
        self._shadows, self._smooth = shadows, smooth
        self._rect = mujoco.MjrRect(0, 0, width, height)
        self._buffer = (width, height)  # pixels   `draw_camera` may enlarge it
        self._built: _BuiltModel | None = None  # None: no model has been drawn
        self._gl: gl.GlContext | None = gl.open_context(width, height)  # None: closed

    def picture(self, model: mujoco.MjModel, data: mujoco.MjData, view: Viewpoint | str) -> Image:
        """Return the image of ``view``; a string names a camera of the model.

        ``data`` must be forwarded, because its derived poses are drawn.
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
        """Return the depth of each pixel along the viewing axis, m; `inf` for the sky."""
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
        """Render a camera image into ``pixels``, **lowest row first** as in OpenGL.

        The rows are not reversed, because that needs a copy and the CMOS filter accepts
        this order. ``X_WC`` is the camera's pose (x ahead, y left, z up); ``plane`` has
        square pixels.
        """
        rect = mujoco.MjrRect(0, 0, plane.width, plane.height)
        with self._drawing(model) as built:
            self._enlarge_buffer(built, plane)
            for camera in built.scene.camera:  # two for stereo, set to the same pose
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
        """Return the `depth` image of a camera that is given as in `draw_camera`."""
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
        """Release the buffers; further calls have no effect."""
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
        # MuJoCo's buffers must be freed while their OpenGL context is current.
        if hasattr(self, "_gl"):
            self.close()

    @contextmanager
    def _drawing(self, model: mujoco.MjModel) -> Iterator[_BuiltModel]:
        """Activate the OpenGL context and yield the buffers of ``model``, which are cached."""
        if self._gl is None:
            raise BadValue("renderer: it is closed; open another one")
        with self._gl.as_current():
            if self._built is None or self._built.model is not model:
                self._clear()
                self._built = self._build(model)
            yield self._built

    def _build(self, model: mujoco.MjModel) -> _BuiltModel:
        size = dict(zip(("offwidth", "offheight"), self._buffer, strict=True))
        cells = (FINE_SHADOWS if self._smooth else COARSE_SHADOWS) if self._shadows else 0
        quality = ({} if self._smooth else COARSE_QUALITY) | {"shadowsize": cells}
        drawn = model if self._smooth or self._shadows else coarse_copy(model)
        planes = nullcontext() if self._smooth else coarse_planes(drawn)
        with (
            temporarily(drawn.vis.global_, size),
            temporarily(drawn.vis.quality, quality),
            textured_ground(drawn) if self._smooth else nullcontext(),
            planes,
        ):
            context = mujoco.MjrContext(drawn, mujoco.mjtFontScale.mjFONTSCALE_100)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, context)
        context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR  # keeps precision at large depths
        scene = mujoco.MjvScene(model, maxgeom=model.ngeom + _SPARE_GEOMS)
        if not self._shadows:
            scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = 0
            scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = 0
        return _BuiltModel(model, drawn, scene, context, float(context.shadowClip))

    def _enlarge_buffer(self, built: _BuiltModel, plane: ImagePlane) -> None:
        """Enlarge the buffer to the size of ``plane`` if necessary."""
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
    """Model with its MuJoCo buffers; the reference to the model keeps its identity unique."""

    model: mujoco.MjModel
    drawn: mujoco.MjModel
    """Model that `Renderer.draw_camera` draws: the model itself, or its mutable coarse copy."""
    scene: mujoco.MjvScene
    context: mujoco.MjrContext
    shadow_clip: float
    """MuJoCo's default half size of the shadow map, m."""


@cache
def shared_renderer() -> Renderer:
    """Return the fast renderer that all simulated cameras of this process share."""
    renderer = Renderer(*_FIRST_BUFFER, shadows=False, smooth=False)
    atexit.register(renderer.close)  # releases the buffers before OpenGL is unloaded
    return renderer


def _aim(built: _BuiltModel, data: mujoco.MjData, view: Viewpoint | str) -> None:
    """Update the scene for ``view``."""
    free = {} if isinstance(view, str) else {"fovy": view.fovy_deg, "orthographic": 0}
    with temporarily(built.model.vis.global_, free):
        camera = mujoco_camera(built.model, view)
        mujoco.mjv_updateScene(built.model, data, OPTION, None, camera, _SOLID, built.scene)
    if isinstance(view, Viewpoint):
        fit_shadows(built.scene, built.context, view)
    else:
        built.context.shadowClip = built.shadow_clip


def fit_shadows(scene: mujoco.MjvScene, context: mujoco.MjrContext, view: Viewpoint) -> None:
    """Fit the shadow maps of directional lights to the region that ``view`` shows."""
    reach = SHADOW_REACH * view.distance
    context.shadowClip = reach
    for number in range(scene.nlight):
        light = scene.lights[number]
        if light.type == mujoco.mjtLightType.mjLIGHT_DIRECTIONAL and not light.headlight:
            light.pos[:] = np.asarray(view.lookat) - 2 * reach * np.asarray(light.dir)


def _place_camera(
    camera: mujoco.MjvGLCamera, model: mujoco.MjModel, X_WC: Pose, plane: ImagePlane
) -> None:
    """Set pose and frustum of OpenGL's camera."""
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
    """Return depths from OpenGL's depth buffer: 1 at the near plane and 0 at the far plane."""
    near = model.vis.map.znear * model.stat.extent
    far = model.vis.map.zfar * model.stat.extent
    value = nearness.astype(np.float64)  # float32 loses millimetres at large depths
    if orthographic:
        metres = far - value * (far - near)
    else:
        metres = near * far / (near + value * (far - near))
    return np.where(nearness > 0, metres, np.inf).astype(np.float32)


@contextmanager
def _shapes_only(scene: mujoco.MjvScene) -> Iterator[None]:
    """Draw only geoms within the block: sky, haze, shadows and reflections have no depth."""
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
    """Set attributes of ``settings`` within the block and restore them afterwards."""
    before = {name: getattr(settings, name) for name in values}
    try:
        for name, value in values.items():
            setattr(settings, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(settings, name, value)
