"""Viewing directions of the pixels of a robot's camera, from lens data and neck angles.

Directions and poses are given in the robot's footprint frame: origin on the ground below the origin
of the body, x forward, y left, z up. Pixels are columns and rows; the middle of the upper left
pixel is (0, 0).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from grouser.frames import Array, Pose, rotate

Vector = tuple[float, float, float]


@dataclass(frozen=True, kw_only=True)
class Neck:
    """Neck with the joints tilt, pan and roll in this order, on a level body."""

    at: Vector
    """Intersection of the tilt and pan axes in the footprint, m."""
    up: float
    """Height of the roll axis above the tilt axis, m."""
    ahead: float
    """Distance of the lens along the roll axis, m."""

    def gaze(self, tilt: float, pan: float, roll: float = 0.0) -> Pose:
        """Return the pose of the lens, x along its axis; angles in rad, up and left positive."""
        head = Pose(np.array(self.at)) @ Pose.at(pitch=-tilt) @ Pose.at(yaw=pan)
        return head @ Pose.at(z=self.up, roll=roll) @ Pose.at(x=self.ahead)


@dataclass(frozen=True, kw_only=True)
class NoddingNeck:
    """Neck with a tilt joint at its lower end, and pan and nod joints at the head, as the ERS-7."""

    at: Vector
    """Position of the tilt axis in the footprint, m."""
    length: float
    """Distance from the tilt axis to the pan and nod axes, m."""
    lens: Vector
    """Offset of the lens from the pan and nod axes, along the head's axes, m."""

    def gaze(self, tilt: float, pan: float, nod: float) -> Pose:
        """Return the pose of the lens, x along its axis; angles in rad, up and left positive."""
        head = Pose(np.array(self.at)) @ Pose.at(pitch=-tilt) @ Pose.at(z=self.length)
        return head @ Pose.at(yaw=pan) @ Pose.at(pitch=-nod) @ Pose(np.array(self.lens))


@dataclass(frozen=True, kw_only=True)
class CameraOptics:
    """Intrinsic calibration of a camera: image size, focal lengths and distortion."""

    width: int
    """Number of columns."""
    height: int
    """Number of rows."""
    focal: tuple[float, float]
    """Focal lengths across and down, pixels."""
    kappa: float = 0.0
    """Radial distortion (cmos, eq. 2) of normalised image coordinates; 0: a pinhole."""

    @property
    def centre(self) -> tuple[float, float]:
        """Column and row of the optical axis: the middle of the image."""
        return (self.width - 1) / 2, (self.height - 1) / 2

    def directions(self, pixels: npt.ArrayLike, gaze: Pose) -> Array:
        """Return viewing directions ``(…, 3)`` of pixels ``(…, 2)``, of length 1 along the axis."""
        # Exact inverse of eq. 2: division by 1 + kappa r².
        seen = (np.asarray(pixels, float) - self.centre) / self.focal
        seen = seen / (1 + self.kappa * (seen * seen).sum(axis=-1, keepdims=True))
        ahead = np.ones(seen.shape[:-1])
        return rotate(gaze.wxyz, np.stack([ahead, -seen[..., 0], -seen[..., 1]], axis=-1))

    @cached_property
    def solid_angles(self) -> Array:
        """Solid angle of every pixel, (height, width), sr."""
        rows, columns = np.mgrid[: self.height, : self.width]
        seen = (np.stack([columns, rows], axis=-1) - self.centre) / self.focal
        bent = self.kappa * (seen * seen).sum(axis=-1)
        true2 = (seen * seen).sum(axis=-1) / (1 + bent) ** 2
        # Area of a pixel in the distorted image, in the pinhole image, and its solid angle.
        pixel = 1 / (self.focal[0] * self.focal[1])
        return np.asarray(pixel * (1 - bent) / (1 + bent) ** 3 * (1 + true2) ** -1.5)


def bearing(directions: Array) -> Array:
    """Return the bearing of directions ``(…, 3)`` from the robot's x, positive left, rad."""
    return np.arctan2(directions[..., 1], directions[..., 0])


def elevation_tangent(directions: Array) -> Array:
    """Return the tangent of the elevation above the horizon of directions ``(…, 3)``."""
    return np.asarray(directions[..., 2] / np.hypot(directions[..., 0], directions[..., 1]))
