"""Results as the papers print them, as rows of every experiment, without a simulation.

Where a paper prints a bound or a word, the result is chosen just inside of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from grouser.experiments import (
    closed_forms,
    cmos_distance,
    cmos_images,
    cmos_table1,
    ers7_trot,
    ground_maps,
    kurose_fig16,
    kurose_square,
    kurose_table1,
    roach_table31,
    roach_turning,
    scan_known_world,
    zaratti_fig8,
    zaratti_fig9,
    zaratti_players,
)
from grouser.experiments.cmos import robot_errors
from grouser.experiments.okada import table1, table2, table4, window
from grouser.experiments.roach import loop, table71, table72, table73
from grouser.frames import Array, metres
from grouser.mobility.pass_curve import PassCount
from grouser.reports.table import Row
from grouser.scan.surface_errors import SurfaceErrors
from grouser.trials.trial import Outcome, Trial, Verdict
from grouser.world.file import RobotEntry, World
from grouser.world.terrain.flat import Flat

ROBOT = RobotEntry(name="packbot", kind="packbot", position=(0.0, 0.0, 0.0))
WORLD = World(name="nothing", terrain=(Flat(friction=0.6),), robots=(ROBOT,))


def outcome(
    verdict: Verdict, case: Mapping[str, object], energy: float = 1.0, path: Array | None = None
) -> Outcome:
    """Return the outcome of a trial at one place."""
    trial = Trial(world=WORLD, robot="packbot", limit=1.0, fleet_task=path, case=case)
    one, place, upright = np.ones(1), np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0, 0.0]])
    return Outcome(trial, verdict, 1.0, one, place, upright, one, energy, energy, "")


def drive_outcome(letter: str) -> Outcome:
    """Return the outcome of a drive that is printed as S or F."""
    return outcome("arrived" if letter == "S" else "stuck", {})


def energies(paper: Mapping[str, float], count: int) -> Array:
    """Return ``count`` energies with the printed mean, deviation, minimum and maximum, about."""
    mean, low, high = paper["mean"], paper["min"], paper["max"]
    rest = count - 2
    middle = (count * mean - low - high) / rest
    squares = (count - 1) * paper["sd"] ** 2 - (low - mean) ** 2 - (high - mean) ** 2
    half = min(math.sqrt(max(squares, 0.0) / rest), middle - low)
    others = middle + half * np.resize([1.0, -1.0], rest)
    return np.sort([low, high, *others])


def over_bridges(paper: Mapping[str, Mapping[str, float]], **case: object) -> list[Outcome]:
    """Return the outcomes of a printed table of two bridges."""
    outcomes = []
    for name, printed in paper.items():
        passed = int(printed["successes"])
        here = {**case, "bridge": name}
        outcomes += [outcome("arrived", here, energy) for energy in energies(printed, passed)]
        outcomes += [outcome("fell", here)] * (int(printed["trials"]) - passed)
    return outcomes


def of_closed_forms() -> Iterable[Row]:
    crawler = closed_forms._crawler(1.0, friction=0.5)
    checks = [
        closed_forms.turning(crawler, closed_forms.SLOW),
        closed_forms.step_limit(closed_forms._crawler(1.5, friction=1.5), 2),
        closed_forms.wall(closed_forms._crawler(1.5, belts="smooth"), 2),
        closed_forms.slip(crawler),
        closed_forms.tip_back(closed_forms._crawler(1.0, belts="smooth", centre_z=0.15)),
        closed_forms.pull(crawler),
        closed_forms.work(crawler),
        closed_forms.creep("packbot"),
        *closed_forms.drops(("packbot",), (0.001,)),
        *closed_forms.flights(crawler),
        closed_forms.sliding(closed_forms.SLIP_LAWS[0], 1.0),
        closed_forms.drag_rise("sphere"),
    ]
    return [check.judge(check.truth) for check in checks]


def of_cmos_distance() -> Iterable[Row]:
    near = cmos_distance.BallMeasurements(
        0.3, {"without": np.full(3, 0.3), "with": np.array([0.299, 0.3, 0.301])}, {}
    )
    return cmos_distance._row(near), cmos_distance._growth(0.98)


def of_cmos_images() -> Iterable[Row]:
    yield cmos_images._row("5(e)", "lens blur", 1.0, 1.0, 0.06, paper=cmos_images.SIGMA)
    yield cmos_images._row("6", "kappa", -1e-6, -1e-6, 1e-7)


def _cells_of_table1() -> dict[str, dict[tuple[str, str], float]]:
    """Return the real robot's cells, and those that change as the paper's simulations do."""
    printed = cmos_table1.PRINTED
    with_change = {
        key: real + (without - simulated) for key, (real, without, simulated) in printed.items()
    }
    return {
        "with": {key: float(real) for key, (real, *_) in printed.items()},
        "without": {key: float(value) for key, value in with_change.items()},
    }


def of_cmos_table1() -> Iterable[Row]:
    """Return the simulated rows of the paper, with the real robot's errors in the last column."""
    results = _cells_of_table1() | {
        name: dict.fromkeys(cmos_table1.PRINTED, value)
        for name, value in (("in step", 1.5), ("out of step", 1.0))
    }
    return cmos_table1.table_rows(results)


def of_cmos_errors() -> Iterable[Row]:
    cells = _cells_of_table1()
    return robot_errors.table_rows(
        {f"{cause} {camera}": cells[camera] for cause in robot_errors.CAUSES for camera in cells}
    )


def of_ers7_trot() -> Iterable[Row]:
    return [ers7_trot.speed_row(case, case.measured) for case in ers7_trot.CASES]


def of_ground_maps() -> Iterable[Row]:
    run = ground_maps.DrivenRun(passed=True, contacts=20.0, rtf=5.0)
    return [ground_maps.drives_row({}, {"solids": run, "20 mm": run, "10 mm": run})]


def of_kurose_table1() -> Iterable[Row]:
    for case in kurose_table1.PAPER:
        assert case.real
        keys = [(case.name, variant) for variant in kurose_table1.VARIANTS]
        drives: dict[tuple[object, ...], list[Outcome]] = {
            key: [drive_outcome(case.real)] for key in keys
        }
        letters: dict[tuple[object, ...], str] = {key: case.real for key in keys}
        yield kurose_table1._row(case, drives, letters, None)
    reach = "trench_350_reach_mm_at_inertia_x{:g}".format
    yield from kurose_table1.inertia_rows({reach(0.7): 300.0, reach(1.4): 200.0})


def of_kurose_fig16() -> Iterable[Row]:
    printed: dict[str, float | None] = {**kurose_fig16.PRINTED}
    yield from (
        kurose_fig16._row(name, value, value) for name, value in kurose_fig16.PRINTED.items()
    )
    yield kurose_fig16._failures_row(printed)


def of_kurose_square() -> Iterable[Row]:
    return [kurose_square._row(kurose_square.RUNS[0], 1, kurose_square._ideal(1))]


def of_okada_table1() -> Iterable[Row]:
    for fact, signs in table1.PAPER.items():
        for method, sign in zip(table1.PRINTED, signs, strict=True):
            yield table1.sign_row(fact, method, sign != "-", "as printed")


def of_okada_table2() -> Iterable[Row]:
    factors = {method: [(method.paper or 1.0) / 2] for method in table2.METHODS}
    segments, speeds = factors[table2.METHODS[0]], [table2.SPEED]
    yield from (table2._row(m, factors[m], speeds, segments) for m in table2.METHODS)
    yield table2.order_row({method.name: rate[0] for method, rate in factors.items()})


def of_okada_table4() -> Iterable[Row]:
    for case in table4.PAPER:
        yield table4._row(case, [drive_outcome(case.real)], drive_outcome("F"), None)
    for case in table4.LEVEL:
        yield table4.level_row(case, [drive_outcome(case.real)])


def of_okada_window() -> Iterable[Row]:
    one = window.variations(quick=True)[0]
    return [one.row(np.ones((len(one.cases), len(one.parameter.values))))]


def of_roach_loop() -> Iterable[Row]:
    def path(spent: float) -> loop.EvaluatedPath:
        return loop.EvaluatedPath(10, 10, spent, 1, "PRM", spent / 10, [])

    terrains = [
        loop.EvaluatedTerrain(n, {"loop": path(6.0), "single": path(10.0), "report": path(10.0)})
        for n in range(10)
    ]
    return [*(loop.claim(terrains, method)[0] for method in loop.COMPARED), loop._row(terrains[0])]


def of_roach_table31() -> Iterable[Row]:
    for printed in roach_table31.PAPER:
        mean = np.array([printed.points, printed.kept, printed.error_mm])
        yield from roach_table31.wall_rows(printed, mean, np.zeros(3))


def of_roach_table71() -> Iterable[Row]:
    outcomes = over_bridges(table71.PAPER)
    yield table71.share_row(PassCount(100, 200))
    yield from table71.claims(outcomes)
    yield from table71.printed_rows(table71.PAPER, outcomes)


def of_roach_table72() -> Iterable[Row]:
    """Return the text's claims for twice as many failures; the table's counts have a ratio of 3."""
    counts = {
        "top": {**table72.PAPER["top"], "trials": 50, "successes": 38},
        "bottom": {**table72.PAPER["bottom"], "trials": 50, "successes": 44},
    }
    twice = np.full(10, math.log(2.0))
    pairs = {"effort": twice, "work": twice, "failures": np.full(10, 0.16)}
    yield from table72.claims(over_bridges(counts, terrain=0), pairs)
    yield from table71.printed_rows(table72.PAPER, over_bridges(table72.PAPER))


def of_roach_table73() -> Iterable[Row]:
    """Return the rows of 20 paths of 25 whose energy rises to the edge, where most fail."""
    count = table73.TRIALS
    spent = energies(table73.PAPER, table73.SUCCESSES)
    spent[9:] = np.roll(spent[9:], 1)  # the largest is in the third between
    failed = count - table73.SUCCESSES
    near = count - 8  # the farthest third begins here
    outcomes = []
    for number in range(count):
        fails = near <= number < near + failed
        energy = spent[number if number < near else number - failed]
        path = np.array([[0.0, metres(10.0 * number)]])
        verdict: Verdict = "fell" if fails else "arrived"
        outcomes.append(outcome(verdict, {"clearance": 0.1}, energy, path))
    return table73.table_rows(outcomes)


def of_roach_turning() -> Iterable[Row]:
    return roach_turning.claims(
        {
            "r2": 1.0,
            "wrong_turns": 0,
            "asymmetry": 0.0,
            "straight_speed_m_s": 0.12,
            "drift_deg_per_m": 0.6,
        }
    )


def of_scan_known_world() -> Iterable[Row]:
    distances = np.array([0.003, 0.004, 0.014, 0.001, 0.0])
    yield scan_known_world.errors_row("field", "kinect2", SurfaceErrors(distances, distances))
    yield scan_known_world.drives_row(100.0, drive_outcome("S"), drive_outcome("S"), "")


def of_zaratti_fig8() -> Iterable[Row]:
    return zaratti_fig8.table_rows({1: 60.0, 5: 40.0, 8: 20.0})


def of_zaratti_fig9() -> Iterable[Row]:
    return zaratti_fig9.table_rows(
        zaratti_fig9.CollisionCost(
            share=0.8,
            share_apart=0.7,
            detection=0.2,
            touching_us=150.0,
            apart_us=100.0,
            worst_ms=30.0,
        )
    )


def of_zaratti_players() -> Iterable[Row]:
    return zaratti_players.table_rows(
        {
            "match_2v2": zaratti_players.MatchRate(5, 40.0, 0.7),
            "match_4v4": zaratti_players.MatchRate(8, 28.0, 0.7),
        }
    )


RESULTS: Mapping[str, Callable[[], Iterable[Row] | Sequence[Row]]] = {
    "closed-forms": of_closed_forms,
    "cmos-distance": of_cmos_distance,
    "cmos-errors": of_cmos_errors,
    "cmos-images": of_cmos_images,
    "cmos-table1": of_cmos_table1,
    "ers7-trot": of_ers7_trot,
    "ground-maps": of_ground_maps,
    "kurose-fig16": of_kurose_fig16,
    "kurose-square": of_kurose_square,
    "kurose-table1": of_kurose_table1,
    "okada-table1": of_okada_table1,
    "okada-table2": of_okada_table2,
    "okada-table4": of_okada_table4,
    "okada-window": of_okada_window,
    "roach-loop": of_roach_loop,
    "roach-table31": of_roach_table31,
    "roach-table71": of_roach_table71,
    "roach-table72": of_roach_table72,
    "roach-table73": of_roach_table73,
    "roach-turning": of_roach_turning,
    "scan-known-world": of_scan_known_world,
    "zaratti-fig8": of_zaratti_fig8,
    "zaratti-fig9": of_zaratti_fig9,
    "zaratti-players": of_zaratti_players,
}
"""Name of an experiment → function that returns its rows."""
