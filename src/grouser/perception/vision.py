"""A robot's image processing: picture and neck angles in, ball and landmarks out (cmos, sec. 2).

It knows nothing else: no pose, no other robot, no ground truth.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from grouser.perception.ball import BallSighting, see_ball
from grouser.perception.colours import ColourTable, Image, Kinds
from grouser.perception.landmarks import BeaconShape, LandmarkSighting, see_landmarks
from grouser.perception.optics import CameraOptics, Neck


@dataclass(frozen=True)
class Sightings:
    """The ball and the landmarks of one picture."""

    kinds: Kinds
    """The colour of every pixel."""
    ball: BallSighting | None
    landmarks: list[LandmarkSighting]


@dataclass(frozen=True, kw_only=True)
class Vision:
    """Finds ball and landmarks in pictures, given the camera, the neck and the field's objects."""

    optics: CameraOptics
    neck: Neck
    ball_radius: float
    """m."""
    beacon: BeaconShape
    """What beacons look like."""
    colours: ColourTable = field(default_factory=ColourTable.from_samples)

    def see(self, image: Image, tilt: float, pan: float, roll: float = 0.0) -> Sightings:
        """Return what is in ``image``, taken with the neck at these angles (rad)."""
        gaze = self.neck.gaze(tilt, pan, roll)
        kinds = self.colours.look_up(image)
        return Sightings(
            kinds,
            see_ball(image, kinds, self.optics, gaze, self.ball_radius),
            see_landmarks(image, kinds, self.optics, gaze, self.beacon),
        )
