"""Pan-tilt camera: USARSim's mission package ``CameraPanTilt``.

Link 1 pans without limits, left positive; link 2 tilts, up positive. Limits, speeds and torques
are quoted from CONF by a public client; sizes and masses are estimates.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco

from grouser.frames import Pose, degrees, radians
from grouser.physics.contacts import HULL, HULL_TOUCHES, SLIPPERY
from grouser.physics.drives import Drive
from grouser.robots.parts.hull import GREY, Vector, add_hull, set_box_mass
from grouser.robots.parts.linkage import STOP_TIME
from grouser.sensors.camera import Camera
from grouser.sensors.imaging.imager import Imager
from grouser.sensors.imaging.lens import Lens

TILT_RANGE = (-0.16, 0.40)  # rad   CONF of a P2AT's CameraPanTilt: link 2; up is positive
TILT_OVER_PAN = 0.0599  # m   GEO of the same: link 2 over link 1
SPEED = 0.17  # rad/s   CONF of the same: both links' MaxSpeed
TORQUE = 20.0  # N m   CONF of the same: both links' MaxTorque
LEAD, DAMPING = 0.20, 4.0  # rad, rad/s   estimate: 100 N m/rad, damped well above critical
ARMATURE = 0.01  # kg m2   estimate: geared rotor reflected to the link

BASE = (0.045, 0.035, TILT_OVER_PAN / 2)  # m   estimate: half edges of the panning part
HEAD = (0.045, 0.04, 0.025)  # m   estimate: half edges of the tilting part
BASE_MASS, HEAD_MASS = 0.2, 0.4  # kg   estimate: a small video camera of those years
MASS = BASE_MASS + HEAD_MASS
LOWERED = BASE_MASS * (TILT_OVER_PAN - BASE[2] + HEAD[2]) / MASS
"""Height of the axes' intersection over the centre of mass, m."""
LENS_X = HEAD[0] + 0.005  # m   estimate: lens ahead of the tilt axis

RATE_HZ = 15.0  # sources.md D3: camera textures
WIDTH, HEIGHT = 320, 240  # sources.md D5: a tile
FOV_DEG = 80.0  # sources.md D4.6: CameraDefFov, horizontal
UPRIGHT_FOV_DEG = degrees(
    2 * math.atan(math.tan(radians(FOV_DEG / 2)) * HEIGHT / WIDTH)
)  # square pixels

DRIVE = Drive(force=TORQUE, speed=SPEED, saturation_error=LEAD, damping=DAMPING)
DRIVES = {"pan": DRIVE, "tilt": DRIVE}
LIMITS = {"tilt": TILT_RANGE}

CAMERA = Camera(
    name="Camera",
    mount="tilt",
    X_MS=Pose.at(LENS_X, 0.0, 0.0),
    camera=Imager(lens=Lens(width=WIDTH, height=HEIGHT, fov_deg=(FOV_DEG, UPRIGHT_FOV_DEG))),
    rate_hz=RATE_HZ,
)
"""USARSim's camera: an ideal pinhole without lens, chip or shutter errors."""


@dataclass(frozen=True, kw_only=True)
class PanTilt:
    """Pan-tilt camera on a robot's body."""

    at: Vector
    """Intersection of tilt and pan axis in the body, m."""

    def add(self, spec: mujoco.MjSpec, body: mujoco.MjsBody) -> None:
        """Add the bodies, hinges and drives ``pan`` and ``tilt`` to ``body``."""
        x, y, z = self.at
        hinge = mujoco.mjtJoint.mjJNT_HINGE
        pan = body.add_body(name="pan", pos=[x, y, z - TILT_OVER_PAN])
        pan.add_joint(name="pan", type=hinge, axis=[0, 0, 1], armature=ARMATURE)
        add_hull(pan, "pan", BASE, at=(0.0, 0.0, BASE[2] - HEAD[2]), rgb=GREY)
        set_box_mass(pan, BASE_MASS, BASE, at=(0.0, 0.0, BASE[2] - HEAD[2]))
        tilt = pan.add_body(name="tilt", pos=[0, 0, TILT_OVER_PAN])
        tilt.add_joint(
            name="tilt",
            type=hinge,
            axis=[0, -1, 0],
            armature=ARMATURE,
            limited=mujoco.mjtLimited.mjLIMITED_TRUE,
            range=TILT_RANGE,
            solref_limit=[STOP_TIME, 1.0],
        )
        add_hull(tilt, "tilt", HEAD, rgb=(0.15, 0.15, 0.17))
        set_box_mass(tilt, HEAD_MASS, HEAD)
        tilt.add_geom(
            name="lens",
            type=mujoco.mjtGeom.mjGEOM_CYLINDER,
            fromto=[HEAD[0], 0, 0, LENS_X, 0, 0],
            size=[0.6 * HEAD[2], 0, 0],
            mass=0,
            friction=[SLIPPERY, 0, 0],
            contype=HULL,
            conaffinity=HULL_TOUCHES,
            rgba=(0.02, 0.02, 0.05, 1.0),
        )
        spec.add_exclude(name="body|tilt", bodyname1=body.name, bodyname2="tilt")
        for name, drive in DRIVES.items():
            drive.add(spec, name, name)
