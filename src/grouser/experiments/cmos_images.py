"""Asanuma et al. 2004, figs 3, 5, 6, 7 and 9: pictures with the camera's characteristics.

The paper shows them beside real pictures, which we have not; ours stand side by side without and
with each characteristic. What can be measured in a picture is measured and compared with what was
set: kappa, limb darkening and noise by calibration, blur, row delay and motion blur on a pole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from grouser.experiments import cmos_rig as rig
from grouser.experiments import cmos_tripod as tripod
from grouser.experiments.run_options import RunOptions
from grouser.frames import Pose, radians
from grouser.perception.colours import paint_classes
from grouser.rendering.image import Image
from grouser.reports.film_strip import picture_strip
from grouser.reports.report import Report
from grouser.reports.table import Row, Table
from grouser.sensors.imaging.cmos import IDEAL_CMOS, NO_NOISE, SPARE_BYTES, CmosFilter
from grouser.sensors.imaging.cmos_calibration import (
    draw_checkerboard,
    find_corners,
    fit_darkening,
    fit_kappa,
    fit_noise,
)
from grouser.sensors.imaging.imager import IMAGERS, Imager
from grouser.sensors.imaging.lens import Radial
from grouser.sensors.imaging.shutter import INSTANT_SHUTTER
from grouser.sensors.sensor import SensorContext
from grouser.simulation.simulation import Simulation

FULL = IMAGERS["ers210"]
PINHOLE = FULL.ideal()
SIGMA = 1.0  # sec. 4.1, pixels
SIGMA_WITHIN = 0.06  # five taps cut the tails of a Gaussian off, 4 % of its deviation
WITHIN_PX = 0.5
WITHIN_PART = 0.1  # of what calibration must find again
BOARDS = (
    Pose.at(0.30),
    Pose.at(0.32, 0.02, 0.01, yaw=0.4, pitch=0.2),
    Pose.at(0.32, -0.02, 0.0, yaw=-0.4, pitch=0.3),
    Pose.at(0.32, 0.0, -0.02, yaw=0.1, pitch=-0.4),
)
SQUARES = (9, 7)
LEVELS, WALLS, QUICK_WALLS = (60, 120, 180, 230), 20, 6  # grey levels; pictures of each
BALL_AT = 1.0  # m   fig. 5
STAND = (-1.5, 0.0)  # m   where the robot stands, looking at the sky-blue goal
TILT = radians(-12.0)
SETTLED = 2.0  # s   after which the head has stopped
LARGER = 3  # times, in the report
CLOSER = 9  # times, for close-ups
CLOSE_UP = (48, 58)  # rows and columns of a close-up


def run(run_options: RunOptions) -> Report:
    """Measure the characteristics in our pictures; show the pictures if they are wanted."""
    run_options.progress("the pole", 0, 3)
    rows = [_lens_blur(), *_rolling(exact=False), *_rolling(exact=True)]
    run_options.progress("calibration", 1, 3)
    rows += [
        _kappa(run_options.seed),
        *_light(run_options.seed, QUICK_WALLS if run_options.quick else WALLS),
    ]
    table = Table(
        "cmos-images",
        f"{rig.PAPER}, figs 3, 5, 6, 7 and 9",
        "Camera characteristics, measured in pictures" + (" (quick)" if run_options.quick else ""),
        tuple(rows),
        {"rows_that_agree_with_what_was_set": sum(bool(row.agrees) for row in rows)},
        (
            "The paper prints the blur's deviation and the head's speed; everything else in the "
            "column 'set' is ours, and a row agrees when the picture shows what was set.",
            "Skew and motion blur: a pole seen by a camera that turns at 300 deg/s about its "
            "pinhole; 'set' is what focal length, speed, line delay and exposure time predict.",
        ),
    )
    report = Report(table)
    if run_options.pictures:
        run_options.progress("pictures", 2, 3)
        _add_pictures(report, run_options.seed)
    return report


def _lens_blur() -> Row:
    clean = replace(PINHOLE, cmos=replace(IDEAL_CMOS, blur=FULL.cmos.blur))
    measured = tripod.lens_blur(clean)
    return _row("5(e)", "lens blur, deviation px", SIGMA, measured, SIGMA_WITHIN, paper=SIGMA)


def _rolling(*, exact: bool) -> list[Row]:
    """Measure skew and motion blur of a camera that has a shutter and nothing else."""
    imager = replace(PINHOLE, shutter=FULL.shutter)
    mode = "every moment drawn" if exact else "one view warped"
    optics = (imager.lens, imager.shutter)
    return [
        _row(
            "9",
            f"skew px, {mode}",
            tripod.predicted_skew(*optics),
            tripod.skew(imager, exact=exact),
            WITHIN_PX,
        ),
        _row(
            "9",
            f"motion blur px, {mode}",
            tripod.predicted_motion_blur(*optics),
            tripod.motion_blur(imager, exact=exact),
            WITHIN_PX,
        ),
    ]


def _kappa(seed: int) -> Row:
    camera = CmosFilter(FULL.lens, FULL.cmos)
    corners = [
        find_corners(_through(camera, board, seed + number), SQUARES)
        for number, board in enumerate(BOARDS)
    ]
    assert isinstance(FULL.lens.distortion, Radial)
    kappa = FULL.lens.distortion.kappa
    fit = fit_kappa(corners, FULL.lens)
    note = f"four checkerboards, {fit.residual:.2f} px left"
    return _row("6", "kappa", kappa, fit.kappa, WITHIN_PART * abs(kappa), note=note)


def _light(seed: int, pictures: int) -> list[Row]:
    """Photograph evenly lit walls and find darkening and noise again."""
    camera, cmos = CmosFilter(FULL.lens, FULL.cmos), FULL.cmos
    size = (FULL.lens.height, FULL.lens.width, 3)
    walls = [
        np.stack(
            [
                camera(np.full(size, level, np.uint8), seed=seed + 1000 * level + n)
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
    what: str,
    given: float,
    measured: float,
    within: float,
    *,
    paper: float | None = None,
    note: str = "",
) -> Row:
    ours = {"set": given, "found": measured}
    return Row({"fig": figure, "what": what}, paper, ours, abs(measured - given) <= within, note)


def _through(camera: CmosFilter, board: Pose, seed: int) -> Image:
    """Return a picture of a drawn checkerboard."""
    plane = camera.source_plane()
    drawn = draw_checkerboard(plane, board, squares=SQUARES)
    pixels = np.concatenate([drawn.reshape(-1), np.zeros(SPARE_BYTES, np.uint8)])
    return camera.apply_warped(pixels, plane, plane.matrix(), spin=(0.0, 0.0, 0.0), seed=seed)


# -- pictures --------------------------------------------------------------------------------------


def _add_pictures(report: Report, seed: int) -> None:
    scene = _standing(seed)
    plain = _shot(scene, PINHOLE)
    full = _shot(scene, FULL)
    _add(report, [plain, full, _colours(scene, full)], _FIG3, "Fig. 3: what the robot sees")
    _add_fig5(report, scene, plain)
    _add_fig6(report, scene, plain)
    _add(report, [plain, full], ("without", "CMOS filter"), "Fig. 7: all characteristics together")
    _add_fig9(report, scene)


_FIG3 = ("(a) OpenGL", "(b) with CMOS filter", "(c) colours found in (b)")


def _add_fig5(report: Report, scene: Simulation, plain: Image) -> None:
    """Show one characteristic after another on a ball at 1 m."""
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
    bent = replace(PINHOLE, lens=FULL.lens)
    shots = [plain, _shot(scene, bent)]
    shots += [_through(CmosFilter(imager.lens), BOARDS[0], 0) for imager in (PINHOLE, bent)]
    captions = ("(b) without distortion", "(c) with distortion") * 2
    _add(report, shots, captions, "Fig. 6: lens distortion", columns=2)


def _add_fig9(report: Report, scene: Simulation) -> None:
    """Show the head turning at 0.30 deg/msec."""
    quiet = replace(FULL, cmos=replace(FULL.cmos, noise=NO_NOISE))
    still = _shot(scene, quiet)
    _spin_head(scene, tripod.SPEED)
    shots = [still, _shot(scene, quiet), _shot(scene, quiet, exact=True)]
    captions = ("head at rest", "300 deg/s, one view warped", "300 deg/s, every moment drawn")
    _add(report, shots, captions, "Fig. 9: exposure delay and shutter speed")


def _standing(seed: int) -> Simulation:
    """Return the field with the robot at rest, a ball 1 m ahead of its lens."""
    ahead = STAND[0] + float(rig.NECK.gaze(TILT, 0.0).position[0])
    scene = Simulation(rig.world(*STAND, 0.0, (ahead + BALL_AT, 0.12)), seed=seed)
    scene.command(rig.ROBOT, tilt=TILT)
    scene.step(SETTLED)
    _spin_head(scene, 0.0)
    return scene


def _spin_head(scene: Simulation, speed: float) -> None:
    """Let the head turn to the left and everything else stand still; no time passes."""
    scene.data.qvel[:] = 0.0
    scene.data.qvel[scene.model.joint(f"{rig.ROBOT}/pan").dofadr[0]] = speed


def _shot(scene: Simulation, imager: Imager, *, exact: bool = False) -> Image:
    """Return what another imager in the robot's head sees at this instant."""
    camera = replace(rig.CAMERAS["with"], name="with", camera=imager, exact=exact)
    nothing = np.empty(0)  # a camera asks for no drives
    moment = SensorContext(scene.model, scene.data, (), lambda: nothing, nothing)
    bound = camera.bind(scene.model, f"{rig.ROBOT}/")
    return bound.read(moment, np.random.default_rng(scene.seed)).image


def _colours(scene: Simulation, image: Image) -> Image:
    angles = scene.read(rig.ROBOT, "encoder")
    seen = rig.vision("with").see(image, angles["tilt"], angles["pan"], angles["roll"])
    return paint_classes(seen.kinds)


def _ball(image: Image) -> tuple[int, int]:
    """Return row and column of the orange ball's middle."""
    red, green, blue = np.moveaxis(image.astype(int), -1, 0)
    rows, columns = np.nonzero((red > 2 * blue) & (red > green + 60))
    return round(rows.mean()), round(columns.mean())


def _crop(image: Image, middle: tuple[int, int]) -> Image:
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
    """Add pictures side by side, enlarged so that pixels can be seen."""
    frames = [image.repeat(larger, axis=0).repeat(larger, axis=1) for image in images]
    report.add_picture(picture_strip(frames, captions=captions, columns=columns), title)
