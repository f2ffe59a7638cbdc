"""Planar skid-steered robot on four wheels with Stribeck friction, without MuJoCo."""

from __future__ import annotations

import numpy as np

from grouser.physics.slip_friction import SlipLaw

LAW = SlipLaw(0.8, 0.5, 0.3, 20.0)
HALF_BASE, HALF_TRACK = 0.256, 0.2854
"""Of Husky, m."""
MASS, INERTIA = 56.58, 4.03
"""kg; kg m² about the vertical: body (2.03) and wheels (estimate)."""
HEIGHT = 0.189
"""Height of the centre of mass above the ground, m."""
GRAVITY = 9.81
TIMESTEP = 2e-4
"""s."""
STICTION = 0.005
"""Slip speed below which friction grows with it, m/s."""
LOAD_LAG = 0.01
"""Time constant with which the wheels' loads follow the acceleration, s."""


def planar_skid_steer(
    left: float, right: float, *, ramp: float, seconds: float = 2.0
) -> tuple[float, float]:
    """Return forward speed and turn rate over those of wheels without slip, of the last 0.4 s.

    The robot starts from rest; the sides reach their speeds (m/s) after ``ramp`` seconds.
    """
    x = np.array([HALF_BASE, HALF_BASE, -HALF_BASE, -HALF_BASE])
    y = np.array([HALF_TRACK, -HALF_TRACK, HALF_TRACK, -HALF_TRACK])
    wheels = np.array([left, right, left, right])
    ahead = lateral = turning = pushed = pulled = 0.0
    found = []
    steps = round(seconds / TIMESTEP)
    for step in range(steps):
        rims = wheels * (min(1.0, step * TIMESTEP / ramp) if ramp else 1.0)
        loads = MASS * GRAVITY / 4 - MASS * HEIGHT / 4 * (
            pushed / HALF_BASE * np.sign(x) + pulled / HALF_TRACK * np.sign(y)
        )
        slip_x, slip_y = ahead - turning * y - rims, lateral + turning * x
        slip = np.hypot(slip_x, slip_y)
        friction = np.array([LAW.at(float(each)) for each in slip])
        grip = friction * np.maximum(loads, 0.0) / np.maximum(slip, STICTION)
        force_x, force_y = -grip * slip_x, -grip * slip_y
        push, pull = float(force_x.sum()) / MASS, float(force_y.sum()) / MASS
        spin = float((x * force_y - y * force_x).sum()) / INERTIA
        ahead, lateral, turning = (
            ahead + TIMESTEP * (push + turning * lateral),
            lateral + TIMESTEP * (pull - turning * ahead),
            turning + TIMESTEP * spin,
        )
        pushed += TIMESTEP / LOAD_LAG * (push - pushed)
        pulled += TIMESTEP / LOAD_LAG * (pull - pulled)
        if step >= steps - round(0.4 / TIMESTEP):
            found.append((ahead, turning))
    speed, rate = np.mean(found, axis=0)
    return float(speed / ((left + right) / 2)), float(rate * 2 * HALF_TRACK / (right - left))
