"""The report's tables with paths: printed dimensions of the world, statistics, short runs."""

import math
from itertools import product
from types import ModuleType

import numpy as np
import pytest

from grouser.experiments.roach import table71, table72, table73
from grouser.experiments.roach.bridge_world import BOUNDS, GOAL, ROBOT, START, bridge_world
from grouser.experiments.roach.driven_paths import (
    Tally,
    energy_figures,
    fisher_p,
    plan_paths,
    validity_of,
)
from grouser.experiments.roach.table73 import DECK, MIDDLE, real_world
from grouser.experiments.run_options import RunOptions
from grouser.frames import Array
from grouser.simulation.ground import Ground
from grouser.simulation.scene import compose
from grouser.world.file import World


def heights(world: World, points: list[tuple[float, float]] | Array) -> Array:
    return Ground(compose(world)).below(points).height


def test_the_double_bridge_is_as_printed() -> None:
    """Table C.1 along y; start and goal are 0.1 m before and behind the bridge."""
    places = {(0, -1.6): 0, (0, -1.0): 0.1, (-0.75, 0): 0.2, (0.75, 0): 0.2, (0, 0): 0, (0, 1): 0.1}
    world = bridge_world()
    assert heights(world, list(places)) == pytest.approx(list(places.values()), abs=1e-6)
    assert world.robots[0].position == (0.0, -1.6, 0.0)
    assert world.robots[0].yaw_deg == 0.0


def test_the_top_bridge_is_the_rougher_one() -> None:
    world = bridge_world(table72.BUMPS, seed=4)
    grid = np.array(
        [(x, y) for x in np.linspace(0.55, 0.95, 80) for y in np.linspace(-0.4, 0.4, 80)]
    )
    top, bottom = (heights(world, grid * [side, 1]) - 0.2 for side in (-1, 1))
    assert 0.010 < top.max() <= 0.015 + 1e-9
    assert 0.007 < bottom.max() <= 0.010 + 1e-9
    other = bridge_world(table72.BUMPS, seed=5)
    assert not np.allclose(heights(other, grid), heights(world, grid))


def test_prm_finds_paths_over_both_bridges() -> None:
    validity = validity_of(bridge_world(), ROBOT, BOUNDS)
    plans = plan_paths(validity, START, GOAL, planner="PRM", seeds=range(12))
    groups = table71.group_by_bridge(plans, 3)
    assert [len(paths) for paths in groups.values()] == [3, 3]
    for name, paths in groups.items():
        for path in paths:
            middle = path.waypoints[np.abs(path.waypoints[:, 1]) < 0.4, 0]
            assert (np.abs(middle) > 0.5).all()
            assert (np.sign(middle) == (-1 if name == "top" else 1)).all()
            assert path.waypoints[0] == pytest.approx(START)
            assert path.waypoints[-1] == pytest.approx(GOAL)


def test_the_plywood_bridge_is_level_between_start_and_goal() -> None:
    world = real_world()
    x = np.linspace(MIDDLE - DECK + 0.01, MIDDLE + DECK - 0.01, 50)
    level = heights(world, np.stack([x, 0 * x], axis=1))
    assert np.ptp(level) < 0.001
    beyond = heights(world, [(MIDDLE - DECK - 0.1, 0.0), (MIDDLE + DECK + 0.1, 0.0)])
    assert (beyond < level.min() - 0.005).all()


def test_fishers_exact_test_of_the_lady_tasting_tea() -> None:
    assert fisher_p(3, 4, 1, 4) == pytest.approx(34 / 70)
    assert fisher_p(10, 20, 10, 20) == pytest.approx(1.0)
    assert fisher_p(20, 20, 10, 20) < 0.001


def test_the_sign_flip_test_counts_every_choice_of_signs() -> None:
    differences = np.array([0.3, 0.1, -0.05, 0.2])
    sums = [sum(s * abs(d) for s, d in zip(signs, differences, strict=True))
            for signs in product((-1, 1), repeat=4)]  # fmt: skip
    assert table72.sign_flip_p(differences) == pytest.approx(
        np.mean([value >= differences.sum() - 1e-12 for value in sums])
    )
    assert table72.sign_flip_p(np.full(10, 0.1)) == pytest.approx(1 / 1024)
    assert math.isnan(table72.sign_flip_p(np.zeros(0)))


def test_energies_are_of_successes_only() -> None:
    assert math.isnan(energy_figures(np.array([1.0]))["sd_over_mean"])
    figures = energy_figures(np.array([1.0, 2.0]))
    assert (figures["max_over_min"], figures["mean"]) == (2.0, 1.5)
    assert Tally(4, 3, np.ones(3), np.ones(3), np.ones(3)).share == 0.75


@pytest.mark.slow
@pytest.mark.parametrize(("experiment", "judged"), [(table71, 13), (table72, 10), (table73, 6)])
def test_a_short_run_has_every_row(experiment: ModuleType, judged: int) -> None:
    table = experiment.run(RunOptions(quick=True)).table
    assert table.of == judged
    quantities = {str(row.case["what"]) for row in table.rows}
    assert "max over min" in quantities
    assert any("p = 2 /rad" in note for note in table.notes), "the note names the open parameters"
    assert table.figures["trials" if experiment is not table72 else "top_trials"] >= 2
