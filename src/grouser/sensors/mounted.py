"""Mounted sensors: base class with a mount, a pose in it and a site."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from grouser.errors import unknown
from grouser.frames import Array, Pose
from grouser.sensors.sensor import check_numbers

SITE_PREFIX = "sensor/"
"""Prefix of the sensors' sites, after the robot's own prefix."""


@dataclass(frozen=True, kw_only=True)
class MountedSensor:
    """Base of sensors with a pose on the robot. Sensor frame S: x ahead, y left, z up."""

    mount: str
    """Name of the body or site of the robot that carries it."""
    X_MS: Pose = Pose()
    """Pose of the sensor in its mount."""
    name: str
    """Name on its robot."""
    rate_hz: float = 25.0
    """Readings per second."""
    delay_s: float = 0.0
    """Delay from measurement to availability of a reading, s."""

    def __post_init__(self) -> None:
        check_numbers(self)

    def add(self, spec: mujoco.MjSpec) -> None:
        """Add a site at the sensor's pose."""
        body, X_BM = _mount(spec, self.mount, self.name)
        X_BS = X_BM @ self.X_MS
        body.add_site(name=SITE_PREFIX + self.name, pos=X_BS.position, quat=X_BS.wxyz)

    def site(self, model: mujoco.MjModel, prefix: str) -> int:
        """Return the id of the site in the compiled model."""
        return int(model.site(prefix + SITE_PREFIX + self.name).id)


def _mount(spec: mujoco.MjSpec, mount: str, sensor: str) -> tuple[mujoco.MjsBody, Pose]:
    """Return the body that carries the mount, and the mount's pose in it."""
    if (body := spec.body(mount)) is not None:
        return body, Pose()
    if (site := spec.site(mount)) is not None:
        return site.parent, Pose(site.pos.copy(), site.quat.copy())
    names = [part.name for part in (*spec.bodies, *spec.sites)]
    raise unknown(f"sensor '{sensor}'", "body or site", mount, names)


def site_pose(data: mujoco.MjData, site: int) -> Pose:
    """Return the pose X_WS of a site."""
    wxyz = np.empty(4)
    mujoco.mju_mat2Quat(wxyz, data.site_xmat[site])
    return Pose(data.site_xpos[site].copy(), wxyz)


def in_site_frame(data: mujoco.MjData, site: int, p_W: Array) -> Array:
    """Return points (n, 3) of the world in a site's frame."""
    R_WS = data.site_xmat[site].reshape(3, 3)
    return np.asarray((p_W - data.site_xpos[site]) @ R_WS)
