"""Asanuma et al. 2004, figs 10-12: mean and deviation of a measured distance to the ball.

The robot stands with its head 15 deg down and measures the distance to a ball 100 times, at 300 to
3,000 mm, with the camera's characteristics and without them. The simulation does not step between
two measurements: the robots of the paper's simulator have no dynamics, and ours would settle by
micrometres. Distances are along the ground, from below the lens to the centre of the ball. The
paper only draws the figures. Its text prints that the deviations are zero without the
characteristics and not with them, which is judged. Means and growth with the distance, which have
neither numbers nor an order in the text, are printed beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from grouser.experiments import cmos_rig as rig
from grouser.experiments.run_options import RunOptions
from grouser.frames import Array, metres, millimetres, radians
from grouser.perception.colours import paint_classes
from grouser.rendering.image import Image
from grouser.rendering.renderer import Renderer
from grouser.rendering.viewpoint import Viewpoint
from grouser.reports.report import Report
from grouser.reports.rules import Rule
from grouser.reports.table import Row, Table
from grouser.simulation.simulation import Simulation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DISTANCES_MM = tuple(range(300, 3001, 100))
QUICK_MM = (300, 600, 1000, 1500, 2000, 3000)
TIMES, QUICK_TIMES = 100, 20  # the paper's number; enough for a deviation
TILT = radians(-15.0)  # the view reaches from 200 mm to the horizon
STAND = -1.8  # m   x of the robot; the ball lies between it and the sky-blue goal
SETTLED = 2.0  # s   after which the head is at rest
NEAR_MM = 1500  # range of the largest error of the mean in the figures
ZERO_WITHOUT = Rule(
    "zero without, above zero with", lambda _, found: bool(found[0] == 0 and found[1] > 0)
)
"""Sec. 5.1, of the standard deviations without and with the characteristics."""
SHOWN_MM = (500, 1000, 2000)  # distances with pictures in the report


@dataclass(frozen=True)
class BallMeasurements:
    """All measurements at one distance."""

    distance: float
    """True distance, m."""
    measured: dict[str, Array]
    """Measured distances with and without the characteristics, m; nan if no ball was found."""
    pictures: dict[str, Image]
    """Last picture of each camera, with the detected colour classes on its right."""

    def mean_mm(self, camera: str) -> float:
        """Return the mean of the measured distances, mm."""
        return millimetres(float(np.mean(self.measured[camera])))

    def deviation_mm(self, camera: str) -> float:
        """Return the standard deviation of the measured distances, mm."""
        values = self.measured[camera]
        return millimetres(float(np.std(values - values[0], ddof=1)))  # exactly 0 if all are equal

    @property
    def mean_error(self) -> float:
        """Relative error of the mean with the characteristics."""
        return abs(self.mean_mm("with") / millimetres(self.distance) - 1)


def run(run_options: RunOptions) -> Report:
    """Measure at every distance and compare with the paper's text."""
    distances = QUICK_MM if run_options.quick else DISTANCES_MM
    times = QUICK_TIMES if run_options.quick else TIMES
    measurements = []
    for number, distance in enumerate(distances):
        run_options.progress("looking at the ball", number, len(distances))
        measurements.append(measure_ball(metres(distance), times, run_options.seed))
    grows = _rank_correlation([one.deviation_mm("with") for one in measurements])
    table = Table(
        "cmos-distance",
        f"{rig.PAPER}, figs 11 and 12",
        f"Distance to a ball, {times} measurements each"
        + (" (quick)" if run_options.quick else ""),
        (*(_row(one) for one in measurements), _growth(grows)),
        _figures(measurements, grows),
        (
            "Paper's column: the standard deviation without the characteristics, which its text "
            "calls zero; its means and other deviations are only drawn.",
            "The text calls the means 'almost the same distance' and the deviations with the "
            "characteristics 'the same tendency': neither a number nor an order.",
        ),
    )
    report = Report(table)
    report.add_plot(_plot(measurements), "Means (Fig. 11) and standard deviations (Fig. 12)")
    if run_options.pictures:
        _add_pictures(report, measurements)
    return report


def measure_ball(distance: float, times: int, seed: int) -> BallMeasurements:
    """Measure ``times`` times the distance to a ball that is ``distance`` (m) away."""
    lens = STAND + float(rig.NECK.gaze(TILT, 0.0).position[0])
    simulation = Simulation(rig.world(STAND, 0.0, 0.0, (lens + distance, 0.0)), seed=seed)
    simulation.command(rig.ROBOT, tilt=TILT)
    simulation.step(SETTLED)
    software = {name: rig.vision(name) for name in rig.CAMERAS}
    angles = simulation.read(rig.ROBOT, "neck")
    measured, pictures = {}, {}
    for name, vision in software.items():
        distances = []
        for image in rig.pictures(simulation, name, times):
            seen = vision.see(image, angles["tilt"], angles["pan"], angles["roll"])
            distances.append(np.nan if seen.ball is None else seen.ball.distance)
        measured[name] = np.array(distances)
        pictures[name] = np.concatenate([image, paint_classes(seen.kinds)], axis=1)
    return BallMeasurements(distance, measured, pictures)


def _row(one: BallMeasurements) -> Row:
    deviations = one.deviation_mm("without"), one.deviation_mm("with")
    ours = {"deviation_without_mm": one.deviation_mm("without")}
    ours |= {"mean_without_mm": one.mean_mm("without")}
    ours |= {"mean_with_mm": one.mean_mm("with"), "deviation_with_mm": one.deviation_mm("with")}
    ours |= {"mean_with_off_percent": 100 * one.mean_error}
    case = {"distance_mm": round(millimetres(one.distance))}
    printed = {"deviation_without_mm": 0}
    return Row(case, printed, ours, ZERO_WITHOUT.judge((0.0, 1.0), deviations))


def _growth(grows: float) -> Row:
    return Row(
        {"distance_mm": "all"},
        None,
        None,
        None,
        f"deviation with the characteristics over distance (Fig. 12): rank correlation {grows:.2f}",
    )


def _figures(measurements: list[BallMeasurements], grows: float) -> dict[str, float | int]:
    near = [one for one in measurements if millimetres(one.distance) <= NEAR_MM]
    return {
        f"largest_mean_error_up_to_{NEAR_MM}_mm_percent": 100 * max(one.mean_error for one in near),
        "largest_deviation_without_mm": max(one.deviation_mm("without") for one in measurements),
        "deviation_with_nearest_mm": measurements[0].deviation_mm("with"),
        "deviation_with_farthest_mm": measurements[-1].deviation_mm("with"),
        "rank_correlation_of_deviation_and_distance": grows,
        "pictures_without_a_ball": sum(
            int(np.isnan(values).sum()) for one in measurements for values in one.measured.values()
        ),
    }


def _rank_correlation(values: list[float]) -> float:
    """Return Spearman's rank correlation of ``values`` with their order; 1 if they increase."""
    ranks = np.argsort(np.argsort(values))
    return float(np.corrcoef(ranks, np.arange(len(values)))[0, 1])


def _plot(measurements: list[BallMeasurements]) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 3.8), layout="constrained")
    means, deviations = figure.subplots(1, 2)
    true = [millimetres(one.distance) for one in measurements]
    means.plot(true, true, color="#b9c0c8", label="true")
    for name, colour in (("with", "#e07a1f"), ("without", "#3b6ea8")):
        label = f"{name} characteristics"
        means.plot(
            true, [one.mean_mm(name) for one in measurements], "o-", ms=3, c=colour, label=label
        )
        spread = [one.deviation_mm(name) for one in measurements]
        deviations.plot(true, spread, "o-", ms=3, c=colour, label=label)
    means.set(xlabel="distance [mm]", ylabel="mean of measurements [mm]")
    deviations.set(xlabel="distance [mm]", ylabel="standard deviation [mm]")
    means.legend()
    deviations.legend()
    return figure


def _add_pictures(report: Report, measurements: list[BallMeasurements]) -> None:
    """Add Fig. 10: the setting, the robot's pictures and the detected colours."""
    lens = STAND + float(rig.NECK.gaze(TILT, 0.0).position[0])
    simulation = Simulation(rig.world(STAND, 0.0, 0.0, (lens + 1.0, 0.0)))
    simulation.command(rig.ROBOT, tilt=TILT)
    simulation.step(SETTLED)
    with Renderer(960, 480) as renderer:
        view = Viewpoint((STAND + 0.6, 0.0, 0.1), 1.9, 60.0, -20.0)
        setting = renderer.picture(simulation.model, simulation.data, view)
    report.add_picture(setting, "The setting, ball at 1,000 mm (Fig. 10)")
    for one in measurements:
        if round(millimetres(one.distance)) in SHOWN_MM:
            both = np.concatenate([one.pictures["without"], one.pictures["with"]], axis=0)
            report.add_picture(
                both.repeat(3, axis=0).repeat(3, axis=1),
                f"{millimetres(one.distance):.0f} mm: picture and colour detection, without the "
                "characteristics (upper) and with them (lower)",
            )
