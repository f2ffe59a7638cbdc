"""Bridges, bumps, rubble and fractal ground: sizes and reproducibility by seed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pytest
from support.terrain_examples import FLAT, compile_model, height

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.world.terrain.double_bridge import DoubleBridge
from grouser.world.terrain.fractal_ground import FractalGround
from grouser.world.terrain.plywood_bridge import PlywoodBridge
from grouser.world.terrain.pyramid_bumps import PyramidBumps
from grouser.world.terrain.rubble import Rubble


def test_double_bridge_has_the_sizes_of_table_c1() -> None:
    model = compile_model(FLAT, DoubleBridge(friction=1, x=-1.5))
    heights = {-1.5: 0.0, -1.0: 0.1, -0.499: 0.2, 0.0: 0.2, 0.499: 0.2, 1.0: 0.1, 1.501: 0.0}
    for y in (-0.98, -0.75, -0.52, 0.52, 0.75, 0.98):
        assert {x: height(model, x, y) for x in heights} == pytest.approx(heights, abs=1e-6)
    assert [height(model, 0, y) for y in (-1.02, -0.48, 0, 0.48, 1.02)] == [0] * 5
    assert height(model, 0.6, 0) == pytest.approx(0.18)  # ramps are 2 m wide


@pytest.mark.parametrize("peak", ["centre", "middle_half"])
def test_bump_is_a_pyramid_with_the_drawn_peak(peak: Literal["centre", "middle_half"]) -> None:
    bumps = PyramidBumps(friction=1, x=0, z=0.2, rows=4, columns=3, peak=peak, seed=7)
    model = compile_model(FLAT, bumps)
    for row, column in np.ndindex(4, 3):
        px, py, pz = bumps.peaks()[row, column]
        x0, y0 = row * 0.025, (column - 1.5) * 0.025
        reach = 0.0 if peak == "centre" else 0.25 * 0.025
        assert abs(px - x0 - 0.0125) <= reach + 1e-12
        assert abs(py - y0 - 0.0125) <= reach + 1e-12
        assert 0 <= pz <= bumps.max_height
        assert height(model, px, py) == pytest.approx(0.2 + pz, abs=1e-6)
        for dx, dy in ((0, 0), (0.025, 0), (0, 0.025), (0.025, 0.025)):  # half-way up each ridge
            x, y = (px + x0 + dx) / 2, (py + y0 + dy) / 2
            assert height(model, x, y) == pytest.approx(0.2 + pz / 2, abs=1e-6)


def test_twenty_by_forty_bumps_fill_a_bridge() -> None:
    peaks = PyramidBumps(friction=1, x=0).peaks()
    assert peaks.shape == (40, 20, 3)
    assert peaks[..., 0].max() == pytest.approx(1 - 0.0125)
    assert np.abs(peaks[..., 1]).max() == pytest.approx(0.25 - 0.0125)
    assert peaks[..., 2].mean() == pytest.approx(0.0075, abs=0.0005)


def test_plywood_bridge_rests_on_its_blocks_with_level_ramps() -> None:
    bridge = PlywoodBridge(friction=1, x=0)
    model = compile_model(FLAT, bridge)
    assert bridge.height == pytest.approx(0.206)
    assert math.degrees(bridge.slope) == pytest.approx(9.16, abs=0.01)
    xs = np.arange(0.0, 5.2, 0.001)
    profile = np.array([height(model, x) for x in xs])
    assert profile.max() == pytest.approx(0.2065)  # the paper covers the gap
    steps = np.abs(np.diff(profile))
    # The paper removes every edge: no step is higher than its half millimetre.
    assert steps.max() <= 0.0005 + math.tan(bridge.slope) * 0.001
    assert profile[[0, -1]] == pytest.approx(0, abs=1e-6)


def test_rubble_stays_in_its_field_below_the_given_height() -> None:
    rubble = Rubble(friction=1, x=1, y=0.5, height=0.1, seed=3)
    model = compile_model(FLAT, rubble)
    ground = np.array(
        [
            [height(model, x, y) for x in np.arange(0.85, 4.2, 0.1)]
            for y in np.arange(-0.6, 1.7, 0.1)
        ]
    )
    assert 0.08 < ground.max() <= 0.1
    assert (ground > 0.005).mean() > 0.3
    assert ground[:, 0].max() == ground[:, -1].max() == ground[0].max() == ground[-1].max() == 0


@pytest.mark.parametrize("kind", [Rubble, PyramidBumps, FractalGround])
def test_same_seed_gives_the_same_ground(
    kind: type[Rubble] | type[PyramidBumps] | type[FractalGround],
) -> None:
    def shape(seed: int) -> Array:
        model = compile_model(kind(friction=1, x=0, seed=seed))
        return np.concatenate([model.geom_pos.ravel(), model.mesh_vert.ravel(), model.hfield_data])

    assert np.array_equal(shape(5), shape(5))
    assert not np.array_equal(shape(5), shape(6))


def test_fractal_ground_has_the_given_height_and_a_level_rim() -> None:
    ground = FractalGround(friction=1, x=0, height=0.2, seed=4)
    heights = ground.heights()
    assert heights.shape == (151, 201)
    assert heights.min() == 0
    assert heights.max() == pytest.approx(0.2)
    assert not heights[[0, -1]].any()
    assert not heights[:, [0, -1]].any()
    row, column = np.unravel_index(heights.argmax(), heights.shape)
    assert height(compile_model(ground), column * 0.02, 1.5 - row * 0.02) == pytest.approx(
        0.2, abs=1e-5
    )


def test_smoother_ground_has_gentler_slopes() -> None:
    slopes = [
        np.abs(np.diff(FractalGround(friction=1, x=0, smoothness=s).heights())).mean()
        for s in (0.2, 0.6, 1.0)
    ]
    assert slopes[0] > 1.2 * slopes[1] > 1.2 * 1.2 * slopes[2]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: DoubleBridge(friction=1, x=0, thickness=0.3), "at most ramp_height"),
        (lambda: DoubleBridge(friction=1, x=0, separation=1.2), "room for two bridges"),
        (lambda: PlywoodBridge(friction=1, x=0, sheet_length=0.2), "well below sheet_length"),
        (lambda: PlywoodBridge(friction=1, x=0, width=0.3), "at most width"),
        (lambda: Rubble(friction=1, x=0, edges=(0.3, 0.1)), "the shortest edge"),
        (lambda: Rubble(friction=1, x=0, width=0.2), "no edge longer than"),
        (lambda: Rubble(friction=1, x=0, length=100, width=100), "at most 5000 blocks"),
        (lambda: FractalGround(friction=1, x=0, cell=2), "at most half"),
        (lambda: FractalGround(friction=1, x=0, rim=2), "at most half"),
        (lambda: FractalGround(friction=1, x=0, length=100, width=100), "at most 4,000,000"),
    ],
)
def test_invalid_terrain_is_rejected(make: Callable[..., Any], words: str) -> None:
    with pytest.raises(BadValue, match=words):
        make()
