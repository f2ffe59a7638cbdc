"""Camera sensor: lens distortion, CMOS errors and rolling shutter.

A reading stores a copy of the state; its picture is rendered lazily, on first access. All
cameras of a process share one renderer. The reading's time is the middle of the exposure: with a
rolling shutter the upper rows are earlier and the lower rows later, so the ``delay_s`` of a real
camera is at least half of read-out plus exposure.

The rolling shutter warps one wide view by the camera's rotation during read-out. With ``exact``
every moment of the exposure is rendered instead, with the whole world extrapolated by its
velocities: a hundred times slower, for checking the warp.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, Self

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.description import Positive
from grouser.frames import Array, Pose, conjugate, radians, rotate
from grouser.physics.colour_temperature import LIGHT_NUMERIC
from grouser.rendering.image import Image
from grouser.rendering.render_state import RenderState, shared_loader
from grouser.rendering.renderer import shared_renderer
from grouser.sensors.imaging.cmos import SPARE_BYTES, CmosFilter
from grouser.sensors.imaging.imager import IMAGERS, Imager, ImagerField, resolve_imager
from grouser.sensors.imaging.lens import Lens
from grouser.sensors.sensor import MountedSensor, Needs, Rate, SensorContext, Value, site_pose


@dataclass(frozen=True)
class Aim:
    """Pan, tilt and zoom of a camera in its mount."""

    pan: float = 0.0
    """rad, left positive."""
    tilt: float = 0.0
    """rad, down positive."""
    zoom: float = 1.0
    """Focal length relative to the lens' own."""

    @property
    def pose(self) -> Pose:
        """Pose of the aimed camera in its unaimed frame."""
        return Pose.at(pitch=self.tilt, yaw=self.pan)


class Camera(MountedSensor):
    """Camera; `ERS210_CAMERA` and `ERS7_CAMERA` are those of known robots."""

    kind: Literal["camera"] = "camera"
    name: str = "camera"
    rate_hz: Rate = 25.0
    """Pictures per second."""
    camera: ImagerField
    """Lens, chip and shutter: an imager, its name, or its numbers as in a world file."""
    pan_deg: float = 0.0
    """Initial pan, left positive; changed by `BoundCamera.aim`."""
    tilt_deg: float = 0.0
    """Initial tilt, down positive."""
    zoom: Positive = 1.0
    """Initial zoom: focal length relative to the lens' own."""
    exact: bool = False
    """Render every moment of the exposure instead of warping one view."""
    record: bool = False
    """Render every picture immediately and keep its hash."""

    @property
    def imager(self) -> Imager:
        """Lens, chip and shutter."""
        return resolve_imager(self.camera)

    @property
    def lens(self) -> Lens:
        """The imager's lens, before any zoom."""
        return self.imager.lens

    @property
    def aim(self) -> Aim:
        """Initial pan, tilt and zoom."""
        return Aim(radians(self.pan_deg), radians(self.tilt_deg), self.zoom)

    def ideal(self) -> Self:
        """Return a pinhole camera with the same view and no errors."""
        return self.replace(camera=self.imager.ideal())

    def bind(self, model: mujoco.MjModel, prefix: str) -> BoundCamera:
        """Return the camera of the robot whose names begin with ``prefix``."""
        light = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_NUMERIC, LIGHT_NUMERIC)
        kelvin = None if light < 0 else float(model.numeric_data[model.numeric_adr[light]])
        return BoundCamera(self, self.site(model, prefix), kelvin)


def _known_camera(imager: Imager, rate_hz: float) -> Camera:
    """Return a camera whose pictures are available when their last row has been exposed."""
    shutter = imager.shutter
    delay_s = (shutter.readout_s + shutter.exposure_s) / 2
    return Camera(mount="camera", camera=imager, rate_hz=rate_hz, delay_s=delay_s)


ERS210_CAMERA = _known_camera(IMAGERS["ers210"], rate_hz=25.0)  # cmos, sec. 4
"""Mounted on the site ``camera``; ``ERS210_CAMERA.replace(mount="head")`` moves it."""
ERS7_CAMERA = _known_camera(IMAGERS["ers7"], rate_hz=30.0)  # sources.md B2


@dataclass(frozen=True)
class Shot:
    """Complete input of a picture; any process with the same camera can render it."""

    state: RenderState
    aim: Aim
    seed: int
    """Seed of its noise."""


class CameraFrame(Mapping[str, Value]):
    """Lazily rendered reading of a camera: ``image`` and its ``digest``."""

    def __init__(self, shot: Shot, draw: Callable[[Shot], Image]) -> None:
        """Store the input and the function that renders it."""
        self.shot, self._draw = shot, draw

    @cached_property
    def image(self) -> Image:
        """The picture, uint8 (height, width, 3)."""
        return self._draw(self.shot)

    @property
    def hash(self) -> str:
        """SHA-256 of the picture's bytes, in hexadecimal."""
        return hashlib.sha256(self.image.tobytes()).hexdigest()

    def __getitem__(self, name: str) -> Value:
        if name == "image":
            return self.image
        if name == "digest":
            return np.frombuffer(bytes.fromhex(self.hash), np.uint8)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(("image", "digest"))

    def __len__(self) -> int:
        return 2


@dataclass
class CameraMemory:
    """State of a camera that survives recompilation of the scene."""

    aim: Aim
    hashes: dict[float, str] = field(default_factory=dict)
    """SHA-256 of every recorded picture by its time (s)."""


class BoundCamera:
    """Camera bound to its site."""

    needs = Needs.STATE  # kinematics are computed at rendering

    def __init__(self, description: Camera, site: int, light_k: float | None = None) -> None:
        self._description, self._site, self._light_k = description, site, light_k
        self._filters: dict[float, CmosFilter] = {}
        self.memory = CameraMemory(description.aim)

    def aim(
        self, *, pan: float | None = None, tilt: float | None = None, zoom: float | None = None
    ) -> None:
        """Set pan (left), tilt (down), rad, and zoom; None keeps a value."""
        given = {"pan": pan, "tilt": tilt, "zoom": zoom}
        changes = {name: value for name, value in given.items() if value is not None}
        self.memory.aim = replace(self.memory.aim, **changes)

    def read(self, context: SensorContext, rng: np.random.Generator) -> CameraFrame:
        """Return the picture: ``image`` (height, width, 3) and ``digest`` (32,), both uint8."""
        seed = int(rng.integers(2**63))  # always drawn: rendering must not affect the random stream
        state = RenderState.of(context.model, context.data)
        frame = CameraFrame(Shot(state, self.memory.aim, seed), self.draw)
        if self._description.record:
            self.memory.hashes[context.time] = frame.hash
        return frame

    def draw(self, shot: Shot) -> Image:
        """Render ``shot``, whose state must be of this camera's model."""
        filter_ = self._filter(shot.aim.zoom)
        draw = _draw_exact if self._description.exact else _draw_warped
        return draw(filter_, shot.state, self._site, shot.aim.pose, shot.seed)

    def _filter(self, zoom: float) -> CmosFilter:
        if zoom not in self._filters:
            description = self._description.imager
            made = CmosFilter(
                description.lens.with_zoom(zoom),
                description.cmos.in_light(self._light_k),
                description.shutter,
            )
            self._filters = {zoom: made}  # only the latest zoom is cached
        return self._filters[zoom]


def _draw_warped(
    filter_: CmosFilter, state: RenderState, site: int, X_SC: Pose, seed: int
) -> Image:
    """Render one view that covers the whole exposure, and warp it."""
    model, data = state.model, shared_loader().load(state)
    spin = _spin(model, data, site, X_SC)
    plane = filter_.source_plane(spin)
    pixels = np.empty(plane.width * plane.height * 3 + SPARE_BYTES, np.uint8)
    shared_renderer().draw_camera(
        model, data, site_pose(data, site) @ X_SC, plane, pixels[:-SPARE_BYTES]
    )
    matrix = plane.matrix(upside_down=True)
    return filter_.apply_warped(pixels, plane, matrix, spin=spin, seed=seed)


def _draw_exact(filter_: CmosFilter, state: RenderState, site: int, X_SC: Pose, seed: int) -> Image:
    """Render every moment of the exposure with the state extrapolated to it."""
    model, plane = state.model, filter_.source_plane()
    slices = filter_.shutter.slices(filter_.lens.height)
    size = plane.width * plane.height * 3
    pixels = np.empty(size * len(slices.times) + SPARE_BYTES, np.uint8)
    for number, later in enumerate(slices.times.tolist()):
        data = shared_loader().load(state, later)
        into: npt.NDArray[np.uint8] = pixels[number * size : (number + 1) * size]
        shared_renderer().draw_camera(model, data, site_pose(data, site) @ X_SC, plane, into)
    matrix = plane.matrix(upside_down=True)
    return filter_.apply_sliced(pixels, plane, matrix, slices.seen, seed=seed)


def _spin(model: mujoco.MjModel, data: mujoco.MjData, site: int, X_SC: Pose) -> Array:
    """Return the angular velocity of the camera, rad/s about x right, y down, z ahead."""
    velocity = np.zeros(6)
    mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_SITE, site, velocity, 1)
    ahead, left, up = rotate(conjugate(X_SC.wxyz), velocity[:3])
    return np.array([-left, -up, ahead])
