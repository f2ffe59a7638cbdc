"""What a robot sees: a picture and the neck's angles in; the ball and landmarks out (cmos, sec. 2).

It knows nothing else: no pose, no other robot, no ground truth.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from grouser.perception.ball import BallSighting, see_ball
from grouser.perception.colours import ColourTable, Image, Kinds
from grouser.perception.landmarks import Pole, Sighting, see_landmarks
from grouser.perception.optics import Neck, Optics


@dataclass(frozen=True)
class Seen:
    """What was in one picture."""

    kinds: Kinds
    """The colour of every pixel."""
    ball: BallSighting | None
    landmarks: list[Sighting]


@dataclass(frozen=True, kw_only=True)
class Vision:
    """A robot's image processing, with all it was told of its body and its field."""

    optics: Optics
    neck: Neck
    ball_radius: float
    """m."""
    pole: Pole
    """What beacons look like."""
    colours: ColourTable = field(default_factory=ColourTable.of)

    def see(self, image: Image, tilt: float, pan: float, roll: float = 0.0) -> Seen:
        """Return what is in ``image``, taken with the neck at these angles (rad)."""
        gaze = self.neck.gaze(tilt, pan, roll)
        kinds = self.colours.look_up(image)
        return Seen(
            kinds,
            see_ball(image, kinds, self.optics, gaze, self.ball_radius),
            see_landmarks(image, kinds, self.optics, gaze, self.pole),
        )
