"""Where each pixel of a robot's camera looks, by the lens' data and the angles of the neck.

Directions and poses are in the robot's footprint: its origin is on the ground below the body's own,
x forward, y left, z up. Pixels are columns and rows from the middle of the upper left one, (0, 0).
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
    """A neck that tilts, then pans, then rolls, on a body that stands level."""

    at: Vector
    """Where the tilt and pan axes meet, in the footprint, m."""
    up: float
    """From there to the roll axis, m."""
    ahead: float
    """From there to the lens, m."""

    def gaze(self, tilt: float, pan: float, roll: float = 0.0) -> Pose:
        """Return the lens' pose: x looks ahead; angles in rad, up and left positive."""
        head = Pose(np.array(self.at)) @ Pose.at(pitch=-tilt) @ Pose.at(yaw=pan)
        return head @ Pose.at(z=self.up, roll=roll) @ Pose.at(x=self.ahead)


@dataclass(frozen=True, kw_only=True)
class NoddingNeck:
    """A neck that tilts at its foot, then pans and nods at its head, as the ERS-7's does."""

    at: Vector
    """Where it tilts, in the footprint, m."""
    length: float
    """From there to where it pans and nods, m."""
    lens: Vector
    """From there to the lens, along the head's axes, m."""

    def gaze(self, tilt: float, pan: float, nod: float) -> Pose:
        """Return the lens' pose: x looks ahead; angles in rad, up and left positive."""
        head = Pose(np.array(self.at)) @ Pose.at(pitch=-tilt) @ Pose.at(z=self.length)
        return head @ Pose.at(yaw=pan) @ Pose.at(pitch=-nod) @ Pose(np.array(self.lens))


@dataclass(frozen=True, kw_only=True)
class CameraOptics:
    """A camera's calibrated size, focal lengths and distortion."""

    width: int
    """Pixels in a row."""
    height: int
    """Rows."""
    focal: tuple[float, float]
    """Pixels per unit tangent, across and down."""
    kappa: float = 0.0
    """Radial distortion (cmos, eq. 2), for coordinates that are tangents; 0: a pinhole."""

    @property
    def centre(self) -> tuple[float, float]:
        """Column and row of the axis: the middle of the picture."""
        return (self.width - 1) / 2, (self.height - 1) / 2

    def directions(self, pixels: npt.ArrayLike, gaze: Pose) -> Array:
        """Return where pixels ``(…, 2)`` look, ``(…, 3)``, as steps of 1 m along the axis.

        Distortion is taken out by eq. 2's exact inverse: divide by 1 + kappa r².
        """
        seen = (np.asarray(pixels, float) - self.centre) / self.focal
        seen = seen / (1 + self.kappa * (seen * seen).sum(axis=-1, keepdims=True))
        ahead = np.ones(seen.shape[:-1])
        return rotate(gaze.wxyz, np.stack([ahead, -seen[..., 0], -seen[..., 1]], axis=-1))

    @cached_property
    def solid_angles(self) -> Array:
        """How much of the sphere around the lens every pixel sees, (height, width), sr."""
        rows, columns = np.mgrid[: self.height, : self.width]
        seen = (np.stack([columns, rows], axis=-1) - self.centre) / self.focal
        bent = self.kappa * (seen * seen).sum(axis=-1)
        true2 = (seen * seen).sum(axis=-1) / (1 + bent) ** 2
        # A pixel's area on the lens' picture, on the pinhole's, and seen from the pinhole.
        pixel = 1 / (self.focal[0] * self.focal[1])
        return np.asarray(pixel * (1 - bent) / (1 + bent) ** 3 * (1 + true2) ** -1.5)


def bearing(directions: Array) -> Array:
    """Return the angle to the left of the robot's x (rad) of ``(…, 3)``."""
    return np.arctan2(directions[..., 1], directions[..., 0])


def elevation_tangent(directions: Array) -> Array:
    """Return the tangent of the angle over the horizon of ``(…, 3)``."""
    return np.asarray(directions[..., 2] / np.hypot(directions[..., 0], directions[..., 1]))
