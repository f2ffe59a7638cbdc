"""State estimate of a player: its pose, the ball, its team-mates, from camera, joints and radio."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import replace
from itertools import pairwise

import numpy as np

from grouser.football.own_motion import HEIGHT, OwnMotion, Step, moved_point
from grouser.football.player_io import Picture, PlayerInput, PlayerSetup, Point
from grouser.football.survey import FieldSurvey
from grouser.frames import radians
from grouser.perception.ball import BallSighting
from grouser.perception.landmarks import BeaconShape, LandmarkSighting, post_name
from grouser.perception.localise import FieldMap, Localiser, SensorModel, wrap_angle
from grouser.perception.optics import CameraOptics, NoddingNeck
from grouser.perception.vision import Sightings, Vision

# ERS-7: Tekkotsu's dimensions; 19.5 mm above the middle of the shoulders.
NECK = NoddingNeck(at=(0.0675, 0.0, HEIGHT + 0.0195), length=0.080, lens=(0.0811, 0.0, -0.0146))
OPTICS = CameraOptics(width=208, height=160, focal=(192.0, 192.0), kappa=-0.1)
BALL_RADIUS = 0.0425  # m
PARTICLES = 250
FASTEST_HEAD = radians(120.0)  # rad/s   faster: pictures are not used for localisation
JUMP = 0.25  # m   larger errors of a prediction: the ball was moved
GAIN, SPEED_GAIN = 0.6, 0.25  # shares of an error that correct position and speed
DECELERATION = 0.33  # m/s²   of a rolling ball
FASTEST_BALL = 3.0  # m/s
OCCLUDED = 0.25  # logarithm of the ratio of two estimates of a distance: the ball is partly hidden
NOT_A_BALL = 0.7  # the same: the region is not a ball on the ground
BEARING_GATE, DISTANCE_GATE = radians(10.0), 0.35  # rad, logarithm   errors of credible landmarks
DRIFT, WIDEST_GATE = (
    radians(3.0),
    radians(22.0),
)  # rad/s, rad   growth of the gate without landmarks
GOAL_ASSUMED = 1.5  # m, distance of a goal of which only the direction is known
SURVEY_EVERY = 0.3  # s between two searches of a lost pose
RIM = radians(6.0)  # angle beside the ball within which posts are ignored
WRONG_GOAL = radians(45.0)  # error of a post's bearing that no robot before the goal explains
DISORIENTED_AFTER = 5.0  # s without a credible landmark: other robots may have turned this one
MARGIN = 0.2  # m, distance beyond the border at which a ball may be seen
LOST_AFTER_MISSES, FOUND_AFTER_HITS = 6, 4  # beacons   in a row, about
SENSOR = SensorModel(trust=0.15)
"""A sighting weighs more than in films of 25 pictures per second, whose errors are the same."""


def vision_of(field_map: FieldMap) -> Vision:
    """Return the detector of ball and landmarks of an ERS-7."""
    beacon = BeaconShape(band=0.1, radius=0.05)
    return Vision(optics=OPTICS, neck=NECK, ball_radius=BALL_RADIUS, beacon=beacon)


def _robust(ball: BallSighting) -> BallSighting | None:
    """Return a sighting whose distance is that of the ball's middle if its size disagrees.

    A robot that hides a part of the ball makes it smaller; the middle moves by less than a radius.
    None: it is no ball on the ground, but a part of a red robot.
    """
    if ball.by_centre is None:
        return ball
    error = abs(math.log(ball.by_edge / ball.by_centre))
    if error < OCCLUDED:
        return ball
    return replace(ball, distance=ball.by_centre) if error < NOT_A_BALL else None


def _is_rim_of_ball(one: LandmarkSighting, ball: BallSighting | None) -> bool:
    """Return True if a post may be the rim of the ball, which is yellow where it is blurred."""
    if ball is None or one.distance is not None:
        return False
    half = math.asin(min(1.0, BALL_RADIUS / max(ball.distance, BALL_RADIUS)))
    return abs(one.bearing - ball.bearing) < half + RIM


class BallTrack:
    """Position and speed of the ball in the robot's axes."""

    def __init__(self) -> None:
        self.place: Point | None = None
        """Position, m; None: it was never seen."""
        self.velocity: Point = (0.0, 0.0)
        """Over the ground, m/s, in the robot's axes."""
        self.seen = -math.inf
        """Time of the last sighting, s."""

    def move(self, step: Step, seconds: float) -> None:
        """Predict the position after the robot has moved by ``step``."""
        if self.place is None:
            return
        speed = math.hypot(*self.velocity)
        slower = max(0.0, 1.0 - DECELERATION * seconds / speed) if speed > 1e-6 else 0.0
        vx, vy = self.velocity
        there = (self.place[0] + vx * seconds, self.place[1] + vy * seconds)
        self.place = moved_point(there, step)
        turned = moved_point((vx, vy), (0.0, 0.0, step[2]))
        self.velocity = (turned[0] * slower, turned[1] * slower)

    def see(self, place: Point, time: float) -> None:
        """Correct the estimate by a sighting at ``place`` at ``time`` (s)."""
        since = time - self.seen
        before = self.place
        self.seen = time
        if before is None or since > 1.0:
            self.place, self.velocity = place, (0.0, 0.0)
            return
        error = place[0] - before[0], place[1] - before[1]
        far = math.hypot(*place)
        if math.hypot(*error) > JUMP + 0.2 * far:
            self.place, self.velocity = place, (0.0, 0.0)
            return
        self.place = before[0] + GAIN * error[0], before[1] + GAIN * error[1]
        gain = SPEED_GAIN / max(since, 0.04)
        vx, vy = self.velocity[0] + gain * error[0], self.velocity[1] + gain * error[1]
        share = min(1.0, FASTEST_BALL / max(1e-6, math.hypot(vx, vy)))
        self.velocity = vx * share, vy * share


class Sight:
    """Pose of the player in the team's frame and position of the ball.

    The team's frame has its origin in the middle of the field, and x towards the goal that the
    team attacks.
    """

    def __init__(self, setup: PlayerSetup) -> None:
        self._setup = setup
        self._vision = vision_of(setup.field_map)
        self._localiser = Localiser(
            setup.field_map, np.random.default_rng(setup.seed), count=PARTICLES, sensor=SENSOR
        )
        self.motion = OwnMotion()
        self.ball = BallTrack()
        self.half = 1
        self.sightings: Sightings | None = None
        """Objects in the last picture."""
        self._joints: deque[tuple[float, tuple[float, float, float]]] = deque(maxlen=4)
        self.pose: tuple[float, float, float] = (0.0, 0.0, 0.0)
        """x, y (m) and heading (rad) in the team's frame."""
        self.spread = math.inf
        """Width of the interval of the position, m."""
        self.lost = True
        """True: the pose is unknown; any landmark may change it."""
        self.goal: Point | None = None
        """Direction in which the goal to attack was seen, as a point in the robot's axes."""
        self.goal_seen = -math.inf
        """Time of that sighting, s."""
        self._survey = FieldSurvey(setup.field_map, np.random.default_rng(setup.seed + 1000))
        self._surveyed = 0.0
        self._misses = 0
        self.oriented = 0.0
        """Time of the last credible sighting of a landmark, s."""

    @property
    def _flipped(self) -> bool:
        """True if the team's frame is rotated by half a turn from the field's."""
        return (self._setup.attacks == "yellow") != (self.half == 2)

    def place(self, pose: tuple[float, float, float], time: float) -> None:
        """Register that the robot was put at a pose in the team's frame at ``time`` (s)."""
        self._localiser.place(np.array(self._turned(pose)), (0.05, 0.05, radians(5.0)))
        self.motion.stop()
        self.lost, self._misses = False, 0
        self._survey.clear()
        self.oriented = time
        self._update_pose()

    def displace(self) -> None:
        """Register that the robot was put somewhere else."""
        self.goal_seen = -math.inf
        self._survey.clear()
        self.motion.stop()
        self.lose()

    def lose(self) -> None:
        """Register that the robot was moved, or turned by others."""
        self.lost, self._misses = True, LOST_AFTER_MISSES

    def update(self, given: PlayerInput, command: Step, seconds: float) -> None:
        """Update by the command of the last ``seconds`` and by new readings."""
        step = self.motion.advance(command, given.time, seconds)
        self._localiser.move(*step)
        self._survey.move(step)
        if self.goal is not None:
            self.goal = moved_point(self.goal, step)
        self.ball.move(step, seconds)
        joints = given.joints
        self._joints.append((given.time, (joints["neck"], joints["pan"], joints["nod"])))
        if given.picture is not None:
            self._look(given.picture, given.time)
        if given.time - self.oriented > DISORIENTED_AFTER and not self.lost:
            self.lose()
        self._update_pose()

    def _look(self, picture: Picture, now: float) -> None:
        angles, fast = self._angles_at(picture.time)
        seen = self._vision.see(picture.image, *angles)
        self.sightings = seen
        since = self.motion.since(picture.time, now)
        if not fast:
            landmarks = [
                replace(one, bearing=one.bearing - since[2])
                for one in seen.landmarks
                if not _is_rim_of_ball(one, seen.ball)
            ]
            self._survey.see(landmarks, now)
            self._see_goal(landmarks, now)
            self._localiser.see([one for one in landmarks if self._credible(one, now)])
            if self.lost and now - self._surveyed > SURVEY_EVERY and seen.landmarks:
                self._surveyed = now
                self._reset(now)
        ball = None if seen.ball is None else _robust(seen.ball)
        if ball is not None:
            place = moved_point(ball.place(NECK.gaze(*angles)), since)
            if self.lost or self._on_field(self.to_team(place)):
                self.ball.see(place, picture.time)

    def _see_goal(self, landmarks: list[LandmarkSighting], now: float) -> None:
        """Store the direction of the goal to attack, from its posts."""
        colour = self._setup.attacks
        if self.half == 2:
            colour = "sky_blue" if colour == "yellow" else "yellow"
        names = {post_name(colour, side) for side in ("left", "right")}
        bearings = [one.bearing for one in landmarks if one.name in names]
        if len(bearings) == 2:
            middle = sum(bearings) / 2
            self.goal = GOAL_ASSUMED * math.cos(middle), GOAL_ASSUMED * math.sin(middle)
            self.goal_seen = now

    def _reset(self, now: float) -> None:
        """Search the pose anew."""
        found = self._survey.pose()
        if found is not None:
            self._localiser.place(found, (0.08, 0.08, radians(4.0)))
            self.lost, self._misses, self.oriented = False, 0, now

    def _on_field(self, point: Point) -> bool:
        fields = self._setup.field_map
        return (
            abs(point[0]) < fields.length / 2 + MARGIN and abs(point[1]) < fields.width / 2 + MARGIN
        )

    def _credible(self, sighting: LandmarkSighting, now: float) -> bool:
        """Return True if a sighting may be used for localisation.

        Posts are often hidden by robots, so that the end of the goal's colour is not the post; a
        beacon is unmistakable. A sighting far from its expected direction is therefore used only
        when several landmarks in a row, beacons or posts of the other end of the field, were not
        where the pose predicts them.
        """
        if sighting.name not in self._setup.field_map.landmarks:
            return False
        x, y, heading = self._turned(self.pose)
        there = self._setup.field_map.landmarks[sighting.name]
        cos, sin = math.cos(heading), math.sin(heading)
        ahead, left = sighting.eye
        dx, dy = (
            there[0] - (x + cos * ahead - sin * left),
            there[1] - (y + sin * ahead + cos * left),
        )
        off = abs(float(wrap_angle(np.array(math.atan2(dy, dx) - heading - sighting.bearing))))
        good = off < min(WIDEST_GATE, BEARING_GATE + DRIFT * (now - self.oriented))
        if sighting.distance is not None:
            far = math.hypot(dx, dy) / sighting.distance
            good = good and abs(math.log(max(far, 1e-3))) < DISTANCE_GATE
        if sighting.distance is not None or off > WRONG_GOAL:
            self._misses += -1 if good else 1
            self._misses = max(-FOUND_AFTER_HITS, min(LOST_AFTER_MISSES, self._misses))
            if self._misses == LOST_AFTER_MISSES:
                self.lost = True
        if good:
            self.oriented = now
        return good

    def _angles_at(self, time: float) -> tuple[tuple[float, float, float], bool]:
        """Return neck, pan and nod at ``time``, and True if the head moved fast then."""
        if len(self._joints) < 2:
            return self._joints[-1][1], False
        for (t0, a0), (t1, a1) in reversed(list(pairwise(self._joints))):
            if time >= t0 or t0 == self._joints[0][0]:
                share = max(0.0, min(1.0, (time - t0) / max(1e-6, t1 - t0)))
                mixed = [p + share * (q - p) for p, q in zip(a0, a1, strict=True)]
                fastest = max(abs(q - p) for p, q in zip(a0, a1, strict=True)) / max(1e-6, t1 - t0)
                return (mixed[0], mixed[1], mixed[2]), fastest > FASTEST_HEAD
        return self._joints[-1][1], False

    def _update_pose(self) -> None:
        estimate = self._localiser.estimate()
        x, y, heading = self._turned(tuple(estimate.pose.tolist()))
        self.pose = (x, y, heading)
        self.spread = float(np.max(estimate.high[:2] - estimate.low[:2]))

    def _turned(self, pose: tuple[float, ...]) -> tuple[float, float, float]:
        """Convert a pose between the field's and the team's frame."""
        x, y, heading = pose
        if not self._flipped:
            return x, y, heading
        return -x, -y, float(wrap_angle(np.array(heading + math.pi)))

    def from_field(self, point: Point) -> Point:
        """Return a point of the field's frame in the team's frame."""
        return (-point[0], -point[1]) if self._flipped else point

    # -- conversions -------------------------------------------------------------------------

    def to_robot(self, point: Point) -> Point:
        """Return a point of the team's frame in the robot's axes."""
        x, y, heading = self.pose
        dx, dy = point[0] - x, point[1] - y
        cos, sin = math.cos(heading), math.sin(heading)
        return cos * dx + sin * dy, -sin * dx + cos * dy

    def to_team(self, point: Point) -> Point:
        """Return a point in the robot's axes in the team's frame."""
        x, y, heading = self.pose
        cos, sin = math.cos(heading), math.sin(heading)
        return x + cos * point[0] - sin * point[1], y + sin * point[0] + cos * point[1]
