"""Cameras in a world: geometry of images, time of rendering, rolling shutter."""

import hashlib
import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import numpy.typing as npt
import pytest
import yaml
from support.sensor_rig import block, put, reader, simulation

from grouser.errors import BadValue, UnknownName
from grouser.experiments import cmos_images
from grouser.experiments.run_options import RunOptions
from grouser.frames import Array, Pose
from grouser.rendering.coarse_model import out_of_view
from grouser.rendering.image_plane import ImagePlane
from grouser.rendering.renderer import Renderer, shared_renderer
from grouser.rendering.viewpoint import Viewpoint
from grouser.sensors.camera import ERS7_CAMERA, ERS210_CAMERA, BoundCamera, Camera, CameraFrame
from grouser.sensors.imaging.cmos import IDEAL_CMOS
from grouser.sensors.imaging.imager import Imager
from grouser.sensors.imaging.lens import Lens
from grouser.sensors.imaging.shutter import Shutter
from grouser.sensors.sensor import SensorContext, Values
from grouser.simulation.changes.actions import Join, Leave
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, parse
from grouser.world.objects import AnyObject, Ball

POLE = """
<mujoco>
  <statistic extent="4"/>
  <visual><map znear=".005" zfar="15"/><headlight ambient="1 1 1" diffuse="0 0 0"/></visual>
  <asset><texture type="skybox" builtin="flat" rgb1=".9 .9 .9" width="16" height="16"/></asset>
  <worldbody>
    <geom type="box" size=".1 {half} 2" pos="3 {side} 0" rgba=".05 .05 .05 1"/>
    <body name="head">
      <joint name="pan" axis="0 0 1"/>
      <geom size=".01" mass="1" contype="0" conaffinity="0" rgba="1 0 0 1"/>
      <site name="camera"/>
    </body>
  </worldbody>
</mujoco>
"""
NARROW = {"half": 0.1, "side": 0.0}  # the pole is about eleven pixels wide
HALF = {"half": 3.0, "side": 3.0}  # covers everything left of the middle
LENS = Lens(width=176, height=144, fov_deg=(57.6, 47.8))
ROLLING = Shutter(exposure_s=1 / 200, readout_s=1 / 25)
SPEED = math.radians(300.0)  # rad/s   the paper's fig. 9
ERS210_OPTIONS = {"kind": "camera", "mount": "body", "at": [0.3, 0.0, 0.2], "camera": "ers210"}


def turned_head(camera: Camera, speed: float, **pole: float) -> npt.NDArray[np.uint8]:
    """Return the image of a camera while its head turns to the left at ``speed`` rad/s."""
    spec = mujoco.MjSpec.from_string(POLE.format(**pole))
    camera.add(spec)
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qvel[:] = speed
    moment = SensorContext(model, data, (), lambda: np.empty(0), np.empty(0))
    values = camera.bind(model, "").read(moment, np.random.default_rng(0))
    return np.asarray(values["image"], np.uint8)


def simulation_with_shutter(shutter: Shutter, **more: Any) -> Camera:
    return Camera(
        mount="camera", camera=Imager(lens=LENS, cmos=IDEAL_CMOS, shutter=shutter), **more
    )


def pole_columns(image: npt.NDArray[np.uint8] | Array) -> Array:
    """Return the middle of the dark pole in every row."""
    dark = np.clip(200.0 - image.mean(axis=2), 0, None)
    result: Array = dark @ np.arange(image.shape[1]) / dark.sum(axis=1)
    return result


def edge_variance(image: npt.NDArray[np.uint8]) -> Array:
    """Return the variance of each row's brightness step, pixels²."""
    slope = np.diff(image.mean(axis=2), axis=1)
    where, total = np.arange(slope.shape[1]) + 0.5, slope.sum(axis=1)
    mean = slope @ where / total
    result: Array = (slope * (where - mean[:, None]) ** 2).sum(axis=1) / total
    return result


@pytest.mark.parametrize("exact", [False, True], ids=["warped", "exact"])
def test_skew_of_a_pole_matches_the_closed_form(exact: bool) -> None:
    seen = pole_columns(turned_head(simulation_with_shutter(ROLLING, exact=exact), SPEED, **NARROW))
    rows = np.arange(LENS.height) - (LENS.height - 1) / 2
    late = rows * ROLLING.readout_s / LENS.height
    # While the head turns left, the pole moves right, further in the later, lower rows.
    expected = LENS.centre[0] + LENS.focal[0] * np.tan(SPEED * late)
    assert expected[-1] - expected[0] == pytest.approx(33, abs=1)
    assert np.abs(seen - expected).max() < 0.5


@pytest.mark.parametrize("exact", [False, True], ids=["warped", "exact"])
def test_motion_blur_matches_the_motion_during_the_exposure(exact: bool) -> None:
    blurred = edge_variance(
        turned_head(simulation_with_shutter(ROLLING, exact=exact), SPEED, **HALF)
    )
    instant = replace(ROLLING, exposure_s=0.0)
    sharp = edge_variance(turned_head(simulation_with_shutter(instant, exact=exact), SPEED, **HALF))
    length = math.sqrt(12 * np.mean(blurred - sharp))  # variance of a uniform blur: length² / 12
    assert length == pytest.approx(LENS.focal[0] * SPEED * ROLLING.exposure_s, abs=0.5)


def test_both_modes_agree_on_a_real_camera() -> None:
    """All effects except noise: warp and slices differ only slightly, at edges."""
    imager = ERS210_CAMERA.imager
    quiet = replace(imager, cmos=replace(imager.cmos, noise=IDEAL_CMOS.noise))
    camera = ERS210_CAMERA.replace(camera=quiet)
    warped, exact = (
        turned_head(camera.replace(exact=exact), SPEED, **NARROW).astype(float)
        for exact in (False, True)
    )
    assert np.abs(warped - exact).mean() < 1.0
    assert np.abs(pole_columns(warped) - pole_columns(exact)).max() < 0.5
    still = turned_head(camera, 0.0, **NARROW).astype(float)
    assert np.abs(warped - still).mean() > 10.0


def test_global_shutter_blurs_without_skew() -> None:
    camera = simulation_with_shutter(Shutter(exposure_s=1 / 100))
    for exact in (False, True):
        seen = pole_columns(turned_head(camera.replace(exact=exact), SPEED, **NARROW))
        assert np.ptp(seen) < 0.1
        assert seen.mean() == pytest.approx(LENS.centre[0], abs=0.5)


# -- geometry --------------------------------------------------------------------------------


def simulation_with(
    *sensors: dict[str, Any], objects: tuple[AnyObject, ...] = (), **more: Any
) -> Simulation:
    return simulation(*sensors, objects=objects, **more)


def bound_camera(sim: Simulation, name: str = "camera") -> BoundCamera:
    """Return a bound camera of robot ``a``."""
    _, bound = sim.scene.sensors["a", name]
    assert isinstance(bound, BoundCamera)
    return bound


def red_centroid(values: Values) -> tuple[float, float, int]:
    """Return column and row of the centroid of red pixels in an image, and their number."""
    return red_centroid_of(np.asarray(values["image"]))


def red_centroid_of(image: npt.NDArray[Any]) -> tuple[float, float, int]:
    """Return column and row of the centroid of red pixels, and their number."""
    red = (image[..., 0] > 100) & (image[..., 1] < 80)
    rows, columns = np.nonzero(red)
    return float(columns.mean()), float(rows.mean()), int(red.sum())


def test_pixel_of_an_object_follows_from_pose_and_lens() -> None:
    """Small block ahead, left and below."""
    target = block("red", (2.3, 0.5, 0.1), (0.1, 0.1, 0.1), rgb=(1, 0, 0))
    options = {**ERS210_OPTIONS, "at": [0.3, 0.0, 0.3]}
    sim = simulation_with(options, objects=(target,))
    put(sim, z=0.0)
    column, row, _ = red_centroid(reader(sim, "camera")())
    front = np.array([1.95, 0.5, -0.2])  # near face of the block from the lens: ahead, left, up
    expected = ERS210_CAMERA.lens.pixels((-front[1] / front[0], -front[2] / front[0]))
    assert (column, row) == pytest.approx(tuple(expected), abs=1.5)


def test_pan_tilt_and_zoom_move_and_scale_the_image() -> None:
    target = block("red", (3.0, 1.0, 0.3), (0.2, 0.2, 0.2), rgb=(1, 0, 0))
    pan = math.degrees(math.atan2(1.0, 2.7))
    pinhole = {"width": 176, "height": 144, "fov_deg": [57.6, 47.8]}
    options = {**ERS210_OPTIONS, "at": [0.3, 0.0, 0.3], "camera": pinhole}
    sim = simulation_with(options, {**options, "name": "panned", "pan_deg": pan}, objects=(target,))
    put(sim, z=0.0)
    plain, panned = reader(sim, "camera"), reader(sim, "panned")
    assert red_centroid(plain())[0] < 60
    assert red_centroid(panned())[:2] == pytest.approx((87.5, 71.5), abs=1.5)
    bound = bound_camera(sim, "panned")
    bound.aim(zoom=2.0)
    near = red_centroid(panned())
    bound.aim(zoom=1.0, tilt=math.radians(10))
    far = red_centroid(panned())
    assert near[2] == pytest.approx(4 * far[2], rel=0.2)
    assert far[1] == pytest.approx(71.5 - 162.5 * math.tan(math.radians(10)), abs=1.5)


def test_cameras_of_any_size_share_one_renderer() -> None:
    large = {"width": 300, "height": 280, "fov_deg": [60, 56]}
    sim = simulation_with(ERS210_OPTIONS, {**ERS210_OPTIONS, "name": "large", "camera": large})
    shapes = [np.shape(reader(sim, name)()["image"]) for name in ("camera", "large", "camera")]
    assert shapes == [(144, 176, 3), (280, 300, 3), (144, 176, 3)]
    assert shared_renderer() is shared_renderer()


def test_camera_and_free_view_give_the_same_image() -> None:
    """`look` and `picture` render the same world from the same pose."""
    sim = simulation_with(objects=(block("red", (1.5, 0.2, 0.3), (0.2, 0.3, 0.4), rgb=(1, 0, 0)),))
    mujoco.mj_forward(sim.model, sim.data)
    view = Viewpoint((1.0, 0.0, 0.3), 1.0, 0.0, 0.0, fovy_deg=50.0)
    focal = 60 / math.tan(math.radians(25.0))
    plane = ImagePlane(160, 120, (focal, focal), (79.5, 59.5))
    with Renderer(160, 120, shadows=False, smooth=False) as renderer:
        picture = renderer.picture(sim.model, sim.data, view)
        seen = look_at_plane(renderer, sim, Pose.at(0.0, 0.0, 0.3), plane)
    assert np.abs(seen.astype(int) - picture).mean() < 0.5


def look_at_plane(
    renderer: Renderer, sim: Simulation, X_WC: Pose, plane: ImagePlane
) -> npt.NDArray[np.uint8]:
    pixels = np.empty(plane.height * plane.width * 3, np.uint8)
    renderer.draw_camera(sim.model, sim.data, X_WC, plane, pixels)
    return pixels.reshape(plane.height, plane.width, 3)[::-1]


def test_coarse_mesh_of_a_ball_has_the_area_of_the_sphere() -> None:
    """The distance estimate of a robot depends on the area."""
    radius = 0.0425
    ball = Ball(
        name="ball", radius=radius, position=(1, 0, 0.5), fixed=True, friction=1, rgb=(1, 0, 0)
    )
    sim = simulation_with(objects=(ball,))
    plane = ImagePlane(200, 160, (190.0, 190.0), (99.5, 79.5))
    for distance in (0.3, 0.5):
        image = look_at_plane(shared_renderer(), sim, Pose.at(1 - distance, 0.0, 0.5), plane)
        *_, area = red_centroid_of(image)
        wide = 190.0 * radius / math.sqrt(distance**2 - radius**2)
        assert area == pytest.approx(math.pi * wide**2, rel=0.03)


def test_culled_geoms_change_no_pixel() -> None:
    """Geoms left out of the scene of a view change no pixel and not the model."""
    blocks = tuple(
        block(f"b{n}", (x, y, 0.3), (0.3, 0.4, 0.5))
        for n, (x, y) in enumerate((x, y) for x in (-2.0, 1.0, 3.0) for y in (-1.5, 0.0, 1.5))
    )
    sim = simulation_with(objects=blocks)
    mujoco.mj_forward(sim.model, sim.data)
    before = sim.model.geom_group.copy(), sim.model.geom_size.copy()
    plane = ImagePlane(90, 70, (80.0, 80.0), (60.0, 20.0))
    everything = Renderer(90, 70, shadows=True, smooth=False)
    for turn in np.linspace(0.0, 5.0, 5):
        eye = Pose.at(0.2, 0.1, 0.4, yaw=turn, pitch=0.2)
        seen = look_at_plane(shared_renderer(), sim, eye, plane)
        hidden = out_of_view(sim.model, sim.data, eye, plane)
        assert 0 < hidden.sum() < sim.model.ngeom
        lit = sim.model.geom_rgba.copy()
        sim.model.geom_rgba[hidden] = (1, 0, 1, 1)
        assert np.array_equal(look_at_plane(shared_renderer(), sim, eye, plane), seen)
        # Shadows need geoms that are out of view, so none are left out here; no magenta anywhere.
        whole = look_at_plane(everything, sim, eye, plane).astype(int)
        assert not ((whole[..., 0] > 100) & (whole[..., 1] < 40) & (whole[..., 2] > 100)).any()
        sim.model.geom_rgba[:] = lit
    everything.close()
    assert np.array_equal(before[0], sim.model.geom_group)
    assert np.array_equal(before[1], sim.model.geom_size)


# -- time of rendering -------------------------------------------------------------------------


def is_rendered(frame: Values) -> bool:
    """Return whether the image of a reading has been computed."""
    return "image" in vars(frame)


def test_image_is_rendered_on_demand_with_the_state_of_its_time() -> None:
    sims = [simulation_with(ERS210_OPTIONS, forward=0.5) for _ in range(2)]
    for sim in sims:
        sim.step(0.1)
    late, early = (sim.read("a", "camera") for sim in sims)
    then = early.array("image")
    assert not is_rendered(late.values)
    sims[0].step(0.3)
    assert np.array_equal(late.array("image"), then)
    assert not np.array_equal(sims[0].read("a", "camera").array("image"), then)


def test_reading_an_image_changes_no_later_image() -> None:
    observed, unobserved = (simulation_with(ERS210_OPTIONS) for _ in range(2))
    for _ in range(5):
        observed.step(0.04)
        unobserved.step(0.04)
        observed.read("a", "camera").array("image")
    one, other = (sim.read("a", "camera").array("image") for sim in (observed, unobserved))
    assert np.array_equal(one, other)


def test_image_hashes_continue_when_a_robot_joins() -> None:
    sim = simulation_with({**ERS210_OPTIONS, "record": True, "delay_s": 0.0})
    sim.step(0.1)
    sim.apply(Join(RobotEntry(name="b", kind="packbot", position=(0, 3, 0))))
    sim.apply(Leave("b"))
    sim.step(0.08)
    reading = sim.read("a", "camera")
    assert is_rendered(reading.values)
    assert isinstance(reading.values, CameraFrame)
    hashes = bound_camera(sim).memory.hashes
    assert list(hashes) == pytest.approx([0.0, 0.04, 0.08, 0.12, 0.16])
    digest = hashlib.sha256(reading.array("image").tobytes())
    assert hashes[reading.time] == digest.hexdigest() == reading.values.hash
    assert reading.array("digest").tobytes() == digest.digest()


def recorded_hashes() -> list[str]:
    """Return the hashes of the images of a turning robot."""
    sim = simulation_with({**ERS210_OPTIONS, "record": True}, seed=7, forward=0.3, turn=1.0)
    sim.step(0.2)
    return list(bound_camera(sim).memory.hashes.values())


def test_equal_seeds_give_equal_images_in_two_processes() -> None:
    here, folder = recorded_hashes(), str(Path(__file__).parent)
    script = f"import sys; sys.path.insert(0, {folder!r}); import test_camera as t; "
    command = [sys.executable, "-c", script + "print(*t.recorded_hashes())"]
    there = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert len(set(here)) == 6, "the images must differ"
    assert here == there


@pytest.mark.slow
def test_images_of_the_paper_show_the_configured_errors() -> None:
    table = cmos_images.run(RunOptions(quick=True)).table
    assert [row.case["what"] for row in table.rows if "NOT AS SET" in row.note] == []
    assert table.figures["found_as_set"] == "9 of 9"
    assert (table.agree, table.of) == (1, 1), "the paper prints the deviation of the blur alone"


# -- options ----------------------------------------------------------------------------


def test_named_cameras_have_their_published_data() -> None:
    assert (ERS210_CAMERA.lens.width, ERS210_CAMERA.lens.height, ERS210_CAMERA.rate_hz) == (
        176,
        144,
        25.0,
    )
    assert ERS210_CAMERA.lens.focal == pytest.approx((160.1, 162.5), abs=0.05)  # sources.md B1
    assert ERS210_CAMERA.imager.shutter.exposure_s == 1 / 200
    assert (ERS7_CAMERA.lens.width, ERS7_CAMERA.lens.height, ERS7_CAMERA.rate_hz) == (
        208,
        160,
        30.0,
    )
    assert ERS7_CAMERA.lens.fov_deg == (56.9, 45.2)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"camera": "ers71"}, "camera is 'ers71', allowed: ers210, ers7; did you mean 'ers7'"),
        ({"zoom": 0.0}, "zoom is 0.0, must be more than 0"),
        ({"camera": {"width": 10}}, "sensor 'camera': camera lacks 'height'"),
        ({"mount": "heda"}, "there is no body or site 'heda'"),
    ],
)
def test_invalid_options_are_rejected_by_name(change: dict[str, Any], complaint: str) -> None:
    with pytest.raises((BadValue, UnknownName), match=complaint):
        simulation_with({**ERS210_OPTIONS, **change})


@pytest.mark.parametrize(
    ("light_k", "balance_k", "order"),
    [(4300.0, 4300.0, 0), (3000.0, 4300.0, 1), (7000.0, 4300.0, -1), (3000.0, None, 0)],
)
def test_white_is_white_in_the_light_of_the_cameras_balance(
    light_k: float, balance_k: float | None, order: int
) -> None:
    """Warmer light than that of the balance is reddish, colder light bluish."""
    white = {"kind": "box", "name": "wall", "fixed": True, "rgb": [0.6, 0.6, 0.6]}
    camera = {"width": 16, "height": 12, "fov_deg": [20, 15], "white_balance_k": balance_k}
    robot: dict[str, Any] = {"name": "a", "kind": "p2dx", "position": [0, 0]}
    robot["sensors"] = [{"kind": "camera", "mount": "body", "at": [0.3, 0, 0.2], "camera": camera}]
    world = parse(
        yaml.safe_dump(
            {
                "name": "wall",
                "light_k": light_k,
                "terrain": [{"kind": "flat"}],
                "objects": [{**white, "position": [2, 0, 1], "size": [0.2, 4, 2]}],
                "robots": [robot],
            }
        ),
        where="test",
    )
    simulation = Simulation(world)
    simulation.step(0.2)
    red, green, blue = simulation.read("a", "camera").array("image").mean(axis=(0, 1))
    if order == 0:
        assert [red, blue] == pytest.approx([green, green], abs=2.0)
    else:
        assert order * (red - green) > 10
        assert order * (green - blue) > 10
