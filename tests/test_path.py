"""Belt paths: closure, smoothness and errors."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grouser.errors import BadValue
from grouser.frames import rotate
from grouser.tracks.path import ArcSegment, ArcStep, BeltPath, StraightSegment, StraightStep


def test_oval_length_equals_the_paper() -> None:
    path = BeltPath.oval(0.685, 0.075)
    assert path.length == pytest.approx(2 * 0.535 + 2 * math.pi * 0.075)
    assert [type(segment) for segment in path.segments].count(StraightSegment) == 2


def test_lower_run_goes_backwards_and_faces_down() -> None:
    path = BeltPath.oval(0.6, 0.1)
    lower = min(
        (segment for segment in path.segments if isinstance(segment, StraightSegment)),
        key=lambda segment: segment.X_TF.position[2],
    )
    np.testing.assert_allclose(rotate(lower.X_TF.wxyz, (1, 0, 0)), (-1, 0, 0), atol=1e-12)
    np.testing.assert_allclose(rotate(lower.X_TF.wxyz, (0, 0, 1)), (0, 0, -1), atol=1e-12)


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.floats(-1, 1), st.floats(-0.3, 0.3), st.floats(0.02, 0.2)),
        min_size=2,
        max_size=5,
    )
)
def test_pulleys_give_a_closed_smooth_path_or_an_error(
    pulleys: list[tuple[float, float, float]],
) -> None:
    try:
        path = BeltPath.around(pulleys)
    except BadValue:
        return
    for here, ahead in zip(path.segments, path.segments[1:] + path.segments[:1], strict=True):
        end = here.at(here.length)
        np.testing.assert_allclose(end.position, ahead.X_TF.position, atol=1e-6)
    turn = sum(segment.angle for segment in path.segments if isinstance(segment, ArcSegment))
    assert turn == pytest.approx(2 * math.pi)


def test_grousers_are_equidistant() -> None:
    path = BeltPath.oval(0.685, 0.075)
    feet = path.footprints(40, path.best_phase(40))
    on_lines = [f for f in feet if isinstance(path.segments[f.segment], StraightSegment)]
    gaps = [
        np.linalg.norm(a.X_TF.position - b.X_TF.position)
        for a, b in pairwise(on_lines)
        if a.segment == b.segment
    ]
    np.testing.assert_allclose(gaps, path.length / 40, atol=1e-12)


@pytest.mark.parametrize(
    ("length", "radius", "count", "height"),
    [(0.685, 0.075, 40, 0.016), (0.345, 0.075, 22, 0.016), (0.674, 0.082, 40, 0.008)],
    ids=["quince main", "quince sub", "packbot"],
)
def test_chosen_phase_minimizes_the_misfit(
    length: float, radius: float, count: int, height: float
) -> None:
    path = BeltPath.oval(length, radius)
    best = path.misfit(count, path.best_phase(count, height), height)
    worst = max(path.misfit(count, path.length / count * i / 20, height) for i in range(20))
    assert 0 < best < 0.6e-3
    assert best < worst / 4


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([], "has no segments"),
        ([StraightStep(1.0)], "only straight segments"),
        (
            [StraightStep(1.0), ArcStep(0.1, math.pi)],
            "is not closed: its end misses the next start",
        ),
        ([StraightStep(1.0), ArcStep(0.0, math.pi)], "radius of segment 1 is 0, must be above 0"),
        ([StraightStep(-1.0), ArcStep(0.1, math.pi)], "length of segment 0 is -1"),
        ([StraightStep(math.nan), ArcStep(0.1, math.pi)], "length of segment 0 is nan"),
    ],
)
def test_invalid_chain_error_names_the_cause(
    steps: list[StraightStep | ArcStep], message: str
) -> None:
    with pytest.raises(BadValue, match=message):
        BeltPath.chain(steps)


@pytest.mark.parametrize(
    ("pulleys", "message"),
    [
        ([(0, 0, 0.1)], "at least 2 are needed"),
        ([(0, 0, 0.1), (1, 0, 0)], "radius of pulley 1 is 0, must be above 0"),
        ([(0, 0, 0.3), (0.1, 0, 0.1)], "inside each other"),
        ([(-1, 0, 0.1), (1, 0, 0.1), (0, 0.05, 0.01)], "do not form a convex loop"),
    ],
)
def test_invalid_pulley_error_names_the_cause(
    pulleys: list[tuple[float, float, float]], message: str
) -> None:
    with pytest.raises(BadValue, match=message):
        BeltPath.around(pulleys)


def test_three_dimensional_loop_is_closed() -> None:
    up, down, left = (0.0, -1.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    rise: list[StraightStep | ArcStep] = [
        ArcStep(2, 0.3, up),
        StraightStep(4),
        ArcStep(2, 0.3, down),
    ]
    fall: list[StraightStep | ArcStep] = [
        ArcStep(2, 0.3, down),
        StraightStep(4),
        ArcStep(2, 0.3, up),
    ]
    path = BeltPath.chain([*rise, ArcStep(2, math.pi, left), *fall, ArcStep(2, math.pi, left)])
    heights = [path.at(path.length * i / 50).position[2] for i in range(50)]
    assert max(heights) - min(heights) > 1.0
