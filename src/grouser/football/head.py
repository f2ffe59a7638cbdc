"""Motion of the head: at a point, over the field, and at the landmarks."""

from __future__ import annotations

import math

import numpy as np

from grouser.football.player_io import Point
from grouser.football.sight import BALL_RADIUS, NECK
from grouser.frames import Pose, radians, rotate

Joints = tuple[float, float, float]
"""Neck, pan and nod, rad."""

UPRIGHT, BENT = radians(-20.0), radians(-60.0)  # neck, for far and for near balls
BENT_WITHIN, UPRIGHT_BEYOND = 0.25, 0.55  # m   distances of the ball from the shoulders
MOST_PAN = radians(85.0)
NOD = radians(-15.0), radians(45.0)
HORIZON = radians(9.0)  # angle by which the gaze is above a far ball, so that landmarks are visible
SWEEP, SWEEP_PERIOD = radians(80.0), 3.6  # rad, s
LEVELS = radians(-10.0), radians(-32.0)  # elevation of the gaze in the sweeps, by turns


def aim(point: Point, height: float, raised: float = 0.0, neck: float = UPRIGHT) -> Joints:
    """Return the joints that aim the camera at a point in the robot's axes.

    Args:
        point: x ahead and y left, m.
        height: height of the point above the ground, m.
        raised: angle by which the camera aims above it, rad.
        neck: angle of the lower joint, rad.
    """
    head = (Pose(np.array(NECK.at)) @ Pose.at(pitch=-neck) @ Pose.at(z=NECK.length)).position
    towards = np.array([point[0], point[1], height]) - head
    x, y, z = rotate(Pose.at(pitch=neck).wxyz, towards).tolist()
    pan = max(-MOST_PAN, min(MOST_PAN, math.atan2(y, x)))
    elevation = math.atan2(z, math.hypot(x, y)) + raised
    return neck, pan, max(NOD[0], min(NOD[1], elevation))


def at_ball(point: Point) -> Joints:
    """Return the joints that keep the ball in view, with the horizon if it is far."""
    far = math.hypot(point[0] - NECK.at[0], point[1])
    share = max(0.0, min(1.0, (far - BENT_WITHIN) / (UPRIGHT_BEYOND - BENT_WITHIN)))
    neck = BENT + share * (UPRIGHT - BENT)
    return aim(point, BALL_RADIUS, HORIZON * share, neck)


def sweep(time: float, *, level: bool = False) -> Joints:
    """Return the joints of a search over the field at ``time`` (s); ``level``: for landmarks."""
    phase = time / SWEEP_PERIOD
    triangle = 1.0 - 4.0 * abs(phase % 1.0 - 0.5)
    elevation = 0.0 if level else LEVELS[int(phase) % 2]
    neck = UPRIGHT if elevation > radians(-20.0) else radians(-35.0)
    return neck, SWEEP * triangle, max(NOD[0], elevation - neck)
