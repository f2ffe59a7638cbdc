"""Rays of range sensors and points of depth cameras in the world, for the page."""

from __future__ import annotations

from typing import Any

import numpy as np

from grouser.frames import Array
from grouser.rendering.render_state import shared_loader
from grouser.sensors.depth import BoundDepthCamera, DepthCamera, DepthFrame
from grouser.sensors.laser import Laser
from grouser.sensors.range import Infrared, Sonar
from grouser.sensors.rays import RangingSensor
from grouser.sensors.sensor import Reading, site_pose
from grouser.simulation.simulation import Simulation

MOST_POINTS = 3000
"""Points of a depth image that are sent."""

RangeSensor = Laser | Infrared | Sonar


def latest_reading(simulation: Simulation, robot: str, sensor: str) -> Reading | None:
    """Return the newest reading of a sensor; None: it has measured nothing yet.

    Unlike `Simulation.read` it never measures, which would change the run.
    """
    sensors = simulation.active_sensors
    if sensors.has_no_reading(robot, sensor):
        return None
    return sensors.read(robot, sensor, simulation.time)


def rays(simulation: Simulation, robot: str) -> list[dict[str, Any]]:
    """Return origin and ends (m, in the world) of the rays of each range sensor of a robot.

    They begin at the present pose of the sensor and have the lengths of its last reading.
    """
    found = []
    for (owner, name), (sensor, bound) in simulation.scene.sensors.items():
        if owner != robot or not isinstance(sensor, RangeSensor):
            continue
        reading = latest_reading(simulation, robot, name)
        if reading is None or not isinstance(bound, RangingSensor):
            continue
        site, data = bound.bundle.origin.site, simulation.data
        X_WS = site_pose(data, site)
        ends = X_WS.apply(_tips(sensor, reading))
        start = X_WS.position.round(3).tolist()
        found.append({"sensor": name, "from": start, "to": ends.round(3).tolist()})
    return found


def _tips(sensor: RangeSensor, reading: Reading) -> Array:
    """Return the ends of rays in the sensor's frame, (n, 3), m."""
    if isinstance(sensor, Laser):
        ranges, angles = np.asarray(reading.values["ranges"]), sensor.angles
        flat = np.zeros(len(angles))
        return np.stack([ranges * np.cos(angles), ranges * np.sin(angles), flat], axis=1)
    return np.array([[float(reading.values["range"]), 0.0, 0.0]])


def points(simulation: Simulation, robot: str) -> Array:
    """Return points (n, 3), m, in the world, of the last pictures of a robot's depth cameras.

    A picture that was not needed before is rendered now.
    """
    clouds = [np.zeros((0, 3))]
    for (owner, name), (sensor, bound) in simulation.scene.sensors.items():
        if owner != robot or not isinstance(sensor, DepthCamera):
            continue
        reading = latest_reading(simulation, robot, name)
        if reading is None or not isinstance(reading.values, DepthFrame):
            continue
        if isinstance(bound, BoundDepthCamera):
            clouds.append(_cloud(sensor, bound, reading.values))
    return np.concatenate(clouds)


def _cloud(sensor: DepthCamera, bound: BoundDepthCamera, frame: DepthFrame) -> Array:
    if not np.isfinite(frame.depth).any():
        return np.zeros((0, 3))
    seen = sensor.points(frame.depth)
    seen = seen[:: max(1, -(-len(seen) // MOST_POINTS))]
    data = shared_loader().load(frame.shot.state)
    return site_pose(data, bound.site).apply(seen)
