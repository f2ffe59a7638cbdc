"""Devices of URBI: names of an AIBO's joints and sensors, and of any other robot's drives."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from grouser.errors import unknown
from grouser.frames import degrees
from grouser.robots.robot import Robot
from grouser.simulation.simulation import Simulation

LEGS = {
    f"leg{leg.upper()}{number}": f"{leg}_{joint}"
    for leg in ("lf", "lh", "rf", "rh")
    for number, joint in ((1, "rotor"), (2, "elevator"), (3, "knee"))
}
COMMON = LEGS | {
    "headPan": "pan",
    "mouth": "mouth",
    "tailPan": "tail_pan",
    "tailTilt": "tail_tilt",
    "earL": "left_ear",
    "earR": "right_ear",
}
JOINTS: Mapping[str, Mapping[str, str]] = {
    "ers7": COMMON | {"neck": "neck", "headTilt": "nod"},
    "ers210": COMMON | {"headTilt": "tilt", "headRoll": "roll"},
}
"""Kind → device → drive."""

_ACCELERATIONS = {f"accel{axis.upper()}": ("accelerometer", axis) for axis in "xyz"}
_PAWS = {f"paw{leg.upper()}": (f"paw_{leg}", "touch") for leg in ("lf", "lh", "rf", "rh")}
SENSORS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "ers7": _ACCELERATIONS
    | _PAWS
    | {
        "distanceNear": ("ir_near", "range"),
        "distance": ("ir_far", "range"),
        "distanceChest": ("ir_chest", "range"),
        "headSensor": ("head", "touch"),
        "chinSensor": ("chin", "touch"),
        "backSensorF": ("back_fore", "touch"),
        "backSensorM": ("back_middle", "touch"),
        "backSensorR": ("back_hind", "touch"),
    },
    "ers210": _ACCELERATIONS
    | _PAWS
    | {
        "distance": ("ir", "range"),
        "headSensorF": ("head_fore", "touch"),
        "headSensorR": ("head_hind", "touch"),
        "chinSensor": ("chin", "touch"),
        "backSensor": ("back", "touch"),
    },
}
"""Kind → device → sensor and its value."""

CENTIMETRES = 100.0
"""Distances of URBI are in cm."""


@dataclass(frozen=True)
class Devices:
    """Devices of one robot."""

    name: str
    kind: str
    robot: Robot

    @property
    def joints(self) -> Mapping[str, str]:
        """Device → drive; a robot that is no AIBO has the names of its drives."""
        return JOINTS.get(self.kind, {drive: drive for drive in self.robot.drives})

    @property
    def sensors(self) -> Mapping[str, tuple[str, str]]:
        """Device → sensor and its value."""
        return SENSORS.get(self.kind, {})

    def drive(self, device: str) -> str:
        """Return the drive of a joint; raise `UnknownName` if there is no such joint."""
        if device not in self.joints:
            raise unknown("device", "joint", device, (*self.joints, *self.sensors, "camera"))
        return self.joints[device]

    def limits(self, drive: str) -> tuple[float, float]:
        """Return the limits of a joint, rad."""
        return self.robot.limits.get(drive, (-math.inf, math.inf))

    def is_rolling(self, drive: str) -> bool:
        """Return True if the value of a drive is a speed."""
        return drive in self.robot.rolling

    def value(self, simulation: Simulation, device: str) -> float:
        """Return the value of a device: deg or deg/s, cm, m/s², or 1 for touched."""
        if device in self.sensors:
            sensor, key = self.sensors[device]
            measured = float(simulation.read(self.name, sensor)[key])
            return CENTIMETRES * measured if key == "range" else measured
        drive, model, data = self.drive(device), simulation.model, simulation.data
        joint = int(model.actuator_trnid[model.actuator(f"{self.name}/{drive}").id, 0])
        if self.is_rolling(drive):
            return degrees(float(data.qvel[model.jnt_dofadr[joint]]))
        return degrees(float(data.qpos[model.jnt_qposadr[joint]]))
