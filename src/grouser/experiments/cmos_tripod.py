"""A camera on a tripod beside a pole: the characteristics of Asanuma et al. 2004, measured.

The camera turns about its own pinhole, so that geometry alone says what its pictures must show. All
measures come from the difference of two pictures, with the pole and without it, and are means over
all rows: a single row of a view that is drawn without smoothing is up to half a pixel off.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import mujoco
import numpy as np

from grouser.frames import Array, radians
from grouser.rendering.image import Image
from grouser.sensors.camera import Camera
from grouser.sensors.imaging.imager import Imager
from grouser.sensors.imaging.lens import Lens
from grouser.sensors.imaging.shutter import Shutter
from grouser.sensors.sensor import SensorContext
from grouser.world.visuals import add_visuals

SPEED = radians(300.0)  # rad/s   sec. 4.5: 0.30 deg/msec
DISTANCE, HALF_WIDTH, HALF_HEIGHT = 2.0, 0.06, 2.0  # m   the pole, higher than the view
DARK, WALL = (0.05, 0.05, 0.05, 1.0), (0.7, 0.7, 0.7, 1.0)


@dataclass(frozen=True)
class PoleTrace:
    """Where a pole is in a picture, row by row."""

    middle: Array
    """Column of its middle, (rows,)."""
    variance: Array
    """Of its darkness along the row, (rows,), pixels²."""


def pole_trace(imager: Imager, *, speed: float = 0.0, exact: bool = False) -> PoleTrace:
    """Return what a camera that turns to the left at ``speed`` (rad/s) makes of the pole."""
    camera = Camera(mount="tripod", camera=imager, exact=exact)
    empty, standing = (_picture(camera, speed, pole).astype(float) for pole in (False, True))
    dark = np.clip((empty - standing).sum(axis=2), 0.0, None)
    columns, total = np.arange(dark.shape[1]), dark.sum(axis=1)
    middle = dark @ columns / total
    away = columns - middle[:, None]
    return PoleTrace(middle, (dark * away * away).sum(axis=1) / total)


def lens_blur(imager: Imager) -> float:
    """Return the standard deviation of the lens blur, pixels: variances add up."""
    plain = replace(imager, cmos=replace(imager.cmos, blur=0.0))
    return math.sqrt(float(np.mean(pole_trace(imager).variance - pole_trace(plain).variance)))


def motion_blur(imager: Imager, *, exact: bool) -> float:
    """Return the length of the motion blur, pixels: an even one has the variance length² / 12."""
    instant = replace(imager, shutter=replace(imager.shutter, exposure_s=0.0))
    blurred, sharp = (pole_trace(i, speed=SPEED, exact=exact).variance for i in (imager, instant))
    return math.sqrt(12 * float(np.mean(blurred - sharp)))


def skew(imager: Imager, *, exact: bool) -> float:
    """Return how far the pole's foot is from its head, pixels, in the first and last row."""
    middle = pole_trace(imager, speed=SPEED, exact=exact).middle
    return float(middle[-1] - middle[0])


def predicted_skew(lens: Lens, shutter: Shutter) -> float:
    """Return what focal length, speed and line delay say, pixels."""
    first = SPEED * shutter.readout_s / lens.height * (lens.height - 1) / 2
    return 2 * lens.focal[0] * math.tan(first)


def predicted_motion_blur(lens: Lens, shutter: Shutter) -> float:
    """Return the way of the middle during the exposure, pixels."""
    return lens.focal[0] * SPEED * shutter.exposure_s


def _picture(camera: Camera, speed: float, pole: bool) -> Image:
    spec = mujoco.MjSpec()
    add_visuals(spec)
    box = mujoco.mjtGeom.mjGEOM_BOX
    spec.worldbody.add_geom(type=box, size=[0.1, 9, 9], pos=[6, 0, 0], rgba=WALL)
    if pole:
        size, place = [0.01, HALF_WIDTH, HALF_HEIGHT], [DISTANCE, 0, 0]
        spec.worldbody.add_geom(type=box, size=size, pos=place, rgba=DARK)
    body = spec.worldbody.add_body(name="tripod")
    body.add_joint(axis=[0, 0, 1])
    body.add_geom(size=[0.01, 0, 0], mass=1.0)
    camera.add(spec)
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qvel[:] = speed
    nothing = np.empty(0)  # a camera asks for no drives
    moment = SensorContext(model, data, (), lambda: nothing, nothing)
    return camera.bind(model, "").read(moment, np.random.default_rng(0)).image
