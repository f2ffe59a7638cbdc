"""Depth camera sensor: depth images and point clouds.

True depths come from the shared renderer; `grouser.sensors.imaging.depth_errors` has the error
models. Depths are along the optical axis, m, ``nan`` for invalid pixels. As with `Camera`, a
picture is rendered lazily, on first access.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal

import mujoco
import numpy as np
import numpy.typing as npt
from pydantic import PlainValidator, WithJsonSchema

from grouser.description import OneOf
from grouser.errors import BadValue
from grouser.frames import Array, Pose, radians
from grouser.rendering.image_plane import ImagePlane
from grouser.rendering.render_state import RenderState, RenderStateLoader, shared_loader
from grouser.rendering.renderer import Renderer, shared_renderer
from grouser.sensors.imaging.depth_errors import (
    GRAZING,
    Disparity,
    SurfaceNoise,
    TimeOfFlight,
    incidence_cosines,
)
from grouser.sensors.sensor import MountedSensor, Needs, Rate, SensorContext, Value, site_pose

Depths = npt.NDArray[np.float32]
"""Depth image, (height, width), m, top row first."""

_SKY = 1e6
"""Depth of the sky, m: beyond the range of any camera."""


@dataclass(frozen=True, kw_only=True)
class DepthOptics:
    """Resolution, range and error model of a depth camera."""

    plane: ImagePlane
    """Pixels that measure."""
    errors: TimeOfFlight | Disparity | None
    """Error model; None: exact."""
    near: float
    """Shortest measurable depth, m."""
    far: float
    """Largest measurable depth, m."""
    cloud: ImagePlane | None = None
    """Pixels of the output if it is registered to another camera."""
    grazing: float = GRAZING
    """Angle of incidence above which pixels are invalid, rad; estimate."""

    def __post_init__(self) -> None:
        if not (0 < self.near < self.far and 0 < self.grazing <= math.pi / 2):
            raise BadValue(
                f"depth camera: near {self.near}, far {self.far} m, grazing {self.grazing} rad; "
                "0 < near < far and 0 < grazing <= pi / 2 are needed"
            )

    @property
    def output_plane(self) -> ImagePlane:
        """Pixels of the output."""
        return self.cloud or self.plane


_KINECT2 = ImagePlane.centred(
    512, 424, 365.5
)  # roach, sec. 2.1; focal length: estimate, 70 x 60 degrees
_KINECT1_NOISE = SurfaceNoise(
    # Nguyen, Izadi, Lovell 2012: 1.2 mm + 1.9 mm (z - 0.4)²
    axial=(0.0012 + 0.0019 * 0.4**2, -2 * 0.0019 * 0.4, 0.0019),
    oblique=0.0001,
    oblique_power=-0.5,
    oblique_from=radians(60.0),
    lateral_px=0.8,
    lateral_oblique_px=0.035,
)
_KINECT2_NOISE = SurfaceNoise(
    # Fankhauser et al. 2015, indoors
    axial=(1.5e-3, -0.5e-3, 0.3e-3),
    oblique=0.1e-3,
    oblique_power=1.5,
    lateral=1.6e-3,
    # estimate: at 6 m the polynomial gives 9.3 mm, where the roach report's Table 3.1 has 5
    reach=3.0,
)
_KINECT2_ERRORS = TimeOfFlight(
    noise=_KINECT2_NOISE,
    # Fitted to the six errors of the roach report's Table 3.1 (a wall at 6 m, QHD) as one set.
    grain_part=0.6,
    grain=1.6,
    pattern_floor=0.5e-3,  # estimate
    pattern_growth=0.067e-3,
    pattern=30.0,
    sure=4.5,  # m   specified range
    silence=0.022,  # fitted to the number of points in the same table
)


def _kinect2(cloud: ImagePlane | None = None) -> DepthOptics:
    return DepthOptics(plane=_KINECT2, errors=_KINECT2_ERRORS, near=0.5, far=8.0, cloud=cloud)


DEPTH_CAMERAS: dict[str, DepthOptics] = {
    "kinect1": DepthOptics(
        plane=ImagePlane.centred(640, 480, 580.0),  # estimate: usual calibrations give 570 to 590
        errors=Disparity(
            baseline=0.075,  # m   usual calibrations
            steps=8,  # eighths of a pixel
            noise=_KINECT1_NOISE,
            window=3.0,  # estimate: correlation window of 9 pixels
        ),
        near=0.5,
        far=5.0,
    ),
    "kinect2": _kinect2(),  # 424 x 512
    "kinect2_qhd": _kinect2(
        ImagePlane.centred(960, 540, 540.7)
    ),  # roach, sec. 2.1; colour focal: estimate
    "kinect2_hd": _kinect2(ImagePlane.centred(1920, 1080, 1081.4)),
}
"""Known cameras. The Kinect 2's larger clouds are its 424 x 512 depths registered to its colour
camera, as its driver does; the 52 mm between the two cameras are neglected."""


def _optics(camera: Any) -> str | DepthOptics:
    return camera if isinstance(camera, DepthOptics) else OneOf(lambda: DEPTH_CAMERAS).check(camera)


class DepthCamera(MountedSensor):
    """Depth camera along the sensor's x, z up."""

    kind: Literal["depth"] = "depth"
    name: str = "depth"
    rate_hz: Rate = 30.0
    """Pictures per second."""
    camera: Annotated[
        str | DepthOptics, PlainValidator(_optics), WithJsonSchema({"enum": [*DEPTH_CAMERAS]})
    ] = "kinect2"
    """Name in `DEPTH_CAMERAS`, or optics."""

    @property
    def optics(self) -> DepthOptics:
        """Resolution, range and error model."""
        return DEPTH_CAMERAS[self.camera] if isinstance(self.camera, str) else self.camera

    def bind(self, model: mujoco.MjModel, prefix: str) -> BoundDepthCamera:
        """Return the camera of the robot whose names begin with ``prefix``."""
        return BoundDepthCamera(self.optics, self.site(model, prefix))

    def points(self, depths: npt.NDArray[Any]) -> Array:
        """Return the point cloud (n, 3) of all valid pixels in the sensor frame, m."""
        right, down = self.optics.output_plane.slopes()
        rows, columns = np.nonzero(np.isfinite(depths))
        ahead = depths[rows, columns].astype(float)
        return np.stack([ahead, -right[columns] * ahead, -down[rows] * ahead], axis=1)


@dataclass(frozen=True)
class DepthShot:
    """Complete input of a depth image; any process with the same camera can render it."""

    state: RenderState
    pattern_seed: int
    """Seed of the camera's fixed pattern."""
    seed: int
    """Seed of the noise of this image."""


class DepthFrame(Mapping[str, Value]):
    """Lazily rendered reading of a depth camera: ``depth``."""

    def __init__(self, shot: DepthShot, draw: Callable[[DepthShot], Depths]) -> None:
        """Store the input and the function that renders it."""
        self.shot, self._draw = shot, draw

    @cached_property
    def depth(self) -> Depths:
        """Depth image."""
        return self._draw(self.shot)

    @property
    def hash(self) -> str:
        """SHA-256 of the image's bytes, in hexadecimal."""
        return hashlib.sha256(self.depth.tobytes()).hexdigest()

    def __getitem__(self, name: str) -> Value:
        if name != "depth":
            raise KeyError(name)
        return self.depth

    def __iter__(self) -> Iterator[str]:
        return iter(("depth",))

    def __len__(self) -> int:
        return 1


class BoundDepthCamera:
    """Depth camera bound to its site."""

    needs = Needs.STATE  # kinematics are computed at rendering

    def __init__(self, optics: DepthOptics, site: int) -> None:
        self._optics, self.site = optics, site
        self.memory: int | None = None
        """Seed of the camera's fixed pattern; None before the first picture."""

    def read(self, context: SensorContext, rng: np.random.Generator) -> DepthFrame:
        """Return depth, float32 (height, width), m; nan: invalid."""
        if self.memory is None:
            self.memory = int(rng.integers(2**63))
        seed = int(rng.integers(2**63))  # always drawn: rendering must not affect the random stream
        state = RenderState.of(context.model, context.data)
        return DepthFrame(DepthShot(state, self.memory, seed), self.draw)

    def draw(
        self,
        shot: DepthShot,
        loader: RenderStateLoader | None = None,
        renderer: Renderer | None = None,
    ) -> Depths:
        """Render ``shot``, whose state must be of this camera's model, with the error model.

        Threads other than the main one need a loader and a renderer of their own.
        """
        data = (loader or shared_loader()).load(shot.state)
        X_WC, rng = site_pose(data, self.site), np.random.default_rng(shot.seed)
        model, seed = shot.state.model, shot.pattern_seed
        return depth_picture(model, data, X_WC, self._optics, seed, rng, renderer)


def depth_picture(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    X_WC: Pose,
    optics: DepthOptics,
    pattern_seed: int,
    rng: np.random.Generator,
    renderer: Renderer | None = None,
) -> Depths:
    """Return the depth image of a scene on the pixels of `DepthOptics.output_plane`.

    ``X_WC`` is the camera's pose (x ahead, y left, z up), ``pattern_seed`` that of its fixed
    pattern, ``rng`` the noise of this picture, ``renderer`` the one to be used (None: the shared).
    """
    true = (
        (renderer or shared_renderer()).camera_depth(model, data, X_WC, optics.plane).astype(float)
    )
    measured = corrupt(true, optics, pattern_seed, rng)
    if optics.cloud:
        measured = resample(measured, optics.plane, optics.cloud)
    return measured.astype(np.float32)


def corrupt(true: Array, optics: DepthOptics, pattern_seed: int, rng: np.random.Generator) -> Array:
    """Apply the error model to the ``true`` depths (height, width; m; ``inf``: sky).

    ``pattern_seed`` is that of the camera's fixed pattern, ``rng`` the noise of this picture.
    """
    steep = incidence_cosines(true, optics.plane) < math.cos(optics.grazing)
    measured = np.minimum(true, _SKY)
    if optics.errors:
        measured = optics.errors.measure(measured, steep, optics.plane, pattern_seed, rng)
    else:
        measured[steep] = np.nan
    measured[~((measured >= optics.near) & (measured <= optics.far))] = np.nan
    return measured


def resample(depths: Array, plane: ImagePlane, other: ImagePlane) -> Array:
    """Resample ``depths`` from ``plane`` to the pixels ``other``, from four valid ones each."""
    right, down = other.slopes()
    columns = right * plane.focal[0] + plane.centre[0]
    rows = down * plane.focal[1] + plane.centre[1]
    left, top = _pixel_before(columns, plane.width), _pixel_before(rows, plane.height)
    x, y = columns - left, (rows - top)[:, None]
    rowwise = (1 - y) * depths[top] + y * depths[top + 1]
    seen = (1 - x) * np.take(rowwise, left, axis=1) + x * np.take(rowwise, left + 1, axis=1)
    seen[(y[:, 0] < 0) | (y[:, 0] > 1)] = np.nan
    seen[:, (x < 0) | (x > 1)] = np.nan
    return np.asarray(seen)


def _pixel_before(places: Array, size: int) -> npt.NDArray[np.intp]:
    """Return the pixel before each position, clamped to the image."""
    return np.clip(np.floor(places), 0, size - 2).astype(np.intp)
