"""CMOS filter on arrays: geometry, light, noise, calibration, comparison with OpenCV."""

import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cli_runner import error_line, grouser
from support.narrowing import not_none

from grouser.benches import cmos as bench
from grouser.errors import BadValue, MissingDependency
from grouser.frames import Array, Pose
from grouser.physics.colour_temperature import white_balance
from grouser.rendering.image import write_png
from grouser.rendering.image_plane import ImagePlane
from grouser.rendering.renderer import Renderer
from grouser.sensors.camera import Camera
from grouser.sensors.imaging.cmos import (
    IDEAL_CMOS,
    NO_NOISE,
    SPARE_BYTES,
    Cmos,
    CmosFilter,
    Noise,
    normal_table,
)
from grouser.sensors.imaging.cmos_calibration import (
    draw_checkerboard,
    find_corners,
    fit_darkening,
    fit_kappa,
    fit_noise,
)
from grouser.sensors.imaging.imager import IMAGERS, resolve_imager
from grouser.sensors.imaging.lens import Lens, Polynomial, Radial
from grouser.sensors.imaging.shutter import Shutter, spin_projections
from grouser.world.file import load

ERS210 = IMAGERS["ers210"]
PINHOLE = Lens(width=176, height=144, fov_deg=(57.6, 47.8))
ROLLING = Shutter(exposure_s=1 / 200, readout_s=1 / 25)
PAPER_SPIN = math.radians(300.0)  # rad/s   fig. 9: 0.30 deg/ms


def uniform_image(level: int, lens: Lens = PINHOLE) -> npt.NDArray[np.uint8]:
    return np.full((lens.height, lens.width, 3), level, np.uint8)


def filter_render(
    camera: CmosFilter,
    draw: Callable[..., Any],
    spin: tuple[float, float, float] = (0.0, 0.0, 0.0),
    seed: int = 0,
) -> npt.NDArray[np.uint8]:
    """Return the image of ``camera`` for a pinhole image rendered by ``draw(plane)``."""
    plane = camera.source_plane(spin)
    pixels = np.concatenate([draw(plane).reshape(-1), np.zeros(SPARE_BYTES, np.uint8)])
    return camera.apply_warped(pixels, plane, plane.matrix(), spin=spin, seed=seed)


def wall_renderer(edge: float) -> Callable[..., Any]:
    """Return a function that renders a wall, dark left of the tangent ``edge``, white right."""

    def draw(plane: ImagePlane) -> npt.NDArray[np.uint8]:
        (fx, _), (cx, _) = plane.focal, plane.centre
        part = np.clip(cx + fx * edge - np.arange(plane.width) + 0.5, 0, 1)  # of a pixel is dark
        levels = np.rint(230 - 200 * part).astype(np.uint8)
        return np.broadcast_to(levels[None, :, None], (plane.height, plane.width, 3))

    return draw


def edge_statistics(image: npt.NDArray[np.uint8]) -> tuple[Array, Array]:
    """Return mean and variance of each row's brightness step, pixels."""
    slope = np.diff(image.mean(axis=2), axis=1)
    where = np.arange(slope.shape[1]) + 0.5
    total = slope.sum(axis=1)
    mean = (slope @ where) / total
    return mean, (slope * (where - mean[:, None]) ** 2).sum(axis=1) / total


# -- geometry --------------------------------------------------------------------------------------

LENSES: list[Radial | Polynomial] = [
    Radial(-0.3),
    Radial(-0.1),
    Radial(0.2),
    Polynomial(-0.2, 0.05, 0.002, -0.003, 0.01),
]


@pytest.mark.parametrize("distortion", LENSES, ids=str)
def test_distortion_round_trip(distortion: Radial | Polynomial) -> None:
    lens = replace(PINHOLE, distortion=distortion)
    rows, columns = np.mgrid[: lens.height, : lens.width]
    pixels = np.stack([columns, rows], axis=-1)
    assert np.abs(lens.pixels(lens.points(pixels)) - pixels).max() < 0.01


@given(st.floats(-0.5, 0.3), st.floats(-0.6, 0.6), st.floats(-0.6, 0.6))
def test_radial_distortion_matches_equation_2(kappa: float, u: float, v: float) -> None:
    shrunk = 2 / (1 + math.sqrt(1 - 4 * kappa * (u * u + v * v)))  # eq. 2
    x, y = Radial(kappa).distort((u, v))
    assert (x, y) == pytest.approx((shrunk * u, shrunk * v), abs=1e-12)
    assert Radial(kappa).undistort((x, y)) == pytest.approx((u, v), abs=1e-9)


def test_distortion_polynomial_matches_opencv() -> None:
    lens = replace(PINHOLE, distortion=LENSES[-1])
    points = np.random.default_rng(0).uniform(-0.5, 0.5, (50, 2))
    bodies = np.concatenate([points, np.ones((50, 1))], axis=1)
    matrix, zero = lens.plane.matrix(), np.zeros(3)
    polynomial = lens.distortion
    assert isinstance(polynomial, Polynomial)
    numbers = np.array([getattr(polynomial, name) for name in ("k1", "k2", "p1", "p2", "k3")])
    theirs, _ = cv2.projectPoints(bodies, zero, zero, matrix, numbers)
    assert lens.pixels(points) == pytest.approx(theirs.reshape(-1, 2), abs=1e-6)


def test_invalid_lenses_are_rejected() -> None:
    with pytest.raises(BadValue, match="no picture of points further than"):
        Radial(0.6).distort((0.9, 0.0))
    with pytest.raises(BadValue, match="has no inverse"):
        replace(PINHOLE, distortion=Polynomial(k1=-2.0)).rays()
    with pytest.raises(BadValue, match="fov_deg"):
        replace(PINHOLE, fov_deg=(0.0, 40.0))
    with pytest.raises(BadValue, match="zoom is 0"):
        PINHOLE.with_zoom(0)


@pytest.mark.parametrize("kappa", [-0.1, 0.1])
def test_filter_and_lens_give_the_same_pixels(kappa: float) -> None:
    lens = replace(PINHOLE, distortion=Radial(kappa))
    edge = 0.4
    seen, _ = edge_statistics(filter_render(CmosFilter(lens), wall_renderer(edge)))
    heights = lens.points(np.stack([seen, np.arange(lens.height)], axis=-1))[:, 0]
    assert heights == pytest.approx(edge, abs=0.1 / lens.focal[0])  # a tenth of a pixel


def test_ideal_filter_is_the_identity() -> None:
    picture = np.random.default_rng(0).integers(0, 256, (144, 176, 3), np.uint8)
    assert np.array_equal(CmosFilter(PINHOLE)(picture), picture)


@pytest.mark.parametrize("speed", [PAPER_SPIN, -PAPER_SPIN / 3])
def test_skew_and_motion_blur_match_the_closed_form(speed: float) -> None:
    """Vertical edge and rotating camera: prediction by focal length, speed and line delay."""
    camera = CmosFilter(PINHOLE, IDEAL_CMOS, ROLLING)
    places, moving = edge_statistics(
        filter_render(camera, wall_renderer(0.0), spin=(0.0, speed, 0.0))
    )
    instant = CmosFilter(PINHOLE, IDEAL_CMOS, replace(ROLLING, exposure_s=0.0))
    _, sharp = edge_statistics(filter_render(instant, wall_renderer(0.0), spin=(0.0, speed, 0.0)))
    rows = np.arange(PINHOLE.height) - (PINHOLE.height - 1) / 2
    late = rows * ROLLING.readout_s / PINHOLE.height
    focal, centre = PINHOLE.focal[0], PINHOLE.centre[0]
    assert places == pytest.approx(centre - focal * np.tan(speed * late), abs=0.5)
    length = np.sqrt(
        12 * np.median(moving - sharp)
    )  # the variance of a uniform blur is length² / 12
    assert length == pytest.approx(focal * abs(speed) * ROLLING.exposure_s, abs=0.5)


def test_rotation_of_the_camera_shifts_the_image() -> None:
    turn = spin_projections(np.eye(3), np.array([0.3, -0.2, 0.5]), np.array([1.7]))[0]
    assert turn @ turn.T == pytest.approx(np.eye(3), abs=1e-12)
    assert np.linalg.det(turn) == pytest.approx(1)
    yaw = spin_projections(np.eye(3), np.array([0.0, 1.0, 0.0]), np.array([0.1]))[0]
    assert yaw @ [0, 0, 1] == pytest.approx([math.sin(0.1), 0, math.cos(0.1)])  # points right


def test_fast_rotation_gives_a_finite_image() -> None:
    camera = CmosFilter(PINHOLE, IDEAL_CMOS, ROLLING)
    assert camera.source_plane((300.0, 400.0, 500.0)).width < 20 * PINHOLE.width
    assert camera(uniform_image(77), spin=(300.0, 400.0, 500.0)).max() == 77


# -- light -----------------------------------------------------------------------------------------


def test_lens_blur_is_a_five_by_five_gaussian() -> None:
    point = uniform_image(0)
    point[70, 80] = 255
    seen = CmosFilter(PINHOLE, Cmos(blur=1.0, darkening=0.0))(point)
    weights = np.exp(-(np.arange(-2, 3) ** 2) / 2)
    weights /= weights.sum()
    assert np.abs(seen[68:73, 78:83, 0] - 255 * np.outer(weights, weights)).max() <= 0.5 + 1e-3
    seen[68:73, 78:83] = 0
    assert not seen.any(), "nothing outside 5 x 5"


@pytest.mark.parametrize("power", [2.0, 4.0])
def test_limb_darkening_is_a_power_of_the_cosine(power: float) -> None:
    seen = CmosFilter(PINHOLE, Cmos(blur=0.0, darkening=power))(uniform_image(200))
    rays = PINHOLE.rays()
    cosine = 1 / np.sqrt(1 + (rays**2).sum(axis=-1))
    assert np.abs(seen - (200 * cosine**power)[..., None]).max() <= 0.5 + 1e-3


def test_exposure_and_white_balance_scale_brightness() -> None:
    warm = white_balance(light_kelvin=3000, camera_kelvin=4300)
    assert white_balance(4300, 4300) == (1, 1, 1)
    assert warm[0] > 1 > warm[2]
    seen = CmosFilter(PINHOLE, replace(IDEAL_CMOS, exposure=1.2, balance=warm))(uniform_image(100))
    assert seen[0, 0] == pytest.approx(120 * np.array(warm), abs=0.51)
    assert (
        CmosFilter(PINHOLE, replace(IDEAL_CMOS, exposure=3.0))(uniform_image(100)).min() == 255
    ), "saturates"


# -- noise -----------------------------------------------------------------------------------------


def noisy_images(level: int, noise: Noise, frames: int = 8, lens: Lens = PINHOLE) -> Array:
    camera = CmosFilter(lens, replace(IDEAL_CMOS, noise=noise))
    return np.stack(
        [camera(uniform_image(level, lens), seed=seed) for seed in range(frames)]
    ).astype(float)


@pytest.mark.parametrize("level", [40, 128, 200])
def test_noise_deviation_grows_with_brightness(level: int) -> None:
    noise = Noise(read=3.0, shot=0.08)
    seen = noisy_images(level, noise)
    deviation = math.sqrt(noise.deviation(level) ** 2 + 1 / 12)  # rounding to grey levels
    assert seen.mean() == pytest.approx(level, abs=5 * deviation / math.sqrt(seen.size))
    assert seen.std() == pytest.approx(deviation, rel=0.01)
    normal = (seen - level) / deviation
    assert (normal**3).mean() == pytest.approx(0, abs=0.03)
    assert (normal**4).mean() == pytest.approx(3, abs=0.1)


def test_noise_is_uncorrelated_in_space_time_and_colour() -> None:
    seen = noisy_images(128, Noise(read=8.0)) - 128
    pairs = {
        "columns": (seen[:, :, 1:], seen[:, :, :-1]),
        "rows": (seen[:, 1:], seen[:, :-1]),
        "colours": (seen[..., 1:], seen[..., :-1]),
        "frames": (seen[1:], seen[:-1]),
        "halves": (seen[:, :, :88], seen[:, :, 88:]),
    }
    for name, (one, other) in pairs.items():
        correlation = np.corrcoef(one.reshape(-1), other.reshape(-1))[0, 1]
        assert abs(correlation) < 5 / math.sqrt(one.size), name
    spectrum = np.abs(np.fft.fft2(seen[..., 0], axes=(1, 2))) ** 2 / seen[0, ..., 0].size / 64
    assert spectrum.mean() == pytest.approx(1, abs=0.03)
    assert spectrum.max() < 20, "no stripes: the largest of 2e5 exponential variates is about 12"


def test_normal_table_is_normally_distributed() -> None:
    table = normal_table().astype(float)
    assert (table.mean(), table.var()) == pytest.approx((0, 1), abs=1e-6)
    assert (table**4).mean() == pytest.approx(3, abs=0.03)


def test_noise_depends_on_the_seed_only() -> None:
    camera = CmosFilter(PINHOLE, Cmos(noise=Noise(read=2.0)), ROLLING)
    first, again, other = (camera(uniform_image(100), seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


# -- one sweep against separate effects ----------------------------------------------------


@pytest.fixture(scope="module")
def image_planes() -> Iterator[Callable[..., Any]]:
    model, data = bench.scene()
    with Renderer(64, 64, shadows=False, smooth=False) as renderer:
        yield lambda size, noise, spin: bench.FilteredView(
            renderer, model, data, bench.camera_of(size, noise), spin
        )


@pytest.mark.parametrize("size", bench.SIZES)
@pytest.mark.parametrize("spin", [bench.SPIN, bench.STILL, (1.0, -2.0, 3.0)])
def test_sweep_and_separate_effects_agree_within_a_grey_level(
    image_planes: Callable[..., Any], size: tuple[int, int], spin: tuple[float, float, float]
) -> None:
    view = image_planes(size, NO_NOISE, spin)
    fused, separate = view.filter_at_once(), view.filter_by_effect()
    assert fused.std() > 20, "the image must not be empty"
    assert np.abs(fused.astype(int) - separate).max() <= 1


def test_sweep_and_separate_effects_have_the_same_noise(image_planes: Callable[..., Any]) -> None:
    noise = bench.ERS210.cmos.noise
    view, clean = (
        image_planes(bench.SIZES[0], noise, bench.SPIN),
        image_planes(bench.SIZES[0], NO_NOISE, bench.SPIN),
    )
    quiet = clean.filter_at_once().astype(float)
    unclipped = (quiet > 20) & (quiet < 235)
    ours = np.stack([view.filter_at_once(seed) for seed in range(20)]) - quiet
    theirs = np.stack([view.filter_by_effect() for _ in range(20)]) - quiet
    for low, high in ((20, 80), (80, 140), (140, 235)):
        part = unclipped & (quiet >= low) & (quiet < high)
        assert part.sum() > 500
        assert ours[:, part].std() == pytest.approx(theirs[:, part].std(), rel=0.03)
        assert ours[:, part].mean() == pytest.approx(theirs[:, part].mean(), abs=0.1)


# -- calibration -----------------------------------------------------------------------------------

BOARDS = [
    Pose.at(0.30),
    Pose.at(0.32, 0.02, 0.01, yaw=0.4, pitch=0.2),
    Pose.at(0.32, -0.02, 0.0, yaw=-0.4, pitch=0.3),
    Pose.at(0.32, 0.0, -0.02, yaw=0.1, pitch=-0.4),
]


@pytest.mark.parametrize("kappa", [-0.3, -0.1, 0.15])
def test_kappa_is_estimated_from_images_of_a_checkerboard(kappa: float) -> None:
    lens = replace(PINHOLE, distortion=Radial(kappa))
    camera = CmosFilter(lens, Cmos(noise=Noise(read=2.0, shot=0.05)))
    found = [
        find_corners(
            filter_render(camera, lambda plane, X=X: draw_checkerboard(plane, X), seed=n), (9, 7)
        )
        for n, X in enumerate(BOARDS)
    ]
    fit = fit_kappa(found, PINHOLE)
    assert fit.kappa == pytest.approx(kappa, abs=0.015)
    assert fit.residual < 0.1
    rays = lens.rays()  # effect of the error at the corner, pixels
    error = Radial(fit.kappa).distort(rays) - Radial(kappa).distort(rays)
    assert np.abs(error * lens.focal).max() < 0.5


@pytest.mark.slow
def test_photographs_become_the_camera_of_a_world_file(tmp_path: Path) -> None:
    lens = replace(PINHOLE, distortion=Radial(-0.15))
    camera = CmosFilter(lens, Cmos(noise=Noise(read=2.0, shot=0.05)))
    files = []
    for n, X in enumerate([*BOARDS, Pose.at(0.05)]):  # the last one is too near
        picture = filter_render(camera, lambda plane, X=X: draw_checkerboard(plane, X), seed=n)
        files.append(str(tmp_path / f"board{n}.png"))
        write_png(files[-1], picture)
    wall = tmp_path / "wall.png"
    write_png(wall, CmosFilter(lens, Cmos(darkening=3.0))(uniform_image(200)))
    out = tmp_path / "my_camera.yaml"
    done = grouser("calibrate-camera", *files, "--wall", str(wall), "--out", str(out))
    assert done.exit_code == 0, done.output
    assert "board4.png: skipped" in done.output
    sensor = not_none(load(str(out)).robots[0].sensors)[0]
    assert isinstance(sensor, dict)
    fitted = resolve_imager(sensor["camera"])
    assert isinstance(fitted.lens.distortion, Radial)
    assert fitted.lens.fov_deg == pytest.approx(lens.fov_deg, rel=0.02)
    assert fitted.lens.distortion.kappa == pytest.approx(-0.15, abs=0.03)
    assert fitted.cmos.darkening == pytest.approx(3.0, abs=0.2)
    for words, sentence in (
        ([*files[:2]], "2 pictures of a checkerboard, 3 are needed"),
        ([*files, "--squares", "9"], "--squares is '9', must be COLUMNSxROWS"),
        ([str(out)], "is no picture"),
    ):
        assert sentence in error_line(grouser("calibrate-camera", *words, "--out", str(out)))


def test_darkening_and_noise_are_estimated_from_images_of_a_wall() -> None:
    noise, power = Noise(read=2.5, shot=0.06), 3.3
    camera = CmosFilter(PINHOLE, Cmos(darkening=power, noise=noise))
    walls = [
        np.stack([camera(uniform_image(level), seed=100 * level + n) for n in range(12)])
        for level in (60, 120, 180, 230)
    ]
    assert fit_darkening(walls[2], PINHOLE).power == pytest.approx(power, abs=0.02)
    assert fit_darkening(walls[2], PINHOLE).brightness == pytest.approx(180, abs=0.5)
    fit = fit_noise(walls)
    assert fit.read == pytest.approx(noise.read, rel=0.05)
    assert fit.shot == pytest.approx(noise.shot, rel=0.05)


def test_calibration_reports_unusable_images() -> None:
    with pytest.raises(BadValue, match="no checkerboard of 9 x 7"):
        find_corners(uniform_image(100), (9, 7))
    with pytest.raises(BadValue, match="not clipped"):
        fit_darkening(uniform_image(255)[None], PINHOLE)
    with pytest.raises(BadValue, match="2 brightnesses"):
        fit_noise([uniform_image(100)[None]])
    with pytest.raises(BadValue, match="needs at least one picture"):
        fit_kappa([], PINHOLE)


# -- options ----------------------------------------------------------------------------


def test_images_of_another_size_are_rejected() -> None:
    with pytest.raises(BadValue, match=r"uint8 \(144, 176, 3\)"):
        CmosFilter(PINHOLE)(np.zeros((10, 10, 3), np.uint8))
    with pytest.raises(BadValue, match="read is -1"):
        Noise(read=-1)
    with pytest.raises(BadValue, match="blur"):
        Cmos(blur=-1.0)
    with pytest.raises(BadValue, match="exposure_s"):
        Shutter(exposure_s=-1.0)


def test_imagers_are_given_by_name_or_by_parameters() -> None:
    assert resolve_imager("ers210") is IMAGERS["ers210"]
    own = resolve_imager(
        {"width": 320, "height": 240, "fov_deg": [60, 46], "kappa": -0.2, "read": 1.5}
    )
    assert own.lens.distortion == Radial(-0.2)
    assert own.cmos == replace(IDEAL_CMOS, noise=Noise(read=1.5))
    with pytest.raises(BadValue, match="did you mean 'ers210'"):
        Camera(mount="body", camera="ers21")
    with pytest.raises(BadValue, match="did you mean 'kappa'"):
        Camera(
            mount="body", camera={"width": 320, "height": 240, "fov_deg": [60, 46], "kapa": -0.2}
        )
    with pytest.raises(BadValue, match="height"):
        Camera(mount="body", camera={"width": 320})


@pytest.mark.parametrize("spin", [(0.0, 0.0, 0.0), (1.0, -2.0, 3.0)])
@pytest.mark.parametrize("lens", [ERS210.lens, replace(ERS210.lens, width=63, height=48)])
def test_numpy_and_compiled_sweep_give_the_same_image(
    lens: Lens, spin: tuple[float, float, float]
) -> None:
    source = np.random.default_rng(1).integers(0, 256, (lens.height, lens.width, 3))
    compiled, arrays = (
        CmosFilter(lens, ERS210.cmos, ERS210.shutter, compiled=how)(
            source.astype(np.uint8), spin=spin, seed=5
        ).astype(int)
        for how in (True, False)
    )
    assert np.abs(compiled - arrays).max() <= 1  # a value between two grey levels
    assert (compiled != arrays).mean() < 1e-3


def test_images_are_computed_without_numba(tmp_path: Path) -> None:
    (tmp_path / "numba.py").write_text("raise ImportError('there is no numba')")
    (tmp_path / "sitecustomize.py").write_text(
        "import importlib.util as util\nfound = util.find_spec\n"
        "util.find_spec = lambda name, *more: None if name == 'numba' else found(name, *more)"
    )
    code = (
        "import numpy as np; from grouser.sensors.imaging.cmos import *; "
        "from grouser.sensors.imaging.imager import IMAGERS; eye = IMAGERS['ers210']; "
        "grey = np.full((eye.lens.height, eye.lens.width, 3), 99, np.uint8); "
        "print(CmosFilter(eye.lens, eye.cmos, eye.shutter)(grey).mean().round())"
    )
    paths = [str(tmp_path), *sys.path]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    result = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert 60 < float(result.stdout) < 99  # dark towards the corners


def test_error_without_numba_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "grouser.sensors.imaging.cmos_kernel", raising=False)
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(MissingDependency, match=r"numba: pip install .grouser\[camera\]"):
        CmosFilter(PINHOLE, compiled=True)(uniform_image(100))
