"""Calibration of known parameters, and reports of parameters that a run does not determine."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from grouser.calibration import gauss_newton
from grouser.calibration.calibration import calibrate, synthetic_log
from grouser.calibration.parameters import (
    PARAMETERS,
    Finding,
    Identifiability,
    interval,
    judge,
    parameters_named,
)
from grouser.cli import app
from grouser.errors import BadValue, UnknownName
from grouser.evaluation.log_fit import LogAlignment, correlation, fit_log, loss, residual_scales
from grouser.evaluation.trajectory import Trajectory
from grouser.frames import Array
from grouser.robots import kenaf
from grouser.simulation.scene import compose
from grouser.world.file import World, load

TRUTH = {"pitch_inertia": 1.4, "friction": 0.9}
WORLD = "kenaf_edge_and_slope"
ROBOT_FILES = Path(__file__).parents[1] / "examples" / "robots"


def synthetic_run(
    world: World, truth: dict[str, float], seconds: float, *, seed: int = 1
) -> Trajectory:
    return synthetic_log(world, "kenaf", truth, seconds, seed=seed)


def on_flat_ground(world: World) -> World:
    robot = world.robots[0].model_copy(update={"position": (0.0, 0.0, 0.0)})
    return world.changed(terrain=world.terrain[:1], robots=(robot,))


# -- recovery of known parameters --------------------------------------------------------


@pytest.mark.slow
def test_known_parameters_are_found_and_reported(tmp_path: Path) -> None:
    synthetic_run(load(WORLD), TRUTH, 2.6).write_csv(tmp_path / "log.csv")
    arguments = ["calibrate", str(tmp_path / "log.csv"), "--world", WORLD, "--robot", "kenaf"]
    arguments += ["--free", "pitch_inertia,friction", "--seed", "1"]
    arguments += ["--report", str(tmp_path / "page"), "--json", str(tmp_path / "found.json")]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert result.output.count("determined ±") == 2
    found = json.loads((tmp_path / "found.json").read_text())
    for name, true in TRUTH.items():
        assert found["parameters"][name]["found"] == pytest.approx(true, rel=0.1)
        assert found["parameters"][name]["verdict"] == "determined"
    assert found["offset_s"] == pytest.approx(0.3, abs=0.03)
    page = (tmp_path / "page" / "index.html").read_text()
    assert "2 of 2 parameters determined" in page
    assert page.count("<img") == 3  # the runs, and one profile per parameter


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 3, 4, 5])
def test_known_parameters_are_found_for_every_noise_seed(seed: int) -> None:
    log = synthetic_run(load(WORLD), TRUTH, 2.6, seed=seed)
    found = calibrate(log, load(WORLD), "kenaf", list(TRUTH), seed=seed)
    for finding in found.findings:
        assert finding.value == pytest.approx(TRUTH[finding.parameter.name], rel=0.1)
        assert finding.determined


@pytest.mark.slow
def test_known_parameters_are_found_with_unknown_origin() -> None:
    truth = {"pitch_inertia": 1.0, "friction": 0.75}
    log = synthetic_run(load(WORLD), truth, 2.6).shift(x=-3.0, z=0.4)
    found = calibrate(log, load(WORLD), "kenaf", list(truth), align=True)
    for finding in found.findings:
        assert finding.value == pytest.approx(truth[finding.parameter.name], rel=0.1)


@pytest.mark.slow
def test_known_centre_of_mass_is_found() -> None:
    log = synthetic_run(load(WORLD), {"centre_x": 0.02}, 2.6)
    [finding] = calibrate(log, load(WORLD), "kenaf", ["centre_x"]).findings
    assert finding.start == 0.0
    assert finding.value == pytest.approx(0.02, abs=0.004)
    assert finding.determined


def test_run_without_slip_does_not_determine_friction() -> None:
    flat = on_flat_ground(load(WORLD))
    log = synthetic_run(flat, TRUTH, 1.2)
    [finding] = calibrate(log, flat, "kenaf", ["friction"]).findings
    assert finding.verdict == "not identifiable"
    assert finding.sentence.startswith("not identifiable from this run")
    assert finding.value == finding.start
    assert not finding.determined


@pytest.mark.slow
def test_run_on_flat_ground_determines_neither_parameter() -> None:
    flat = on_flat_ground(load(WORLD))
    log = synthetic_run(flat, TRUTH, 2.5)
    findings = calibrate(log, flat, "kenaf", list(TRUTH)).findings
    assert {finding.verdict for finding in findings} == {"not identifiable"}


# -- parameters ----------------------------------------------------------------------------------


def test_parameters_start_at_the_values_of_the_world() -> None:
    world = load(WORLD)
    for name in TRUTH:
        parameter = PARAMETERS[name]
        assert parameter.low < parameter.start(world, "kenaf") < parameter.high
        changed = parameter.apply_to(world, "kenaf", 1.25)
        assert parameter.start(changed, "kenaf") == 1.25
    for name, place in (("centre_x", 0.0), ("centre_z", kenaf.CENTRE_Z)):
        parameter = PARAMETERS[name]
        assert parameter.start(world, "kenaf") == place
        assert parameter.start(parameter.apply_to(world, "kenaf", 0.03), "kenaf") == 0.03
    assert PARAMETERS["friction"].apply_to(world, "kenaf", 1.25).robots == world.robots
    assert PARAMETERS["pitch_inertia"].apply_to(world, "kenaf", 1.25).terrain == world.terrain


def test_centre_of_mass_of_a_robot_file_can_be_free() -> None:
    world = load(WORLD)
    (entry,) = world.robots

    def of(file: str) -> World:
        own = entry.model_copy(update={"kind": str(ROBOT_FILES / file), "options": {}})
        return world.changed(robots=(own,))

    parameter = PARAMETERS["centre_z"]
    assert parameter.start(of("kenaf.yaml"), "kenaf") == -0.045
    moved = parameter.apply_to(of("kenaf.yaml"), "kenaf", 0.03)
    assert parameter.start(moved, "kenaf") == 0.03
    before, after = (
        compose(one).model.body("kenaf/body").ipos[2] for one in (of("kenaf.yaml"), moved)
    )
    assert after > before + 0.05
    with pytest.raises(BadValue, match="has no centre_z .*has no centre.*for it: friction"):
        parameter.start(of("student/rover.yaml"), "kenaf")
    with pytest.raises(BadValue, match="has no pitch_inertia; .*: friction, centre_x, centre_z"):
        PARAMETERS["pitch_inertia"].start(of("kenaf.yaml"), "kenaf")


def test_errors_are_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="no parameter 'frction'.*did you mean 'friction'"):
        parameters_named(["frction"])
    with pytest.raises(BadValue, match="'friction' is given twice"):
        parameters_named(["friction", "friction"])
    with pytest.raises(BadValue, match="no parameter is given"):
        parameters_named([])
    slick = load(WORLD, ["terrain.0.friction=0", "terrain.1.friction=0.1"])
    with pytest.raises(BadValue, match=r"friction is 0.05 in .*, plausible is 0.2 to 1.4"):
        PARAMETERS["friction"].start(slick, "kenaf")
    with pytest.raises(BadValue, match="'quince' has no pitch_inertia; allowed for it"):
        PARAMETERS["pitch_inertia"].start(load("quince_step"), "quince")
    with pytest.raises(UnknownName, match="no robot 'kenav'.*did you mean 'kenaf'"):
        PARAMETERS["pitch_inertia"].start(load(WORLD), "kenav")
    short = Trajectory(*np.zeros((4, 5)) + np.arange(5))
    with pytest.raises(BadValue, match="has 5 samples, at least 12 are needed"):
        calibrate(short, load(WORLD), "kenaf", ["friction"])
    short.write_csv(tmp_path / "log.csv")
    result = CliRunner().invoke(
        app, ["calibrate", str(tmp_path / "log.csv"), "--world", WORLD, "--free", "mass"]
    )
    assert result.exit_code == 2
    assert "no parameter 'mass'" in result.output


# -- verdicts ------------------------------------------------------------------------------------


def test_interval_ends_where_the_increase_is_significant() -> None:
    at = np.linspace(0, 1, 11)
    low, high = interval(at, ((at - 0.4) / 0.15) ** 2, 0.4)
    assert (low, high) == pytest.approx((0.25, 0.55))
    assert judge(low, high, 0.4) == "determined"
    low, high = interval(at, np.where(at < 0.3, 50.0, 0.1), 0.6)  # sticks from 0.3 on
    assert low > 0.2
    assert high == 1.0
    assert judge(low, high, 0.6) == "not identifiable"
    assert judge(0.8, 1.0, 0.9) == "one-sided"
    assert judge(0.9, 1.0, 1.0) == "at the end"


def test_verdicts_are_complete_sentences() -> None:
    def verdict_text(
        low: float, high: float, found: float, verdict: Identifiability, name: str = "friction"
    ) -> str:
        nothing = np.zeros(2)
        return Finding(
            parameter=PARAMETERS[name],
            start=0.0,
            value=found,
            low=low,
            high=high,
            verdict=verdict,
            values=nothing,
            rises=nothing,
        ).sentence

    assert verdict_text(0.81, 0.99, 0.9, "determined") == "determined ± 10 %"
    assert verdict_text(-0.01, 0.03, 0.01, "determined", "centre_x") == "determined ± 0.02 m"
    assert verdict_text(1.0, 1.4, 1.2, "one-sided") == "at least 1"
    assert verdict_text(0.2, 0.5, 0.3, "one-sided") == "at most 0.5"
    assert verdict_text(0.2, 1.4, 0.7, "not identifiable") == "not identifiable from this run"
    assert (
        verdict_text(0.5, 1.4, 0.7, "not identifiable")
        == "not identifiable from this run, only above 0.5"
    )
    assert (
        verdict_text(0.2, 0.9, 0.7, "not identifiable")
        == "not identifiable from this run, only below 0.9"
    )
    assert verdict_text(1.3, 1.4, 1.4, "at the end").startswith(
        "at the end of the plausible range (1.4)"
    )


# -- path following and search -----------------------------------------------------------------


def curve(times: Array) -> Trajectory:
    return Trajectory(times, times**2, np.sin(3 * times), np.cos(2 * times))


@pytest.mark.parametrize("align", [False, True])
def test_time_offset_and_origin_are_found(align: bool) -> None:
    dense = curve(np.arange(0, 3, 0.005))
    log = curve(np.arange(0.3, 2.5, 1 / 17)).shift(times=-0.3, x=2.0 * align, z=-1.0 * align)
    scales = np.full((3, len(log)), 0.01)
    found = fit_log(log, dense, scales, LogAlignment(earliest=-1, latest=0.5, align=align))
    assert found.offset == pytest.approx(0.3, abs=1e-3)
    assert found.shift == pytest.approx((-2.0 * align, 1.0 * align), abs=1e-2)
    assert loss(found.residuals, scales) < 1


def test_noise_is_estimated_beside_outliers() -> None:
    rng = np.random.default_rng(0)
    rough = np.zeros((3, 4000))
    rough[:, 2000:] = 0.05
    noise = np.array([0.003, 0.01, 0.02])
    left = rng.normal(size=(3, 4000)) * np.hypot(noise[:, None], rough)
    scales = residual_scales(left, rough, np.full(3, 1e-4), np.full(3, 1.0))
    assert scales[:, 0] == pytest.approx(noise, rel=0.15)
    assert scales[:, -1] == pytest.approx(np.hypot(noise, 0.05), rel=0.05)
    assert loss(left, scales) == pytest.approx(12000, rel=0.15)  # outliers have less weight


def test_correlated_samples_are_counted_once() -> None:
    white = np.random.default_rng(0).normal(size=(3, 900))
    assert correlation(white) == pytest.approx(1.0, abs=0.3)
    assert correlation(np.repeat(white, 6, axis=1)) == pytest.approx(6.0, rel=0.3)


class QuadraticResiduals:
    """Residuals with one minimum and a random roughness at every point."""

    def __init__(self, least: list[float], rough: float) -> None:
        self.least, self.rough = np.array(least), rough
        self.rng = np.random.default_rng(7)
        self.slope = self.rng.normal(size=(90, len(least))) * 40
        self.points: list[Array] = []
        self.residuals: list[Array] = []

    def run(self, points: Array) -> None:
        for point in points:
            assert ((point >= 0) & (point <= 1)).all()
            away = self.slope @ np.sin(point - self.least)
            self.points.append(point)
            self.residuals.append(away + self.rng.normal(size=90) * self.rough)

    def evaluations(self) -> tuple[Array, Array, Array]:
        residuals = np.stack(self.residuals)
        return np.stack(self.points), residuals, (residuals**2).sum(axis=1)

    def note_roughness(self, rough: Array) -> None:
        assert rough.shape == (90,)


@pytest.mark.parametrize("rough", [0.0, 3.0])
def test_search_descends_within_the_bounds(rough: float) -> None:
    bowl = QuadraticResiduals([0.3, 0.72], rough)
    found, _ = gauss_newton.descend(np.array([0.6, 0.5]), bowl)
    assert found == pytest.approx(bowl.least, abs=0.002 + 0.01 * rough)
    outside = QuadraticResiduals([1.4, 0.5], rough)
    found, _ = gauss_newton.descend(np.array([0.8, 0.4]), outside)
    assert found[0] == 1.0
    assert (
        gauss_newton.bootstrap_deviation(*bowl.evaluations()[:2], bowl.least, bowl.rng).max()
        < 0.02 * rough + 1e-3
    )


def test_first_points_form_a_latin_hypercube() -> None:
    points = gauss_newton.latin_hypercube(8, 3, np.random.default_rng(0))
    slices = np.sort((points * 8).astype(int), axis=0).T
    assert slices.tolist() == [list(range(8))] * 3
