"""What a robot makes of its pictures: colour classes, ball, landmarks, its own pose; arrays in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.perception.ball import BallSighting, see_ball
    from grouser.perception.colours import Colour, ColourTable, paint_classes
    from grouser.perception.landmarks import BeaconShape, LandmarkSighting, see_landmarks
    from grouser.perception.localise import (
        FieldMap,
        Localiser,
        MotionModel,
        PoseEstimate,
        SensorModel,
    )
    from grouser.perception.optics import CameraOptics, Neck, NoddingNeck
    from grouser.perception.vision import Sightings, Vision

_PLACES = {
    "BallSighting": "grouser.perception.ball",
    "BeaconShape": "grouser.perception.landmarks",
    "CameraOptics": "grouser.perception.optics",
    "Colour": "grouser.perception.colours",
    "ColourTable": "grouser.perception.colours",
    "FieldMap": "grouser.perception.localise",
    "LandmarkSighting": "grouser.perception.landmarks",
    "Localiser": "grouser.perception.localise",
    "MotionModel": "grouser.perception.localise",
    "Neck": "grouser.perception.optics",
    "NoddingNeck": "grouser.perception.optics",
    "PoseEstimate": "grouser.perception.localise",
    "SensorModel": "grouser.perception.localise",
    "Sightings": "grouser.perception.vision",
    "Vision": "grouser.perception.vision",
    "paint_classes": "grouser.perception.colours",
    "see_ball": "grouser.perception.ball",
    "see_landmarks": "grouser.perception.landmarks",
}

__all__ = [
    "BallSighting",
    "BeaconShape",
    "CameraOptics",
    "Colour",
    "ColourTable",
    "FieldMap",
    "LandmarkSighting",
    "Localiser",
    "MotionModel",
    "Neck",
    "NoddingNeck",
    "PoseEstimate",
    "SensorModel",
    "Sightings",
    "Vision",
    "paint_classes",
    "see_ball",
    "see_landmarks",
]

__getattr__ = lazily(__name__, _PLACES)
