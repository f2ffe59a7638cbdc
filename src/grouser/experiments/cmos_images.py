"""Asanuma et al. 2004, figs 3, 5, 6, 7 and 9: pictures with the camera's characteristics.

The paper shows simulated pictures beside real ones, which are not available here. The report shows
each characteristic with and without it. Every characteristic that can be measured in a picture is
measured and compared with the value that was set: kappa, limb darkening and noise by calibration;
blur, row delay and motion blur on a pole in front of a camera on a tripod. Only the deviation of
the blur is printed in the paper, so it alone is judged.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import mujoco
import numpy as np

from grouser.experiments import cmos_rig as rig
from grouser.experiments.run_options import RunOptions
from grouser.frames import Array, Pose, radians
from grouser.perception.colours import paint_classes
from grouser.rendering.image import Image
from grouser.reports.film_strip import picture_strip
from grouser.reports.report import Report
from grouser.reports.rules import within_absolute
from grouser.reports.table import Row, Table
from grouser.sensors.camera import Camera
from grouser.sensors.imaging.cmos import IDEAL_CMOS, NO_NOISE, SPARE_BYTES, CmosFilter
from grouser.sensors.imaging.cmos_calibration import (
    draw_checkerboard,
    find_corners,
    fit_darkening,
    fit_kappa,
    fit_noise,
)
from grouser.sensors.imaging.imager import IMAGERS, Imager
from grouser.sensors.imaging.lens import Lens
from grouser.sensors.imaging.shutter import INSTANT_SHUTTER, Shutter
from grouser.simulation.simulation import Simulation
from grouser.world.visuals import add_visuals

FULL = IMAGERS["ers210"]
PINHOLE = FULL.ideal()
SIGMA = 1.0  # sec. 4.1, pixels
SIGMA_WITHIN = 0.06  # five taps cut off the tails of a Gaussian, 4 % of its deviation
WITHIN_PX = 0.5
WITHIN_PART = 0.1  # relative tolerance of the calibration
BOARDS = (
    Pose.at(0.30),
    Pose.at(0.32, 0.02, 0.01, yaw=0.4, pitch=0.2),
    Pose.at(0.32, -0.02, 0.0, yaw=-0.4, pitch=0.3),
    Pose.at(0.32, 0.0, -0.02, yaw=0.1, pitch=-0.4),
)
SQUARES = (9, 7)
AS_SET = "as set"
"""Begin of the note of a row whose picture shows the value that was set."""
LEVELS, WALLS, QUICK_WALLS = (60, 120, 180, 230), 20, 6  # grey levels; pictures of each level
BALL_AT = 1.0  # m   fig. 5
STAND = (-1.5, 0.0)  # m   x, y of the robot, which faces the sky-blue goal
TILT = radians(-12.0)
SETTLED = 2.0  # s   after which the head is at rest
LARGER = 3  # magnification in the report
CLOSER = 9  # magnification of close-ups
SEEDS_PER_LEVEL = 1000  # noise seeds reserved for one grey level
CLOSE_UP = (48, 58)  # rows and columns of a close-up


def run(run_options: RunOptions) -> Report:
    """Measure the characteristics in our pictures; add the pictures if they are requested."""
    run_options.progress("the pole", 0, 3)
    rows = [_lens_blur_row(), *_rolling_rows(exact=False), *_rolling_rows(exact=True)]
    run_options.progress("calibration", 1, 3)
    rows += [
        _kappa_row(run_options.seed),
        *_light_rows(run_options.seed, QUICK_WALLS if run_options.quick else WALLS),
    ]
    table = Table(
        "cmos-images",
        f"{rig.PAPER}, figs 3, 5, 6, 7 and 9",
        "Camera characteristics, measured in pictures" + (" (quick)" if run_options.quick else ""),
        tuple(rows),
        {"found_as_set": f"{sum(row.note.startswith(AS_SET) for row in rows)} of {len(rows)}"},
        (
            "The paper prints the blur's deviation and the head's speed; everything else in the "
            "column 'set' is ours. The note states whether the picture shows what was set.",
            "Skew and motion blur: a pole seen by a camera that turns at 300 deg/s about its "
            "pinhole; 'set' is what focal length, speed, line delay and exposure time predict.",
        ),
    )
    report = Report(table)
    if run_options.pictures:
        run_options.progress("pictures", 2, 3)
        _add_pictures(report, run_options.seed)
    return report


def _lens_blur_row() -> Row:
    """Measure the lens blur of a camera that has no other characteristic."""
    clean = replace(PINHOLE, cmos=replace(IDEAL_CMOS, blur=FULL.cmos.blur))
    measured = lens_blur(clean)
    return _row("5(e)", "lens blur, deviation px", SIGMA, measured, SIGMA_WITHIN, paper=SIGMA)


def _rolling_rows(*, exact: bool) -> list[Row]:
    """Measure skew and motion blur of a camera whose only characteristic is its shutter."""
    imager = replace(PINHOLE, shutter=FULL.shutter)
    mode = "every moment drawn" if exact else "one view warped"
    optics = (imager.lens, imager.shutter)
    return [
        _row(
            "9", f"skew px, {mode}", predicted_skew(*optics), skew(imager, exact=exact), WITHIN_PX
        ),
        _row(
            "9",
            f"motion blur px, {mode}",
            predicted_motion_blur(*optics),
            motion_blur(imager, exact=exact),
            WITHIN_PX,
        ),
    ]


def _kappa_row(seed: int) -> Row:
    """Calibrate the radial distortion with checkerboards."""
    camera = CmosFilter(FULL.lens, FULL.cmos)
    corners = [
        find_corners(_photograph_board(camera, board, seed + number), SQUARES)
        for number, board in enumerate(BOARDS)
    ]
    kappa = rig.kappa_of(FULL.lens)
    fit = fit_kappa(corners, FULL.lens)
    note = f"four checkerboards, {fit.residual:.2f} px left"
    return _row("6", "kappa", kappa, fit.kappa, WITHIN_PART * abs(kappa), note=note)


def _light_rows(seed: int, pictures: int) -> list[Row]:
    """Calibrate limb darkening and noise with pictures of evenly lit walls."""
    camera, cmos = CmosFilter(FULL.lens, FULL.cmos), FULL.cmos
    size = (FULL.lens.height, FULL.lens.width, 3)
    walls = [
        np.stack(
            [
                camera(np.full(size, level, np.uint8), seed=seed + SEEDS_PER_LEVEL * level + n)
                for n in range(pictures)
            ]
        )
        for level in LEVELS
    ]
    darkening, noise = fit_darkening(walls[-1], FULL.lens), fit_noise(walls)
    read, shot = cmos.noise.read, cmos.noise.shot
    power = cmos.darkening
    return [
        _row("5(g)", "limb darkening, power", power, darkening.power, WITHIN_PART * power),
        _row("5(f)", "noise in the dark, levels", read, noise.read, WITHIN_PART * read),
        _row("5(f)", "variance per level", shot, noise.shot, WITHIN_PART * shot),
    ]


def _row(
    figure: str,
    quantity: str,
    given: float,
    measured: float,
    within: float,
    *,
    paper: float | None = None,
    note: str = "",
) -> Row:
    found = AS_SET if abs(measured - given) <= within else "NOT AS SET"
    return Row(
        {"fig": figure, "what": quantity},
        paper,
        {"set": given, "found": measured},
        None if paper is None else within_absolute(within, "px").judge(paper, measured),
        f"{found} (within {within:.2g})" + (f"; {note}" if note else ""),
    )


def _photograph_board(camera: CmosFilter, board: Pose, seed: int) -> Image:
    """Return the camera's picture of a drawn checkerboard."""
    plane = camera.source_plane()
    drawn = draw_checkerboard(plane, board, squares=SQUARES)
    pixels = np.concatenate([drawn.reshape(-1), np.zeros(SPARE_BYTES, np.uint8)])
    return camera.apply_warped(pixels, plane, plane.matrix(), spin=(0.0, 0.0, 0.0), seed=seed)


# -- pictures --------------------------------------------------------------------------------------


def _add_pictures(report: Report, seed: int) -> None:
    scene = _resting_scene(seed)
    plain = _shot(scene, PINHOLE)
    full = _shot(scene, FULL)
    _add(report, [plain, full, _colours(scene, full)], _FIG3, "Fig. 3: what the robot sees")
    _add_fig5(report, scene, plain)
    _add_fig6(report, scene, plain)
    _add(report, [plain, full], ("without", "CMOS filter"), "Fig. 7: all characteristics together")
    _add_fig9(report, scene)


_FIG3 = ("(a) OpenGL", "(b) with CMOS filter", "(c) colours found in (b)")


def _add_fig5(report: Report, scene: Simulation, plain: Image) -> None:
    """Add pictures of a ball at 1 m with one characteristic each."""
    still = replace(PINHOLE, shutter=INSTANT_SHUTTER)
    blur = replace(still, cmos=replace(IDEAL_CMOS, blur=FULL.cmos.blur))
    noise = replace(still, cmos=replace(IDEAL_CMOS, noise=FULL.cmos.noise))
    limb = replace(still, cmos=replace(IDEAL_CMOS, darkening=FULL.cmos.darkening))
    shots = [plain, _shot(scene, blur), _shot(scene, noise)]
    middle = _ball(plain)
    _add(
        report,
        [_crop(shot, middle) for shot in shots],
        ("(d) OpenGL", "(e) Gaussian blur", "(f) random noise"),
        "Fig. 5: a ball at 1 m, close up",
        larger=CLOSER,
    )
    captions = ("(b) OpenGL", "(g) limb darkening")
    _add(report, [plain, _shot(scene, limb)], captions, "Fig. 5: the same, whole")


def _add_fig6(report: Report, scene: Simulation, plain: Image) -> None:
    """Add pictures with and without lens distortion."""
    distorted = replace(PINHOLE, lens=FULL.lens)
    shots = [plain, _shot(scene, distorted)]
    shots += [
        _photograph_board(CmosFilter(imager.lens), BOARDS[0], 0) for imager in (PINHOLE, distorted)
    ]
    captions = ("(b) without distortion", "(c) with distortion") * 2
    _add(report, shots, captions, "Fig. 6: lens distortion", columns=2)


def _add_fig9(report: Report, scene: Simulation) -> None:
    """Add pictures of the head turning at 0.30 deg/msec."""
    quiet = replace(FULL, cmos=replace(FULL.cmos, noise=NO_NOISE))
    still = _shot(scene, quiet)
    _spin_head(scene, SPEED)
    shots = [still, _shot(scene, quiet), _shot(scene, quiet, exact=True)]
    captions = ("head at rest", "300 deg/s, one view warped", "300 deg/s, every moment drawn")
    _add(report, shots, captions, "Fig. 9: exposure delay and shutter speed")


def _resting_scene(seed: int) -> Simulation:
    """Return the field with the robot at rest and a ball 1 m ahead of its lens."""
    ahead = STAND[0] + float(rig.NECK.gaze(TILT, 0.0).position[0])
    scene = Simulation(rig.world(*STAND, 0.0, (ahead + BALL_AT, 0.12)), seed=seed)
    scene.command(rig.ROBOT, tilt=TILT)
    scene.step(SETTLED)
    _spin_head(scene, 0.0)
    return scene


def _spin_head(scene: Simulation, speed: float) -> None:
    """Set the head's speed to the left (rad/s) and all other speeds to zero, without a step."""
    scene.data.qvel[:] = 0.0
    scene.data.qvel[scene.model.joint(f"{rig.ROBOT}/pan").dofadr[0]] = speed


def _shot(scene: Simulation, imager: Imager, *, exact: bool = False) -> Image:
    """Return the picture of another imager in the robot's head at this instant."""
    camera = rig.CAMERAS["with"].replace(name="with", camera=imager, exact=exact)
    bound = camera.bind(scene.model, f"{rig.ROBOT}/")
    context = rig.camera_context(scene.model, scene.data)
    return bound.read(context, np.random.default_rng(scene.seed)).image


def _colours(scene: Simulation, image: Image) -> Image:
    angles = scene.read(rig.ROBOT, "encoder")
    seen = rig.vision("with").see(image, angles["tilt"], angles["pan"], angles["roll"])
    return paint_classes(seen.kinds)


def _ball(image: Image) -> tuple[int, int]:
    """Return row and column of the centre of the orange ball."""
    red, green, blue = np.moveaxis(image.astype(int), -1, 0)
    rows, columns = np.nonzero((red > 2 * blue) & (red > green + 60))
    return round(rows.mean()), round(columns.mean())


def _crop(image: Image, middle: tuple[int, int]) -> Image:
    """Return the close-up around a pixel, inside the picture."""
    top, left = (
        min(max(place - part // 2, 0), whole - part)
        for place, part, whole in zip(middle, CLOSE_UP, image.shape, strict=False)
    )
    return image[top : top + CLOSE_UP[0], left : left + CLOSE_UP[1]]


def _add(
    report: Report,
    images: Sequence[Image],
    captions: Sequence[str],
    title: str,
    *,
    larger: int = LARGER,
    columns: int | None = None,
) -> None:
    """Add pictures side by side, magnified without smoothing."""
    frames = [image.repeat(larger, axis=0).repeat(larger, axis=1) for image in images]
    report.add_picture(picture_strip(frames, captions=captions, columns=columns), title)


# -- camera on a tripod beside a pole -------------------------------------------------------------
#
# The camera turns about its own pinhole, so that geometry alone predicts its pictures. All measures
# come from the difference of two pictures, with the pole and without it, and are means over all
# rows: in a view without smoothing a single row is up to half a pixel off.

SPEED = radians(300.0)  # rad/s   sec. 4.5: 0.30 deg/msec
DISTANCE, HALF_WIDTH, HALF_HEIGHT = 2.0, 0.06, 2.0  # m   of the pole, which is higher than the view
DARK, WALL = (0.05, 0.05, 0.05, 1.0), (0.7, 0.7, 0.7, 1.0)


@dataclass(frozen=True)
class PoleTrace:
    """Position and width of a pole in every row of a picture."""

    middle: Array
    """Column of the pole's centre, (rows,)."""
    variance: Array
    """Variance of its darkness along the row, (rows,), pixels²."""


def pole_trace(imager: Imager, *, speed: float = 0.0, exact: bool = False) -> PoleTrace:
    """Return the trace of the pole for a camera that turns to the left at ``speed`` (rad/s)."""
    camera = Camera(mount="tripod", camera=imager, exact=exact)
    empty, standing = (_picture(camera, speed, pole).astype(float) for pole in (False, True))
    dark = np.clip((empty - standing).sum(axis=2), 0.0, None)
    columns, total = np.arange(dark.shape[1]), dark.sum(axis=1)
    middle = dark @ columns / total
    offset = columns - middle[:, None]
    return PoleTrace(middle, (dark * offset * offset).sum(axis=1) / total)


def lens_blur(imager: Imager) -> float:
    """Return the standard deviation of the lens blur, pixels; variances add up."""
    plain = replace(imager, cmos=replace(imager.cmos, blur=0.0))
    return math.sqrt(float(np.mean(pole_trace(imager).variance - pole_trace(plain).variance)))


def motion_blur(imager: Imager, *, exact: bool) -> float:
    """Return the length of the motion blur, pixels; a uniform blur has variance length² / 12."""
    instant = replace(imager, shutter=replace(imager.shutter, exposure_s=0.0))
    blurred, sharp = (pole_trace(i, speed=SPEED, exact=exact).variance for i in (imager, instant))
    return math.sqrt(12 * float(np.mean(blurred - sharp)))


def skew(imager: Imager, *, exact: bool) -> float:
    """Return the pole's offset between the first and the last row, pixels."""
    middle = pole_trace(imager, speed=SPEED, exact=exact).middle
    return float(middle[-1] - middle[0])


def predicted_skew(lens: Lens, shutter: Shutter) -> float:
    """Return the skew that follows from focal length, speed and line delay, pixels."""
    first = SPEED * shutter.readout_s / lens.height * (lens.height - 1) / 2
    return 2 * lens.focal[0] * math.tan(first)


def predicted_motion_blur(lens: Lens, shutter: Shutter) -> float:
    """Return the displacement of the image centre during the exposure, pixels."""
    return lens.focal[0] * SPEED * shutter.exposure_s


def _picture(camera: Camera, speed: float, pole: bool) -> Image:
    """Return the picture of a wall, with or without the pole, from a turning camera."""
    spec = mujoco.MjSpec()
    add_visuals(spec)
    box = mujoco.mjtGeom.mjGEOM_BOX
    spec.worldbody.add_geom(type=box, size=[0.1, 9, 9], pos=[6, 0, 0], rgba=WALL)
    if pole:
        size, place = [0.01, HALF_WIDTH, HALF_HEIGHT], [DISTANCE, 0, 0]
        spec.worldbody.add_geom(type=box, size=size, pos=place, rgba=DARK)
    body = spec.worldbody.add_body(name="tripod")
    body.add_joint(axis=[0, 0, 1])
    body.add_geom(size=[0.01, 0, 0], mass=1.0)
    camera.add(spec)
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qvel[:] = speed
    context = rig.camera_context(model, data)
    return camera.bind(model, "").read(context, np.random.default_rng(0)).image
