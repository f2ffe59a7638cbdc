"""The one renderer: pictures, videos and every simulated camera come out of it.

It draws what a camera would see and nothing else: no sites, no rays, no contact arrows. One
renderer may draw several models in turn; only a change of model costs a rebuild. With
``shadows=False, smooth=False`` it is about ten times faster in software, which is what sensor
cameras want; all of them in a process share one such renderer (`shared`), which draws for each
just the pixels it asks for (`Renderer.look`).

MuJoCo keeps buffer sizes, tessellation and the free camera's opening angle in the model. They
are set while MuJoCo looks at them and put back at once, so a caller's model never changes.
"""

from __future__ import annotations

import atexit
import copy
import io
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Self

import mujoco
import numpy as np
import numpy.typing as npt

from grouser import files
from grouser.errors import BadValue, unknown
from grouser.frames import Pose, conjugate, rotate
from grouser.rendering import gl
from grouser.rendering.image_plane import ImagePlane

Image = npt.NDArray[np.uint8]
"""A picture: (height, width, 3), red, green, blue, top row first."""

DepthImage = npt.NDArray[np.float32]
"""Distances along the viewing axis: (height, width), m, top row first, ``inf`` for the sky."""

_COARSE = {"offsamples": 0, "numslices": 12, "numstacks": 6, "numquads": 1}
_SPARE_GEOMS = 10_000  # tendons and flexes put more into a scene than the model's own geoms
_SOLID = mujoco.mjtCatBit.mjCAT_STATIC | mujoco.mjtCatBit.mjCAT_DYNAMIC  # no decoration
_OPTION = mujoco.MjvOption()
_OPTION.sitegroup[:] = 0  # sites count as solid, but they mark places, not things
_USER = mujoco.MjvCamera()  # "the caller sets OpenGL's camera"
_USER.type = mujoco.mjtCamera.mjCAMERA_USER
_COARSE_GRID = 0.5  # m   planes are lit at the corners of a grid; 0.1 m took half of all the time
_ROUND = (  # their first size is a radius
    mujoco.mjtGeom.mjGEOM_SPHERE,
    mujoco.mjtGeom.mjGEOM_CAPSULE,
    mujoco.mjtGeom.mjGEOM_CYLINDER,
)
_HIDDEN = 5  # a geom group that is not drawn
_ROOM = (256, 256)  # pixels   what the shared renderer starts with; it grows

LOOKS = ("geom_group", "geom_rgba", "mat_rgba", "mat_emission", "light_active")
"""Fields of a model that may change while its world runs, and change what is seen."""


@dataclass(frozen=True)
class Viewpoint:
    """A camera that floats free in the world and looks at a point."""

    lookat: tuple[float, float, float]
    """The point in the middle of the picture, world frame, m."""
    distance: float
    """From the camera to that point, m."""
    azimuth_deg: float
    """Direction of view about z: 0 looks along +x, 90 along +y."""
    elevation_deg: float
    """Direction of view over the horizon: -90 looks straight down."""
    fovy_deg: float = 45.0
    """Vertical opening angle, between 0 and 180."""


class Renderer:
    """Draws MuJoCo models into arrays of ``width`` x ``height`` pixels.

    Any thread may use it, one at a time. Close it, or use it in a ``with`` block.

    Args:
        width: of every picture, pixels.
        height: of every picture, pixels.
        shadows: draw shadows and reflections.
        smooth: smooth edges and finely cut round shapes; else the fast path.
    """

    def __init__(
        self, width: int, height: int, *, shadows: bool = True, smooth: bool = True
    ) -> None:
        if width < 1 or height < 1:
            raise BadValue(f"renderer: a picture cannot be {width} x {height} pixels")
        self.width, self.height = width, height
        self._shadows, self._smooth = shadows, smooth
        self._rect = mujoco.MjrRect(0, 0, width, height)
        self._room = (width, height)  # of the buffer; `look` may need more than a picture does
        self._stage: _Stage | None = None  # None: no model has been drawn
        self._gl: gl.Context | None = gl.context(width, height)  # None: closed

    def picture(self, model: mujoco.MjModel, data: mujoco.MjData, view: Viewpoint | str) -> Image:
        """Return what ``view`` sees; a string names a camera of the model.

        ``data`` must be forwarded: everything is drawn where it stands there.
        """
        pixels = np.empty((self.height, self.width, 3), np.uint8)
        with self._staged(model) as stage:
            _aim(stage, data, view)
            mujoco.mjr_render(self._rect, stage.scene, stage.context)
            mujoco.mjr_readPixels(pixels, None, self._rect, stage.context)
        return np.ascontiguousarray(pixels[::-1])  # OpenGL's first row is the lowest

    def depth(
        self, model: mujoco.MjModel, data: mujoco.MjData, view: Viewpoint | str
    ) -> DepthImage:
        """Return how far each pixel's surface is along the axis of view, m; the sky is `inf`."""
        nearness = np.empty((self.height, self.width), np.float32)
        with self._staged(model) as stage:
            _aim(stage, data, view)
            with _bare(stage.scene):
                mujoco.mjr_render(self._rect, stage.scene, stage.context)
            mujoco.mjr_readPixels(None, nearness, self._rect, stage.context)
            return _metres(nearness[::-1], model, bool(stage.scene.camera[0].orthographic))

    def look(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        X_WE: Pose,
        plane: ImagePlane,
        pixels: npt.NDArray[np.uint8],
    ) -> None:
        """Fill ``pixels`` with what an eye sees, **lowest row first**, as OpenGL gives it.

        Turning the picture over would cost a copy, and the CMOS filter need not have it turned.

        Args:
            model: what is drawn.
            data: forwarded; everything is drawn where it stands there.
            X_WE: pose of the eye: x ahead, y left, z up.
            plane: size and opening of the picture; its pixels must be square.
            pixels: (height x width x 3,), contiguous.
        """
        rect = mujoco.MjrRect(0, 0, plane.width, plane.height)
        with self._staged(model) as stage:
            self._make_room(stage, plane)
            for camera in stage.scene.camera:  # one for each eye of a stereo picture
                _set_eye(camera, model, X_WE, plane)
            drawn = stage.drawn
            if drawn is not model:
                _keep_up(drawn, model)
                drawn.geom_group[_unseen(model, data, X_WE, plane)] = _HIDDEN
            mujoco.mjv_updateScene(drawn, data, _OPTION, None, _USER, _SOLID, stage.scene)
            mujoco.mjr_render(rect, stage.scene, stage.context)
            mujoco.mjr_readPixels(pixels, None, rect, stage.context)

    def depths(
        self, model: mujoco.MjModel, data: mujoco.MjData, X_WE: Pose, plane: ImagePlane
    ) -> DepthImage:
        """Return how far ahead of an eye each pixel's surface is, as `depth`; eyes as in `look`."""
        nearness = np.empty((plane.height, plane.width), np.float32)
        rect = mujoco.MjrRect(0, 0, plane.width, plane.height)
        with self._staged(model) as stage:
            self._make_room(stage, plane)
            for camera in stage.scene.camera:
                _set_eye(camera, model, X_WE, plane)
            mujoco.mjv_updateScene(model, data, _OPTION, None, _USER, _SOLID, stage.scene)
            with _bare(stage.scene):
                mujoco.mjr_render(rect, stage.scene, stage.context)
            mujoco.mjr_readPixels(None, nearness, rect, stage.context)
        return _metres(nearness[::-1], model, orthographic=False)

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
    def _staged(self, model: mujoco.MjModel) -> Iterator[_Stage]:
        """Make OpenGL draw here and put ``model`` on stage, where it stays for the next call."""
        if self._gl is None:
            raise BadValue("renderer: it is closed; open another one")
        with self._gl.as_current():
            if self._stage is None or self._stage.model is not model:
                self._clear()
                self._stage = self._build(model)
            yield self._stage

    def _build(self, model: mujoco.MjModel) -> _Stage:
        size = dict(zip(("offwidth", "offheight"), self._room, strict=True))
        quality = ({} if self._smooth else _COARSE) | ({} if self._shadows else {"shadowsize": 0})
        drawn = model if self._smooth or self._shadows else _coarse(model)
        with _for_now(drawn.vis.global_, size), _for_now(drawn.vis.quality, quality):
            context = mujoco.MjrContext(drawn, mujoco.mjtFontScale.mjFONTSCALE_100)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, context)
        context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR  # exact far away, too
        scene = mujoco.MjvScene(model, maxgeom=model.ngeom + _SPARE_GEOMS)
        if not self._shadows:
            scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = 0
            scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = 0
        return _Stage(model, drawn, scene, context)

    def _make_room(self, stage: _Stage, plane: ImagePlane) -> None:
        room = max(self._room[0], plane.width), max(self._room[1], plane.height)
        if room != self._room:
            self._room = room
            mujoco.mjr_resizeOffscreen(*room, stage.context)

    def _clear(self) -> None:
        if self._stage is not None:
            self._stage.context.free()
            self._stage = None


@dataclass(frozen=True)
class _Stage:
    """A model and MuJoCo's buffers for it; holding the model keeps its identity unique."""

    model: mujoco.MjModel
    drawn: mujoco.MjModel
    """What `Renderer.look` draws: the model, or a coarse copy of it that it may change."""
    scene: mujoco.MjvScene
    context: mujoco.MjrContext


@cache
def shared() -> Renderer:
    """Return the one fast renderer that all simulated cameras of this process share."""
    renderer = Renderer(*_ROOM, shadows=False, smooth=False)
    atexit.register(renderer.close)  # OpenGL must still be there when the buffers are given back
    return renderer


def write_png(path: Path | str, image: Image) -> None:
    """Write a picture to ``path`` as PNG, whole or not at all."""
    from PIL import Image as Pillow  # comes with matplotlib; only pictures need it

    encoded = io.BytesIO()
    Pillow.fromarray(image).save(encoded, "PNG")
    files.write_bytes(path, encoded.getvalue())


def _aim(stage: _Stage, data: mujoco.MjData, view: Viewpoint | str) -> None:
    """Fill the scene with what stands in front of ``view``."""
    free = {} if isinstance(view, str) else {"fovy": view.fovy_deg, "orthographic": 0}
    with _for_now(stage.model.vis.global_, free):
        camera = _camera(stage.model, view)
        mujoco.mjv_updateScene(stage.model, data, _OPTION, None, camera, _SOLID, stage.scene)


def _camera(model: mujoco.MjModel, view: Viewpoint | str) -> mujoco.MjvCamera:
    camera = mujoco.MjvCamera()
    if isinstance(view, str):
        camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
        camera.fixedcamid = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_CAMERA, view)
        if camera.fixedcamid < 0:
            names = (model.camera(i).name for i in range(model.ncam))
            raise unknown("picture", "camera", view, filter(None, names))
    else:
        camera.type = mujoco.mjtCamera.mjCAMERA_FREE
        camera.lookat[:] = view.lookat
        camera.distance = view.distance
        camera.azimuth = view.azimuth_deg
        camera.elevation = view.elevation_deg
    return camera


def _set_eye(
    camera: mujoco.MjvGLCamera, model: mujoco.MjModel, X_WE: Pose, plane: ImagePlane
) -> None:
    """Aim OpenGL's camera; OpenGL itself opens it sideways as far as the picture is wide."""
    focal, (cx, cy) = plane.focal[0], plane.centre
    near = model.vis.map.znear * model.stat.extent
    pixel = near / focal
    camera.pos[:] = X_WE.position
    camera.forward[:] = rotate(X_WE.wxyz, (1.0, 0.0, 0.0))
    camera.up[:] = rotate(X_WE.wxyz, (0.0, 0.0, 1.0))
    camera.frustum_center = ((plane.width - 1) / 2 - cx) * pixel
    camera.frustum_bottom = (cy - (plane.height - 0.5)) * pixel
    camera.frustum_top = (cy + 0.5) * pixel
    camera.frustum_width = plane.width / 2 * pixel
    camera.frustum_near = near
    camera.frustum_far = model.vis.map.zfar * model.stat.extent
    camera.orthographic = 0


def _unseen(
    model: mujoco.MjModel, data: mujoco.MjData, X_WE: Pose, plane: ImagePlane
) -> npt.NDArray[np.bool_]:
    """Say of every geom whether the sphere around it lies outside what an eye can see.

    MuJoCo draws all geoms, seen or not, and in software each costs as much as a thousand pixels.
    """
    radius = model.geom_rbound
    ahead, left, up = rotate(conjugate(X_WE.wxyz), data.geom_xpos - X_WE.position).T
    focal, (cx, cy) = plane.focal[0], plane.centre
    outside = ahead < -radius
    for aside, pixels in (
        (left, cx + 0.5),
        (-left, plane.width - 0.5 - cx),
        (up, cy + 0.5),
        (-up, plane.height - 0.5 - cy),
    ):
        slope = pixels / focal
        outside |= aside - slope * ahead > radius * math.hypot(1.0, slope)
    return np.asarray(outside & (radius > 0))  # an endless plane has no radius


def _coarse(model: mujoco.MjModel) -> mujoco.MjModel:
    """Return a copy for drawing: planes cut coarsely, round shapes as large as they look."""
    drawn = copy.copy(model)
    planes = model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE
    drawn.geom_size[planes, 2] = np.maximum(model.geom_size[planes, 2], _COARSE_GRID)
    # A circle is drawn as a polygon inside it; this makes its area the circle's.
    step = math.tau / _COARSE["numslices"]
    drawn.geom_size[np.isin(model.geom_type, _ROUND), 0] *= math.sqrt(step / math.sin(step))
    return drawn


def _keep_up(drawn: mujoco.MjModel, model: mujoco.MjModel) -> None:
    """Copy what may change while a world runs."""
    for field in LOOKS:
        getattr(drawn, field)[:] = getattr(model, field)


def _metres(nearness: DepthImage, model: mujoco.MjModel, orthographic: bool) -> DepthImage:
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
def _bare(scene: mujoco.MjvScene) -> Iterator[None]:
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
def _for_now(settings: Any, values: Mapping[str, float]) -> Iterator[None]:
    """Set attributes of ``settings`` inside the block and put the old ones back."""
    before = {name: getattr(settings, name) for name in values}
    try:
        for name, value in values.items():
            setattr(settings, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(settings, name, value)
