"""Cameras: what a robot sees through a real lens' data.

A camera notes the world's state whenever it is due; the picture is drawn when somebody first looks
at it, or never. All cameras of a process share one renderer. The picture is of the moment of the
reading's time, which is the middle of its exposure: a rolling shutter's upper rows are earlier, the
lower ones later, so a real camera's ``delay_s`` is at least half of read-out and exposure.

The shutter works from one wide view, warped by the camera's turning during read-out. With
``exact`` every row's moments are drawn one by one instead, the whole world moving on with its
speeds: a hundred times slower, to check the warp with.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.frames import Array, Pose, conjugate, radians, rotate
from grouser.rendering.image import Image
from grouser.rendering.renderer import shared_renderer
from grouser.rendering.snapshot import Snapshot, shared_loader
from grouser.sensors.imaging.cmos import SPARE_BYTES, CmosFilter
from grouser.sensors.imaging.imager import IMAGERS, Imager, resolve_imager
from grouser.sensors.imaging.lens import Lens
from grouser.sensors.mounted import MountedSensor, site_pose
from grouser.sensors.sensor import Needs, SensorContext, Value


@dataclass(frozen=True)
class Aim:
    """Where a camera looks within its mount, and how closely."""

    pan: float = 0.0
    """To the left, rad."""
    tilt: float = 0.0
    """Down, rad."""
    zoom: float = 1.0
    """Focal length over the lens' own."""

    @property
    def pose(self) -> Pose:
        """Pose of the aimed camera in its unaimed frame."""
        return Pose.at(pitch=self.tilt, yaw=self.pan)


@dataclass(frozen=True, kw_only=True)
class Camera(MountedSensor):
    """A camera; `ERS210_CAMERA` and `ERS7_CAMERA` are those of known robots."""

    name: str = "camera"
    rate_hz: float = 25.0
    """Pictures per second."""
    camera: str | Imager | Mapping[str, Any]
    """Lens, chip and shutter: an imager, its name, or its numbers as in a world file."""
    pan_deg: float = 0.0
    """How far it is turned to the left at the start; `BoundCamera.aim` turns it later."""
    tilt_deg: float = 0.0
    """How far it is turned down at the start."""
    zoom: float = 1.0
    """Focal length over the lens' own at the start."""
    exact: bool = False
    """Draw every moment of the exposure instead of warping one view."""
    record: bool = False
    """Draw every picture at once and keep its hash."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.lens.zoomed(self.zoom)  # raises if there is no such lens

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
        """Where it looks at the start."""
        return Aim(radians(self.pan_deg), radians(self.tilt_deg), self.zoom)

    def ideal(self) -> Self:
        """Return a pinhole camera of the same view, without any of the characteristics."""
        return replace(self, camera=self.imager.ideal())

    def bind(self, model: mujoco.MjModel, prefix: str) -> BoundCamera:
        """Return the camera of the robot whose names begin with ``prefix``."""
        return BoundCamera(self, self.site(model, prefix))


def _known_camera(imager: Imager, rate_hz: float) -> Camera:
    """Return the camera whose pictures can be read as soon as their last row has been exposed."""
    shutter = imager.shutter
    delay_s = (shutter.readout_s + shutter.exposure_s) / 2
    return Camera(mount="camera", camera=imager, rate_hz=rate_hz, delay_s=delay_s)


ERS210_CAMERA = _known_camera(IMAGERS["ers210"], rate_hz=25.0)  # cmos, sec. 4
"""On the robot's site ``camera``; ``replace(ERS210_CAMERA, mount="head")`` puts it elsewhere."""
ERS7_CAMERA = _known_camera(IMAGERS["ers7"], rate_hz=30.0)  # sources.md B2


@dataclass(frozen=True)
class Shot:
    """All that decides a picture; it can be drawn anywhere, by the same camera."""

    snapshot: Snapshot
    aim: Aim
    seed: int
    """Of its noise."""


class CameraFrame(Mapping[str, Value]):
    """What a camera says: ``image``, drawn when it is first asked for, and its ``digest``."""

    def __init__(self, shot: Shot, draw: Callable[[Shot], Image]) -> None:
        """Keep what to draw, and who can."""
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
    """What a camera keeps when the scene is composed anew."""

    aim: Aim
    hashes: dict[float, str] = field(default_factory=dict)
    """Of every recorded picture, by its time (s)."""


class BoundCamera:
    """A camera that knows its site."""

    needs = Needs.STATE  # it places everything itself, when it must

    def __init__(self, description: Camera, site: int) -> None:
        self._description, self._site = description, site
        self._filters: dict[float, CmosFilter] = {}
        self.memory = CameraMemory(description.aim)

    def aim(
        self, *, pan: float | None = None, tilt: float | None = None, zoom: float | None = None
    ) -> None:
        """Turn to the left and down (rad) and zoom; what is not given stays."""
        given = {"pan": pan, "tilt": tilt, "zoom": zoom}
        changes = {name: value for name, value in given.items() if value is not None}
        self.memory.aim = replace(self.memory.aim, **changes)

    def read(self, context: SensorContext, rng: np.random.Generator) -> CameraFrame:
        """Return the picture: ``image`` (height, width, 3) and ``digest`` (32,), both uint8."""
        seed = int(rng.integers(2**63))  # drawn even if nobody looks, so that looking is harmless
        snapshot = Snapshot.of(context.model, context.data)
        frame = CameraFrame(Shot(snapshot, self.memory.aim, seed), self.draw)
        if self._description.record:
            self.memory.hashes[float(context.data.time)] = frame.hash
        return frame

    def draw(self, shot: Shot) -> Image:
        """Return the picture of ``shot``, whose snapshot must be of this camera's model."""
        filter_ = self._filter(shot.aim.zoom)
        draw = _exactly if self._description.exact else _warped
        return draw(filter_, shot.snapshot, self._site, shot.aim.pose, shot.seed)

    def _filter(self, zoom: float) -> CmosFilter:
        if zoom not in self._filters:
            description = self._description.imager
            made = CmosFilter(description.lens.zoomed(zoom), description.cmos, description.shutter)
            self._filters = {zoom: made}  # a zoom that moves all the time must not pile up
        return self._filters[zoom]


def _warped(filter_: CmosFilter, snapshot: Snapshot, site: int, X_SC: Pose, seed: int) -> Image:
    """Draw one view, wide enough for what the camera sees while it turns, and warp it."""
    model, data = snapshot.model, shared_loader().load(snapshot)
    spin = _spin(model, data, site, X_SC)
    plane = filter_.source_plane(spin)
    pixels = np.empty(plane.width * plane.height * 3 + SPARE_BYTES, np.uint8)
    shared_renderer().draw_camera(
        model, data, site_pose(data, site) @ X_SC, plane, pixels[:-SPARE_BYTES]
    )
    matrix = plane.matrix(upside_down=True)
    return filter_.warped(pixels, plane, matrix, spin=spin, seed=seed)


def _exactly(filter_: CmosFilter, snapshot: Snapshot, site: int, X_SC: Pose, seed: int) -> Image:
    """Draw every moment that any row sees, with everything where it then is."""
    model, plane = snapshot.model, filter_.source_plane()
    slices = filter_.shutter.slices(filter_.lens.height)
    size = plane.width * plane.height * 3
    pixels = np.empty(size * len(slices.times) + SPARE_BYTES, np.uint8)
    for number, later in enumerate(slices.times.tolist()):
        data = shared_loader().load(snapshot, later)
        into: npt.NDArray[np.uint8] = pixels[number * size : (number + 1) * size]
        shared_renderer().draw_camera(model, data, site_pose(data, site) @ X_SC, plane, into)
    matrix = plane.matrix(upside_down=True)
    return filter_.sliced(pixels, plane, matrix, slices.seen, seed=seed)


def _spin(model: mujoco.MjModel, data: mujoco.MjData, site: int, X_SC: Pose) -> Array:
    """Return how the camera turns, rad/s about its x right, y down, z ahead."""
    velocity = np.zeros(6)
    mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_SITE, site, velocity, 1)
    ahead, left, up = rotate(conjugate(X_SC.wxyz), velocity[:3])
    return np.array([-left, -up, ahead])
