"""Image processing of a robot (cmos, sec. 2): ball and landmarks from image and neck angles.

It has no other inputs: no pose, no data of other robots, no ground truth.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from grouser.perception.ball import BallSighting, see_ball
from grouser.perception.colours import ColourTable, Image, Kinds
from grouser.perception.landmarks import BeaconShape, LandmarkSighting, see_landmarks
from grouser.perception.optics import CameraOptics, Neck, NoddingNeck


@dataclass(frozen=True)
class Sightings:
    """Ball and landmarks in one image."""

    kinds: Kinds
    """Colour class of every pixel."""
    ball: BallSighting | None
    landmarks: list[LandmarkSighting]


@dataclass(frozen=True, kw_only=True)
class Vision:
    """Detector of ball and landmarks for one camera, neck and set of objects on the field."""

    optics: CameraOptics
    neck: Neck | NoddingNeck
    ball_radius: float
    """Radius of the ball, m."""
    beacon: BeaconShape
    """Dimensions of the beacons."""
    colours: ColourTable = field(default_factory=ColourTable.from_samples)
    sub_pixel: bool = True
    """Locate the edges of beacons at half contrast; False: at the borders of the colour classes."""

    def see(self, image: Image, tilt: float, pan: float, roll: float = 0.0) -> Sightings:
        """Return the objects in ``image``, taken with the neck at these angles (rad).

        ``roll`` is the angle of the third joint, which nods in a `NoddingNeck`.
        """
        gaze = self.neck.gaze(tilt, pan, roll)
        kinds = self.colours.look_up(image)
        return Sightings(
            kinds,
            see_ball(image, kinds, self.optics, gaze, self.ball_radius),
            see_landmarks(image, kinds, self.optics, gaze, self.beacon, sub_pixel=self.sub_pixel),
        )
