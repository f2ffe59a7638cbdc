"""Infrared, sonar and laser against geometry, and statistics of their errors."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.sensor_rig import block, put, reader, simulation

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.sensors import rays
from grouser.sensors.laser import HOKUYO_URG04LX, SICK_LMS200, Laser
from grouser.sensors.range import Infrared, Sonar, cone_directions
from grouser.sensors.sensor import SensorContext
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.objects import Ball, Cylinder
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat

UP = {"mount": "body", "at": [0.0, 0.0, 0.31]}  # 0.4 m above the ground
WALL = block("wall", (2.1, 0, 1), (0.2, 40, 2))  # its face is at x = 2


def test_infrared_errors_are_bounded_and_fill_the_bound() -> None:
    """10,000 readings over the whole range: |error| <= bound(distance), and up to 0.9 of it."""
    bound = [[0.2, 0.004], [0.6, 0.02], [1.5, 0.15]]
    sim = simulation(
        {"kind": "infrared", **UP, "near": 0.01, "far": 3.0, "bound": bound}, objects=(WALL,)
    )
    read = reader(sim, "infrared")
    fills = []
    for distance in np.linspace(0.25, 1.7, 20):
        put(sim, 2 - distance)
        allowed = np.interp(distance, *np.transpose(bound))
        errors = np.array([read()["range"] for _ in range(500)]) - distance
        assert np.abs(errors).max() <= allowed
        fills.append(np.abs(errors).max() / allowed)
        assert errors.mean() == pytest.approx(0, abs=0.1 * allowed)
    assert min(fills) >= 0.9


def test_infrared_is_limited_to_its_range_and_passes_glass() -> None:
    glass = block("glass", (1.0, 0, 1), (0.02, 2, 2))
    errors_of = {"kind": "infrared", **UP, "near": 0.3, "far": 2.5}
    sim = simulation(errors_of, objects=(WALL, glass))
    read = reader(sim, "infrared")
    assert read()["range"] == pytest.approx(0.99)
    put(sim, -2.0)
    assert read()["range"] == 2.5
    put(sim, 0.9)
    assert read()["range"] == 0.3
    put(sim)
    sim.model.geom("glass/surface").rgba[3] = 0.2
    description, _ = sim.scene.sensors["a", "infrared"]
    moment = SensorContext(sim.model, sim.data, (), lambda: np.zeros(0), np.zeros(0))
    clear = description.bind(sim.model, "a/").read(moment, np.random.default_rng(0))
    assert clear["range"] == pytest.approx(2.0)


def test_sonar_measures_the_nearest_surface_normal_to_its_beam() -> None:
    errors_of = {"kind": "sonar", **UP, "far": 5.0}
    sim = simulation(errors_of, objects=(WALL,))
    read = reader(sim, "sonar")
    assert read()["range"] == pytest.approx(2.0)
    put(sim, yaw=math.radians(15))  # 15° to the middle ray; the cone's edge is 5° from the normal
    assert 2.0 < read()["range"] < 2.05
    put(sim, yaw=math.radians(25))  # the nearest ray is 15° from the normal: no echo
    assert read()["range"] == 5.0
    deaf = simulation({**errors_of, "incidence": math.radians(3)}, objects=(WALL,))
    put(deaf, yaw=math.radians(15))
    assert reader(deaf, "sonar")()["range"] == 5.0
    assert cone_directions(0.349, 10).shape == (161, 3)
    assert np.linalg.norm(cone_directions(0.349, 10), axis=1) == pytest.approx(1.0)
    assert np.arccos(cone_directions(0.349, 10)[:, 0].min()) == pytest.approx(0.349 / 2)


def test_sonar_noise_grows_with_distance() -> None:
    sim = simulation({"kind": "sonar", **UP, "noise": 0.01, "noise_part": 0.02}, objects=(WALL,))
    read = reader(sim, "sonar")
    spreads = []
    for x in (1.0, -1.0):
        put(sim, x)
        spreads.append(np.std([read()["range"] for _ in range(2000)]))
    assert spreads == pytest.approx([0.01 + 0.02 * 1.0, 0.01 + 0.02 * 3.0], rel=0.06)


def room_range(angle: float, x: float, y: float, half: tuple[float, float] = (4.0, 3.0)) -> float:
    """Return the distance from (x, y) to the walls of a room around the origin, m."""
    c, s = math.cos(angle), math.sin(angle)
    to_x = (math.copysign(half[0], c) - x) / c if abs(c) > 1e-12 else math.inf
    to_y = (math.copysign(half[1], s) - y) / s if abs(s) > 1e-12 else math.inf
    return min(to_x, to_y)


def circle_range(
    angle: float, x: float, y: float, centre: tuple[float, float], radius: float
) -> float:
    """Return the distance from (x, y) to a circle, m; inf if the ray misses it."""
    c, s = math.cos(angle), math.sin(angle)
    dx, dy = centre[0] - x, centre[1] - y
    along, lateral = dx * c + dy * s, -dx * s + dy * c
    if along <= 0 or abs(lateral) > radius:
        return math.inf
    return along - math.sqrt(radius**2 - lateral**2)


ROOM = (
    block("front", (4.1, 0, 1), (0.2, 10, 2)),
    block("back", (-4.1, 0, 1), (0.2, 10, 2)),
    block("left", (0, 3.1, 1), (10, 0.2, 2)),
    block("right", (0, -3.1, 1), (10, 0.2, 2)),
    Cylinder(name="pole", friction=1, fixed=True, position=(2.0, 0.8, 0.5), radius=0.3, length=1),
    Ball(name="ball", friction=1, fixed=True, position=(1.5, -1.2, 0.4), radius=0.25),
)


@pytest.mark.parametrize("pose", [(0.0, 0.0, 0.0), (0.3, -0.4, 0.7), (-1.2, 1.1, -2.2)])
def test_laser_of_181_rays_agrees_with_geometry(pose: tuple[float, float, float]) -> None:
    """Rays run from right to left, agree to 1e-6 m and ignore the robot's own body."""
    x, y, yaw = pose
    sim = simulation({"kind": "laser", **UP, **SICK_LMS200}, objects=ROOM)
    put(sim, x, y, yaw=yaw)
    ranges = reader(sim, "laser")()["ranges"]
    assert len(ranges) == 181
    expected = []
    for index in range(181):
        angle = yaw + math.radians(index - 90)  # the first ray points to the right
        expected.append(
            min(
                room_range(angle, x, y),
                circle_range(angle, x, y, (2.0, 0.8), 0.3),
                circle_range(angle, x, y, (1.5, -1.2), 0.25),
            )
        )
    assert np.abs(ranges - expected).max() < 1e-6
    assert len(set(np.round(expected, 3))) > 50, "the room must be worth scanning"


def test_laser_inside_its_own_robot_ignores_it() -> None:
    sim = simulation({"kind": "laser", "mount": "body", "at": [0, 0, 0]}, objects=ROOM)
    groups = sim.model.geom_group.copy()
    ranges = reader(sim, "laser")()["ranges"]
    assert ranges[90] == pytest.approx(4.0)
    assert (sim.model.geom_group == groups).all(), "looking must not change the world"


def test_laser_noise_and_range_follow_the_options() -> None:
    errors_of = {"kind": "laser", **UP, "noise": 0.01, "noise_part": 0.005, "far": 3.5}
    sim = simulation(errors_of, objects=ROOM)
    read = reader(sim, "laser")
    scans = np.array([read()["ranges"] for _ in range(3000)])
    assert (scans[:, 90] == 3.5).all()  # 4 m ahead: out of range, without noise
    spread = scans[:, [0, 10]].std(axis=0)
    distances = np.array([3.0, 3.0 / math.cos(math.radians(10))])
    assert spread == pytest.approx(0.01 + 0.005 * distances, rel=0.06)


def test_shipped_scanners_have_the_ray_counts_of_usarsim() -> None:
    sick: dict[str, Any] = dict(SICK_LMS200)
    hokuyo: dict[str, Any] = dict(HOKUYO_URG04LX)
    assert len(Laser(mount="body", **sick).angles) == 181
    assert len(Laser(mount="body", **hokuyo).angles) == 228  # floor(4.189 / 0.0184) + 1
    angles = Laser(mount="body").angles
    assert angles[0] == pytest.approx(-math.pi / 2)
    assert angles[-1] == pytest.approx(math.pi / 2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Laser(mount="b", fov=7), "fov is 7, must be at most"),
        (lambda: Laser(mount="b", near=3, far=1), "near is 3, must be less than far"),
        (lambda: Sonar(mount="b", beam=4), "beam is 4"),
        (lambda: Infrared(mount="b", bound=((1, 0.1), (0.5, 0.2))), "distances must increase"),
        (lambda: Infrared(mount="b", bound=((1, -0.1),)), "at least 0"),
    ],
)
def test_invalid_sensors_are_rejected(make: Callable[..., Any], message: str) -> None:
    with pytest.raises(BadValue, match=message):
        make()


def nine_robots() -> World:
    """Return nine robots of three kinds, close together, with different yaw angles."""
    kinds = ("p3at", "packbot", "ers7")
    robots = tuple(
        RobotEntry(
            name=f"r{number}",
            kind=kinds[number % 3],
            position=(1.2 * (number % 3), 1.2 * (number // 3), 0.0),
            yaw_deg=37.0 * number,
        )
        for number in range(9)
    )
    return World(name="crowd", physics=STANDARD, terrain=(Flat(friction=0.8),), robots=robots)


def test_culling_geoms_out_of_range_does_not_change_readings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def scans() -> dict[tuple[str, str], dict[str, Array]]:
        simulation = Simulation(nine_robots())
        return {
            key: {name: np.array(value) for name, value in simulation.read(*key).values.items()}
            for key, (sensor, _) in simulation.scene.sensors.items()
            if isinstance(sensor, Sonar | Laser | Infrared)
        }

    culled = scans()
    monkeypatch.setattr(rays._Reach, "out_of_reach", lambda self, places, starts, R_WS: np.False_)
    whole = scans()
    assert len(culled) >= 60
    for key, values in whole.items():
        for name, value in values.items():
            assert np.array_equal(culled[key][name], value), (key, name)


def test_ray_batch_equals_single_rays_bit_by_bit() -> None:
    simulation = Simulation(nine_robots())
    simulation.step(0.1)
    bound = [bound for _, bound in simulation.scene.sensors.values()]
    bundles = [sensor.bundle for sensor in bound if isinstance(sensor, rays.RangingSensor)]
    together, alone = simulation.state.sensor_context(), simulation.state.sensor_context()
    rays.RayBatch(bundles).cast(together)
    met = 0
    for bundle in bundles:
        a, b = bundle.cast(together), bundle.cast(alone)
        met += np.isfinite(a.distances).sum()
        assert a.distances.tobytes() == b.distances.tobytes()
        assert a.cosines.tobytes() == b.cosines.tobytes()
        assert a.geoms.tobytes() == b.geoms.tobytes()
    assert len(bundles) >= 60
    assert met > 500
