"""What can be felt, one sensor per file: each measures first and corrupts after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.sensors.battery import Battery
    from grouser.sensors.camera import ERS7_CAMERA, ERS210_CAMERA, Aim, Camera, CameraFrame
    from grouser.sensors.compass import Compass
    from grouser.sensors.depth import DEPTH_CAMERAS, DepthCamera, DepthFrame, DepthOptics
    from grouser.sensors.encoder import Encoder
    from grouser.sensors.gps import Gps
    from grouser.sensors.inertial import Accelerometer, Gyroscope
    from grouser.sensors.ins import Ins
    from grouser.sensors.laser import HOKUYO_URG04LX, SICK_LMS200, Laser
    from grouser.sensors.mocap import MotionCapture
    from grouser.sensors.mounted import MountedSensor
    from grouser.sensors.odometry import Odometry
    from grouser.sensors.pressure import Pressure
    from grouser.sensors.range import Infrared, Sonar
    from grouser.sensors.rfid import RfidReader
    from grouser.sensors.sensor import (
        SENSORS,
        BoundSensor,
        Needs,
        Reading,
        Sensor,
        SensorContext,
        Values,
    )
    from grouser.sensors.tachometer import Tachometer
    from grouser.sensors.touch import Touch
    from grouser.sensors.truth import Truth
    from grouser.sensors.victims import VictimSensor

_PLACES = {
    "Accelerometer": "grouser.sensors.inertial",
    "Aim": "grouser.sensors.camera",
    "Battery": "grouser.sensors.battery",
    "BoundSensor": "grouser.sensors.sensor",
    "Camera": "grouser.sensors.camera",
    "CameraFrame": "grouser.sensors.camera",
    "Compass": "grouser.sensors.compass",
    "DEPTH_CAMERAS": "grouser.sensors.depth",
    "DepthCamera": "grouser.sensors.depth",
    "DepthFrame": "grouser.sensors.depth",
    "DepthOptics": "grouser.sensors.depth",
    "ERS210_CAMERA": "grouser.sensors.camera",
    "ERS7_CAMERA": "grouser.sensors.camera",
    "Encoder": "grouser.sensors.encoder",
    "Gps": "grouser.sensors.gps",
    "Gyroscope": "grouser.sensors.inertial",
    "HOKUYO_URG04LX": "grouser.sensors.laser",
    "Infrared": "grouser.sensors.range",
    "Ins": "grouser.sensors.ins",
    "Laser": "grouser.sensors.laser",
    "MotionCapture": "grouser.sensors.mocap",
    "MountedSensor": "grouser.sensors.mounted",
    "Needs": "grouser.sensors.sensor",
    "Odometry": "grouser.sensors.odometry",
    "Pressure": "grouser.sensors.pressure",
    "Reading": "grouser.sensors.sensor",
    "RfidReader": "grouser.sensors.rfid",
    "SENSORS": "grouser.sensors.sensor",
    "SICK_LMS200": "grouser.sensors.laser",
    "Sensor": "grouser.sensors.sensor",
    "SensorContext": "grouser.sensors.sensor",
    "Sonar": "grouser.sensors.range",
    "Tachometer": "grouser.sensors.tachometer",
    "Touch": "grouser.sensors.touch",
    "Truth": "grouser.sensors.truth",
    "Values": "grouser.sensors.sensor",
    "VictimSensor": "grouser.sensors.victims",
}

__all__ = [
    "DEPTH_CAMERAS",
    "ERS7_CAMERA",
    "ERS210_CAMERA",
    "HOKUYO_URG04LX",
    "SENSORS",
    "SICK_LMS200",
    "Accelerometer",
    "Aim",
    "Battery",
    "BoundSensor",
    "Camera",
    "CameraFrame",
    "Compass",
    "DepthCamera",
    "DepthFrame",
    "DepthOptics",
    "Encoder",
    "Gps",
    "Gyroscope",
    "Infrared",
    "Ins",
    "Laser",
    "MotionCapture",
    "MountedSensor",
    "Needs",
    "Odometry",
    "Pressure",
    "Reading",
    "RfidReader",
    "Sensor",
    "SensorContext",
    "Sonar",
    "Tachometer",
    "Touch",
    "Truth",
    "Values",
    "VictimSensor",
]

__getattr__ = lazily(__name__, _PLACES)
