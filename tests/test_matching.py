"""DP matching, and reading and checking of trajectories."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.climb_trajectory import climb_trajectory

from grouser.errors import BadValue, UnknownName
from grouser.evaluation.matching import cost_table, match, warp
from grouser.evaluation.trajectory import Trajectory, read_trajectory
from grouser.frames import Array, from_rpy

Index = Literal["difference", "distance"]


def trajectory(*columns: Any) -> Trajectory:
    """Return a trajectory of unchecked columns."""
    return Trajectory(*columns)


def repeat_samples(trajectory: Trajectory, times: npt.NDArray[np.int64]) -> Trajectory:
    """Return a copy that repeats sample i times[i] times, at a constant rate."""
    which = np.repeat(np.arange(len(trajectory)), times)
    copy = trajectory.select(which)
    return Trajectory(0.05 * np.arange(len(which), dtype=float), copy.x, copy.z, copy.pitch)


# -- the pairing -------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("dimensions", [1, 2])
def test_warping_agrees_with_dtaidistance(seed: int, dimensions: int) -> None:
    dtw_ndim = pytest.importorskip("dtaidistance.dtw_ndim")
    rng = np.random.default_rng(seed)
    n, m = rng.integers(2, 60, size=2)
    first, second = (rng.normal(size=(dimensions, size)).cumsum(axis=1) for size in (n, m))
    pairs, cost = warp(first, second)
    theirs = dtw_ndim.distance(first.T.copy(), second.T.copy(), inner_dist="euclidean")
    assert cost == pytest.approx(theirs, rel=1e-12)
    along = np.linalg.norm(first[:, pairs[:, 0]] - second[:, pairs[:, 1]], axis=0)
    assert along.sum() == pytest.approx(cost, rel=1e-12)


def reference_cost(first: Array, second: Array) -> float:
    """Return the least cost of a warping path, cell by cell as in the definition."""
    n, m = first.shape[1], second.shape[1]
    table = np.full((n + 1, m + 1), np.inf)
    table[0, 0] = 0
    for i in range(n):
        for j in range(m):
            step = np.linalg.norm(first[:, i] - second[:, j])
            table[i + 1, j + 1] = step + min(table[i, j], table[i, j + 1], table[i + 1, j])
    return float(table[n, m])


@settings(max_examples=60)
@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 10**6))
def test_pairs_are_a_path_of_least_cost_through_the_table(n: int, m: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    first = rng.integers(-3, 4, (2, n)).astype(float)
    second = rng.integers(-3, 4, (2, m)).astype(float)
    pairs, cost = warp(first, second)
    assert cost == pytest.approx(reference_cost(first, second))
    assert tuple(pairs[0]) == (0, 0)
    assert tuple(pairs[-1]) == (n - 1, m - 1)
    steps = np.diff(pairs, axis=0)
    assert ((steps == 0) | (steps == 1)).all()
    assert (steps.sum(axis=1) >= 1).all()
    back, same = warp(second, first)
    assert same == pytest.approx(cost)
    assert tuple(back[-1]) == (m - 1, n - 1)


def test_two_thousand_samples_take_less_than_a_second() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 2, 2000)).cumsum(axis=2)
    spent = []
    for _ in range(3):
        start = time.process_time()
        warp(first, second)
        spent.append(time.process_time() - start)
    assert min(spent) < 1.0  # about 0.1 s on an idle core


def test_too_many_samples_are_rejected() -> None:
    with pytest.raises(BadValue, match=r"^match: 20000 against 20000 samples are too many"):
        warp(np.zeros((2, 20000)), np.zeros((2, 20000)))


# -- the errors --------------------------------------------------------------------------------


@pytest.mark.parametrize("index", ["difference", "distance"])
def test_log_matched_with_itself_has_no_error(index: Index) -> None:
    found = match(climb_trajectory(), climb_trajectory(), index=index)
    assert np.array_equal(found.pairs, np.stack([np.arange(200)] * 2, axis=1))
    assert max((found.before.figures() | found.after.figures()).values()) < 1e-9
    assert found.cost < 1e-9


@pytest.mark.parametrize("index", ["difference", "distance"])
def test_copy_with_repeated_samples_has_no_error_after_matching(index: Index) -> None:
    copy = repeat_samples(climb_trajectory(), np.random.default_rng(1).integers(1, 6, 200))
    for pair in ((climb_trajectory(), copy), (copy, climb_trajectory())):
        found = match(*pair, index=index)
        assert max(found.after.figures().values()) < 1e-9
        assert found.before.largest("norm") > 0.1
    stamped = climb_trajectory().select(np.repeat(np.arange(200), 2))  # the same times twice
    found = match(climb_trajectory(), stamped.clean(), index=index)
    assert max((found.before.figures() | found.after.figures()).values()) < 1e-9


def test_matching_removes_a_late_start() -> None:
    found = match(climb_trajectory(), climb_trajectory(late=2.0))
    assert found.before.mean("x") > 0.09
    assert found.after.mean("x") < 0.005
    assert found.after.largest("pitch") < 0.1 < found.before.largest("pitch")


def test_logs_of_other_rates_offsets_and_gaps_are_matched() -> None:
    real = climb_trajectory(137, 8.0).select(np.r_[0:40, 55:137]).shift(times=1e6, x=3.0, z=-1.0)
    found = match(real, climb_trajectory(400, 9.0), align_starts=True)
    assert found.real.times[0] == 0
    assert found.after.mean("norm") < 0.01
    assert match(real, climb_trajectory(400, 9.0)).after.mean("norm") > 1.0
    assert len(found.before.x) == 122


def test_errors_before_matching_use_the_common_time_only() -> None:
    found = match(climb_trajectory(200, 8.0), climb_trajectory(200, 8.0).select(slice(100)))
    assert len(found.before.norm) == 100
    assert found.before.largest("norm") < 1e-12
    assert found.after.largest("norm") > 0.4


def test_errors_are_simulated_minus_real() -> None:
    shifted = climb_trajectory().shift(x=0.03, z=-0.04)
    found = match(climb_trajectory(), shifted)
    assert found.before.x == pytest.approx(0.03)
    assert found.before.z == pytest.approx(-0.04)
    figures = found.before.figures()
    assert figures["mean_norm_error_mm"] == pytest.approx(50)
    assert figures["max_x_error_mm"] == pytest.approx(30)
    assert figures["mean_pitch_error_deg"] == pytest.approx(0)


def test_pitch_difference_is_wrapped() -> None:
    level = climb_trajectory()
    nearly = Trajectory(level.times, level.x, level.z, np.full(200, np.pi - 0.01))
    past = Trajectory(level.times, level.x, level.z, np.full(200, -np.pi + 0.01))
    assert match(nearly, past).after.pitch == pytest.approx(0.02)


def test_distance_index_uses_distance_only() -> None:
    there = climb_trajectory()
    up = Trajectory(there.times, there.z, there.x, there.pitch)  # equal distance, another place
    assert match(there, up, index="distance").cost < 1e-9
    assert match(there, up).cost > 1


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (climb_trajectory().select([0]), "match: simulated has 1 sample, at least 2 are needed"),
        (climb_trajectory().select([1, 0]), "match: the times of simulated do not increase"),
        (climb_trajectory().select([0, 1, 1]), "match: the times of simulated do not increase"),
        (climb_trajectory().shift(x=np.nan), "match: 200 samples of simulated are not finite"),
    ],
)
def test_invalid_logs_are_rejected(wrong: Trajectory, sentence: str) -> None:
    with pytest.raises(BadValue) as caught:
        match(climb_trajectory(), wrong)
    assert str(caught.value).startswith(sentence)


def test_unknown_index_lists_the_allowed_ones() -> None:
    with pytest.raises(UnknownName, match="did you mean 'distance'"):
        match(climb_trajectory(), climb_trajectory(), index="distanse")  # type: ignore[arg-type]


# -- trajectories ------------------------------------------------------------------------------


def test_clean_removes_the_reported_faults() -> None:
    good = climb_trajectory(20, 1.9)
    times = good.times.copy()
    x = good.x.copy()
    x[3] = np.nan
    order = np.r_[0:10, 12, 11, 10, 13:17, 16, 17:20]
    log = Trajectory(times + 5, x, good.z, good.pitch).select(order)
    log = Trajectory(log.times + 3.0 * (log.times > 6.35), log.x, log.z, log.pitch)
    reported = log.faults()
    assert [sentence.split(":")[0] for sentence in reported] == [
        "not finite, left out",
        "time runs backwards, samples are sorted by it",
        "at the time of an earlier sample, left out",
        "gaps, left open",
        "begins at 5.000 s, which is counted as 0",
    ]
    clean = log.clean()
    assert len(clean) == 19
    assert clean.times[0] == 0
    assert (np.diff(clean.times) > 0).all()
    assert np.isfinite(clean.x).all()
    assert climb_trajectory().faults() == ()
    with pytest.raises(BadValue, match="none of its 20 samples is finite"):
        good.shift(z=np.inf).clean()


def test_resampled_times_are_equidistant() -> None:
    dense = climb_trajectory(2001, 8.0)
    coarse = dense.shift(times=-3).resample(17)
    assert len(coarse) == 137
    assert np.diff(coarse.times) == pytest.approx(1 / 17)
    assert coarse.x == pytest.approx(np.interp(coarse.times, dense.times, dense.x))
    assert len(dense.resample(1)) == 9
    for rate in (0, -1, np.nan, np.inf, 1e9):
        with pytest.raises(BadValue, match="trajectory: "):
            dense.resample(rate)


def test_resampling_interpolates_wrapped_pitch() -> None:
    turning = trajectory([0, 1, 2], [0, 0, 0], [0, 0, 0], [3.0, -3.2 + 2 * np.pi, -3.0])
    assert abs(turning.resample(2).pitch[3] - np.pi) < 0.1


def test_columns_of_unequal_length_are_rejected() -> None:
    with pytest.raises(BadValue, match="z has 2 samples, times has 3; they must be as many"):
        trajectory([0, 1, 2], [0, 0, 0], [0, 0], [0, 0, 0])
    with pytest.raises(BadValue, match=r"x has shape \(\), must be a list"):
        trajectory([0], 1.0, [0], [0])
    with pytest.raises(BadValue, match="at least 1 number"):
        trajectory([], [], [], [])


def test_csv_round_trip_is_exact(tmp_path: Path) -> None:
    path = tmp_path / "new" / "log.csv"
    climb_trajectory().write_csv(path)
    again = read_trajectory(path)
    for name in ("times", "x", "z", "pitch"):
        assert np.array_equal(getattr(again, name), getattr(climb_trajectory(), name))
    assert [entry.name for entry in path.parent.iterdir()] == ["log.csv"]


def write_log(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "log.csv"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "text",
    [
        "t,x,y,z,pitch\n1,0.5,9,0.25,0.1\n",
        "time_ms,x_mm,z_mm,pitch_deg\n1000,500,250,5.729577951308232\n",
        "\ufeff# a robot\n\n Time ; X_cm; Z_m; battery; Pitch_rad\n1;50;.25;full;0.1\n# end\n",
        '"t_us"\t"x"\t"z"\t"pitch"\n1e6\t0.5\t"0.25"\t0.1\n',
        "t,x,z,qw,qx,qy,qz\n1,.5,.25,{:.17},{:.17},{:.17},{:.17}\n".format(
            *2 * from_rpy(0.3, 0.1, -2)
        ),
    ],
)
def test_column_names_and_units_are_recognized(tmp_path: Path, text: str) -> None:
    log = read_trajectory(write_log(tmp_path, text))
    assert [*log.times, *log.x, *log.z, *log.pitch] == pytest.approx([1, 0.5, 0.25, 0.1])


def test_nose_up_pitch_column_is_negated(tmp_path: Path) -> None:
    path = write_log(tmp_path, "t,x,z,pitch\n0,0,0,0.1\n")
    assert read_trajectory(path, nose_up=True).pitch == pytest.approx([-0.1])


def test_empty_cells_are_gaps(tmp_path: Path) -> None:
    log = read_trajectory(write_log(tmp_path, "t,x,z,pitch\n0,0,0,0\n1,,0,nan\n2,1,0,0\n"))
    assert np.isnan(log.x[1])
    assert len(log.clean()) == 2
    blind = read_trajectory(write_log(tmp_path, "t,x,z,qw,qx,qy,qz\n0,0,0,0,0,0,0\n"))
    assert np.isnan(blind.pitch[0])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", ": is empty, a header such as t,x,z,pitch_deg is needed"),
        ("# nothing\n", ": is empty"),
        ("0,1,2,3\n", " line 1: a header such as"),
        ("t,x,z\n0,0,0\n", ": lacks the column 'pitch' (there are: t, x, z)"),
        ("t,x,z,pich\n0,0,0,0\n", "did you mean 'pich'?"),
        ("t,x,z,qw,qx,qy\n0,0,0,0,0,0\n", ": lacks the column 'pitch'"),
        ("t,x,x_mm,z,pitch\n0,0,0,0,0\n", ": 'x' and 'x_mm' both give x"),
        ("t,x,x,z,pitch\n0,0,0,0,0\n", " line 1: the column 'x' is there twice"),
        ("t,x,z,pitch\n0,0,0,0\n1,2\n", " line 3: has 2 cells, the header has 4"),
        ("#\nt,x,z,pitch\n\n0,0,high,0\n", " line 4: z is 'high', a number is needed"),
        ("t,x,z,pitch\n", ": holds no sample"),
    ],
)
def test_invalid_csv_files_are_rejected(tmp_path: Path, text: str, sentence: str) -> None:
    path = write_log(tmp_path, text)
    with pytest.raises(BadValue) as caught:
        read_trajectory(path)
    assert str(caught.value).startswith(str(path))
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_numpy_files_are_read(tmp_path: Path) -> None:
    log = climb_trajectory()
    columns: dict[str, Any] = {"t": log.times, "x_mm": log.x * 1e3, "z": log.z, "pitch": log.pitch}
    np.savez(tmp_path / "log.npz", **columns, name=np.array("kenaf"), image=np.zeros((2, 2)))
    rows: list[Any] = [*columns.values(), np.array(["a"] * 200)]
    names: dict[str, Any] = {"names": [*columns, "note"]}  # missing in the stubs of NumPy
    table = np.rec.fromarrays(rows, **names)
    np.save(tmp_path / "log.npy", np.asarray(table))
    for name in ("log.npz", "log.npy"):
        assert match(log, read_trajectory(tmp_path / name)).after.largest("norm") < 1e-9


def test_invalid_numpy_files_are_rejected(tmp_path: Path) -> None:
    zeros: dict[str, Any] = {
        "t": np.zeros(3),
        "x": np.zeros(3),
        "z": np.zeros(3),
        "pitch": np.zeros(3),
    }
    np.save(tmp_path / "plain.npy", np.zeros((3, 4)))
    np.savez(tmp_path / "long.npz", **(zeros | {"z": np.zeros(4)}))
    np.savez(tmp_path / "deep.npz", **(zeros | {"z": np.zeros((3, 1))}))
    np.savez(tmp_path / "words.npz", **(zeros | {"z": np.array(["a"] * 3)}))
    np.savez(tmp_path / "few.npz", t=np.zeros(3), height=np.zeros(3))
    np.savez(tmp_path / "object.npz", **(zeros | {"z": np.array([{}] * 3)}))
    (tmp_path / "torn.npz").write_bytes(b"PK\x03\x04 torn")
    (tmp_path / "empty.npy").write_bytes(b"")
    for name, sentence in {
        "plain.npy": "is an array without names of columns",
        "long.npz": "columns must be equally long, not t 3, x 3, z 4, pitch 3",
        "deep.npz": "z is float64 of shape (3, 1), a list of numbers is needed",
        "words.npz": "z is <U1 of shape (3,), a list of numbers is needed",
        "few.npz": "lacks the column 'x' (there are: t, height)",
        "object.npz": "holds z of objects",
        "torn.npz": "is damaged or cut off",
        "empty.npy": "is no NumPy array",
    }.items():
        with pytest.raises(BadValue) as caught:
            read_trajectory(tmp_path / name)
        assert str(caught.value).startswith(f"{tmp_path / name}: ")
        assert sentence in str(caught.value)


def test_files_without_a_log_are_rejected(tmp_path: Path) -> None:
    (tmp_path / "latin.csv").write_bytes("t,x,z,pitch,größe".encode("latin-1"))
    (tmp_path / "folder.csv").mkdir()
    for name, sentence in {
        "none.csv": "there is no such file",
        "folder.csv": "is a folder, a file is needed",
        "latin.csv": "is not UTF-8 text",
        "log.mcap": "there is no such bag",
        "log.txt": "the ending '.txt' is unknown, allowed: .csv, .npz, .npy, .mcap, .bag",
    }.items():
        with pytest.raises(BadValue) as caught:
            read_trajectory(tmp_path / name)
        assert str(caught.value).startswith(f"{tmp_path / name}: {sentence}")


def test_cost_table_is_thinned() -> None:
    found = match(climb_trajectory(1000), climb_trajectory(300))
    table = cost_table(found, most=400)
    assert table.shape == (400, 300)
    assert table[0, 0] == pytest.approx(0)
    assert table[-1, 0] == pytest.approx(np.hypot(0.9, 0.2), abs=1e-3)
