"""Trials that drive paths: verdicts, random draws, bit-identical batches."""

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.narrowing import not_none

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.planning.driver import PathDriver, SkidLaw
from grouser.simulation.scene import compose
from grouser.simulation.simulation import Simulation
from grouser.trials.draws import NOTHING_DRAWN, Draw, Spread
from grouser.trials.path_trials import PathCourse
from grouser.trials.runner import run_trials
from grouser.trials.scene_batch import MANY_GEOMS
from grouser.trials.simulation_lane import replay_trial, samples
from grouser.trials.starts import DRAWN_FIELDS, SceneStarts, TrialStart
from grouser.trials.threads import ThreadRunner
from grouser.trials.trial import Outcome, Place, Trial
from grouser.trials.trial_run import TrialRun
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat
from grouser.world.terrain.pyramid_bumps import PyramidBumps
from grouser.world.terrain.step import Step
from grouser.world.terrain.terrain_piece import TerrainPiece

ROACH = STANDARD.model_copy(update={"integrator": "discrete"})


def roach_world(
    *,
    height: float = 0.0,
    position: tuple[float, float, float] = (0.0, 0.0, 0.0),
    yaw_deg: float = 0.0,
    friction: float = 0.6,
) -> World:
    """Return level ground, or a ledge of ``height`` that begins at x = -1, with a roach."""
    ground: list[TerrainPiece] = [Flat(friction=friction)]
    if height:
        ground.append(Step(x=-1.0, length=1.3, height=height, friction=friction))
    roach = RobotEntry(name="roach", kind="velociroach", position=position, yaw_deg=yaw_deg)
    return World(name="paths", physics=ROACH, terrain=tuple(ground), robots=(roach,))


def path_course(goal: tuple[float, float] = (0.3, 0.0), **world: Any) -> PathCourse:
    place = Place(x=goal[0], y=goal[1], within=0.05)
    driver = PathDriver(r_path=0.05)  # paths are short here
    return PathCourse(roach_world(**world), "roach", place, driver=driver, limit=6.0)


def outcome_bits(outcomes: list[Outcome]) -> list[tuple[str, float, bytes, str]]:
    return [(o.verdict, o.time, o.positions.tobytes(), o.fingerprint) for o in outcomes]


def paths(count: int = 3) -> list[Array]:
    """Return ``count`` paths, straight and bent."""
    return [np.array([[0.0, 0.0], [0.12, 0.06 * n], [0.22, 0.0]]) for n in range(count)]


def test_roach_with_initial_yaw_error_reaches_the_goal() -> None:
    [outcome] = run_trials(
        [
            dataclasses.replace(
                path_course(yaw_deg=90.0).trial(np.array([[0, 0], [0.3, 0]]), Draw()),
                sample_period=0.04,
            )
        ]
    )
    assert outcome.verdict == "arrived"
    assert math.hypot(*(outcome.positions[-1, :2] - [0.3, 0.0])) < 0.05
    assert outcome.effort > outcome.work > 0


def test_outcomes_are_bit_identical_alone_and_in_a_batch() -> None:
    trials = path_course(goal=(0.22, 0.0)).trials(paths(), Spread().draws(3, 2))
    together = run_trials(trials, runner=ThreadRunner(threads=1))
    assert {outcome.verdict for outcome in together} == {"arrived"}
    assert len({o.fingerprint for o in together}) == len(trials), "every draw, every path differs"
    assert outcome_bits(
        run_trials(trials, runner=ThreadRunner(threads=2, slots=3))
    ) == outcome_bits(together), "slots are used again"
    for number in (1, 4):
        assert outcome_bits(run_trials([trials[number]])) == outcome_bits([together[number]])


def test_single_simulation_equals_the_batch() -> None:
    trial = path_course(goal=(0.22, 0.0)).trials(paths(2), Spread().draws(3, 1))[1]
    [outcome] = run_trials([trial])
    simulation = Simulation(trial.world)
    for verdict in samples(simulation, TrialRun(trial)):
        if verdict:
            break
    assert (verdict, simulation.fingerprint()) == (outcome.verdict, outcome.fingerprint)
    drawn = next(replay_trial(trial)).model
    assert drawn.geom_friction[0, 0] == pytest.approx(0.6 * not_none(trial.start).friction)


def test_falling_off_a_ledge_has_its_own_verdict() -> None:
    high = path_course(goal=(0.6, 0.0), height=0.2, position=(0.15, 0.0, 0.2))
    [fell] = run_trials([high.trial(np.array([[0.6, 0.0]]), Draw())])
    assert fell.verdict == "fell"
    assert 0.3 < fell.positions[-1, 0] < 0.5
    low = path_course(goal=(0.6, 0.0), height=0.01, position=(0.15, 0.0, 0.01))
    [down] = run_trials([low.trial(np.array([[0.6, 0.0]]), Draw())])
    assert down.verdict == "arrived", "stepping down by less than its height is no fall"


def test_motion_without_progress_along_the_path_is_stuck() -> None:
    """The roach runs far sideways without coming nearer to its path point."""
    walled = roach_world().changed(
        terrain=(Flat(friction=0.6), Step(x=0.15, length=1.0, height=0.2, friction=0.6))
    )
    wall = PathCourse(walled, "roach", Place(x=0.5, y=0.0, within=0.05), limit=30.0)
    [outcome] = run_trials([wall.trial(np.array([[0.5, 0.0]]), Draw())])
    assert outcome.verdict == "stuck"
    assert 10.0 < outcome.time < 20.0


def test_slow_progress_ends_at_the_time_limit() -> None:
    far = path_course(goal=(5.0, 0.0))
    [outcome] = run_trials([far.trial(np.array([[5.0, 0.0]]), Draw())])
    assert outcome.verdict == "out of time"
    assert outcome.time == pytest.approx(6.0)


def test_tracked_robot_follows_the_same_path() -> None:
    packbot = RobotEntry(name="packbot", kind="packbot", position=(0.0, 0.0, 0.0), yaw_deg=45.0)
    world = World(name="tracks", physics=STANDARD, terrain=(Flat(friction=0.6),), robots=(packbot,))
    tracks = PathCourse(world, "packbot", Place(x=0.8, y=0.4, within=0.1), limit=10.0)
    path = np.array([[0, 0], [0.5, 0.0], [0.8, 0.4]])
    [outcome] = run_trials([tracks.trial(path, Draw())])
    assert isinstance(tracks.driver.law, SkidLaw)
    assert outcome.verdict == "arrived"


def test_fast_skidding_crawler_reaches_a_small_goal_around_a_corner() -> None:
    """With a gain of 2 per second Quince spirals round this goal: it skids and turns less."""
    quince = RobotEntry(name="quince", kind="quince", position=(0.0, 0.0, 0.0))
    world = World(name="tracks", physics=STANDARD, terrain=(Flat(friction=0.7),), robots=(quince,))
    tracks = PathCourse(world, "quince", Place(x=1.2, y=0.0, within=0.05), limit=8.0)
    [outcome] = run_trials([tracks.trial(np.array([[0, 0], [0.5, 0.3], [1.2, 0.0]]), Draw())])
    assert outcome.verdict == "arrived"


def test_draws_depend_on_the_seed_only_and_follow_the_documented_order() -> None:
    spread = Spread()
    assert spread.draw(1, 7) == spread.draws(1, 9)[7] != spread.draw(2, 7)
    draws = spread.draws(0, 2000)
    for name, deviation in (("along", 0.01), ("across", 0.01), ("friction", 0.05), ("mass", 0.03)):
        values = np.array([getattr(draw, name) for draw in draws])
        assert values.std() == pytest.approx(deviation, rel=0.08)
    phases = np.array([draw.phase for draw in draws])
    assert (phases.min(), phases.max()) == pytest.approx((0.0, 2 * math.pi), abs=0.02)
    assert all(0.85 <= draw.friction <= 1.15 for draw in draws)
    assert NOTHING_DRAWN.draw(5, 5) == Draw(seed=NOTHING_DRAWN.draw(5, 5).seed)
    assert "10 mm" in str(spread)


def test_drawn_quantities_change_the_batched_model_fields_only() -> None:
    """A batch receives all fields that mass changes, for legged and tracked robots."""
    for kind in ("velociroach", "kenaf"):
        robot = RobotEntry(name="robot", kind=kind, position=(0.0, 0.0, 0.0))
        scene = compose(
            World(name="m", physics=ROACH, terrain=(Flat(friction=0.6),), robots=(robot,))
        )
        starts = SceneStarts(scene)
        start = TrialStart(position=(0, 0, 0.1), wxyz=(1, 0, 0, 0), friction=0.9, mass=1.2)
        fields, _ = starts.state("robot", start)
        assert set(fields) == set(DRAWN_FIELDS)
        drawn, model = starts._model, scene.model
        changed = {
            name
            for name in dir(model)
            if isinstance(getattr(model, name), np.ndarray)
            and not np.array_equal(getattr(model, name), getattr(drawn, name))
        }
        assert {"geom_friction", "body_mass", "body_invweight0"} <= changed
        assert changed - {"light_poscom0", "cam_poscom0"} <= set(DRAWN_FIELDS)


def test_legs_start_at_the_drawn_phase() -> None:
    trial = dataclasses.replace(
        path_course().trial(np.array([[0.3, 0.0]]), Draw(phase=math.pi / 2)), sample_period=0.02
    )
    simulation = Simulation(trial.world)
    before = simulation.data.qpos.copy()
    next(samples(simulation, TrialRun(trial)))
    swing = simulation.model.joint("roach/fore_left_protraction").qposadr[0]
    assert before[swing] == pytest.approx(0.0, abs=1e-9)
    assert simulation.data.qpos[swing] > 0.3, "the fore leg begins in front"


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: Place(x=0.0, y=math.nan, within=0.1), "goal is"),
        (lambda: Place(x=0.0, y=0.0, within=0.0), "distance above 0"),
        (lambda: Spread(place=-1.0), "place is -1.0"),
        (lambda: Spread(mass=0.5), "mass is 0.5, must be at most 0.3"),
        (lambda: TrialStart(position=(0, 0, 0), wxyz=(1, 0, 0, 0), mass=0.0), "mass is 0.0"),
    ],
)
def test_invalid_values_are_rejected(make: Callable[..., Any], what: str) -> None:
    with pytest.raises(BadValue, match=what):
        make()


def test_start_without_ground_is_rejected() -> None:
    nowhere = World(
        name="hole",
        physics=ROACH,
        terrain=(Step(x=5.0, length=1.0, height=0.2, friction=0.6),),
        robots=(RobotEntry(name="roach", kind="velociroach", position=(0.0, 0.0, 0.0)),),
    )
    with pytest.raises(BadValue, match="no ground under the start"):
        PathCourse(nowhere, "roach", Place(x=1, y=0, within=0.1))
    with pytest.raises(BadValue, match="no robot 'rouch', the world has roach"):
        PathCourse(roach_world(), "rouch", Place(x=1, y=0, within=0.1))


def test_goal_position_needs_no_driver() -> None:
    """Any trial accepts a position as its goal."""
    world = roach_world()
    entry = world.robots[0].model_copy(update={"command": {"left_speed": 15, "right_speed": 15}})
    trial = Trial(
        world=world.changed(robots=(entry,)),
        robot="roach",
        limit=3.0,
        goal=Place(x=0.15, y=0.0, within=0.05),
    )
    assert run_trials([trial])[0].verdict == "arrived"
    assert PathDriver().words == ("left_speed", "right_speed")


def test_batch_with_static_ground_equals_single_simulation() -> None:
    """Poses of 800 static bumps are computed once; a trial still equals a simulation."""
    bumps = PyramidBumps(x=-0.2, y=0.0, rows=40, columns=20, friction=0.6, seed=3)
    world = roach_world().changed(terrain=(Flat(friction=0.6), bumps))
    uneven = PathCourse(world, "roach", Place(x=0.5, y=0.0, within=0.05), limit=0.4)
    trials = uneven.trials([np.array([[0.5, 0.0]])], Spread().draws(0, 3))
    for trial, outcome in zip(
        trials, run_trials(trials, runner=ThreadRunner(slots=2, threads=1)), strict=True
    ):
        simulation = Simulation(trial.world)
        for _ in samples(simulation, TrialRun(trial)):
            pass
        assert simulation.model.ngeom > MANY_GEOMS
        assert simulation.fingerprint() == outcome.fingerprint
