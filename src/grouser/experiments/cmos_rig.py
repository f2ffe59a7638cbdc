"""Shared set-up of the experiments of Asanuma et al. 2004: field, robot, two cameras, vision.

The robot has two cameras at the same pose: one with all characteristics, one ideal pinhole as drawn
by OpenGL. Both image the same instant. The vision software has the same inputs as on the real
robot: the calibration of the lens, the lengths of the neck, the joint angles and the map of the
field.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import mujoco
import numpy as np

from grouser.perception.landmarks import BeaconShape, beacon_name, post_name
from grouser.perception.localise import FieldMap
from grouser.perception.optics import CameraOptics, Neck
from grouser.perception.vision import Sightings, Vision
from grouser.rendering.image import Image
from grouser.robots.ers210 import ERS210, HEAD_UP, MOUNTS, NECK_AT
from grouser.sensors.camera import ERS210_CAMERA, Camera
from grouser.sensors.imaging.lens import Lens, Radial
from grouser.sensors.sensor import SensorContext
from grouser.simulation.schedule import generator
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.objects import Ball
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain import league_field

PAPER = "Asanuma et al. 2004"
ROBOT = "rex"
CAMERAS: dict[str, Camera] = {"with": ERS210_CAMERA, "without": ERS210_CAMERA.ideal()}
"""Cameras with and without the characteristics; the keys are the names of the sensors."""
FIELD = league_field.LeagueField(friction=0.6)  # estimate: rubber paws on carpet
HEIGHT = ERS210.build().standing
"""Height of the body's origin above the ground when the robot stands, m."""
# The robot's packets hold a sample every 8 ms (sources.md B1); every fifth has a picture's time.
_NECK_ANGLES = {
    "kind": "encoder",
    "name": "neck",
    "drives": ("tilt", "pan", "roll"),
    "rate_hz": ERS210_CAMERA.rate_hz,
}
NECK = Neck(
    at=(NECK_AT[0], NECK_AT[1], NECK_AT[2] + HEIGHT), up=HEAD_UP, ahead=MOUNTS["camera"].at[0]
)


def world(x: float, y: float, heading_deg: float, ball: tuple[float, float] | None = None) -> World:
    """Return the field with the robot at x, y (m) and, if ``ball`` is given, a fixed ball there."""
    robot = RobotEntry(
        name=ROBOT,
        kind="ers210",
        position=(x, y, 0.0),
        yaw_deg=heading_deg,
        sensors=(_NECK_ANGLES, *(_sensor(name, camera) for name, camera in CAMERAS.items())),
    )
    balls = () if ball is None else (_ball(*ball),)
    return World(name="cmos", physics=STANDARD, terrain=(FIELD,), objects=balls, robots=(robot,))


def kappa_of(lens: Lens) -> float:
    """Return the coefficient of radial distortion of a lens."""
    return cast(Radial, lens.distortion).kappa


def vision(name: str) -> Vision:
    """Return the vision software for one of the `CAMERAS`."""
    lens = CAMERAS[name].lens
    optics = CameraOptics(
        width=lens.width, height=lens.height, focal=lens.focal, kappa=kappa_of(lens)
    )
    return Vision(
        optics=optics,
        neck=NECK,
        ball_radius=league_field.BALL_RADIUS,
        beacon=BeaconShape(league_field.BAND, league_field.BEACON_RADIUS),
    )


def see(simulation: Simulation, name: str, software: Vision) -> Sightings:
    """Return the sightings of ``software`` in the newest picture of one of the `CAMERAS`."""
    angles = simulation.read(ROBOT, "neck")
    image = simulation.read(ROBOT, name).array("image")
    return software.see(image, angles["tilt"], angles["pan"], angles["roll"])


def pictures(simulation: Simulation, name: str, count: int) -> Iterator[Image]:
    """Yield pictures of the current instant, taken by one of the `CAMERAS`."""
    _, camera = simulation.scene.sensors[ROBOT, name]
    context = camera_context(simulation.model, simulation.data)
    rng = generator(simulation.seed, f"{ROBOT}/{name}/instant")
    for _ in range(count):
        yield np.asarray(camera.read(context, rng)["image"])


def camera_context(model: mujoco.MjModel, data: mujoco.MjData) -> SensorContext:
    """Return the context in which a camera is read; a camera needs no drives."""
    no_drives = np.empty(0)
    return SensorContext(model, data, (), lambda: no_drives, no_drives)


def field_map() -> FieldMap:
    """Return the map of the field that the robot localises with."""
    places = {beacon_name(b.upper, b.lower): (b.x, b.y) for b in FIELD.beacons}
    for goal in league_field.GOALS:
        for side, post in zip(("left", "right"), goal.posts, strict=True):
            places[post_name(goal.colour, side)] = post
    return FieldMap(landmarks=places, length=league_field.LENGTH, width=league_field.WIDTH)


def _sensor(name: str, camera: Camera) -> dict[str, Any]:
    # Real pictures and joint angles carry their times, so the software pairs them whenever they
    # arrive. Without a delay both arrive together.
    fields = dict(camera.replace(name=name, delay_s=0.0))
    del fields["X_MS"]  # the mount is the pose of the lens
    return fields


def _ball(x: float, y: float) -> Ball:
    return Ball(
        name="ball",
        radius=league_field.BALL_RADIUS,
        position=(x, y, league_field.BALL_RADIUS),
        fixed=True,
        friction=0.5,
        rgb=league_field.ORANGE,
    )
