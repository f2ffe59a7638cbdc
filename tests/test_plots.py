"""Figures of a comparison."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.climb_trajectory import climb_trajectory
from support.narrowing import not_none

from grouser.errors import BadValue
from grouser.evaluation.matching import match
from grouser.reports import plots


@pytest.mark.parametrize("draw", [plots.paths, plots.components, plots.errors, plots.warping])
def test_figures_are_rendered(draw: Callable[..., Any], tmp_path: Path) -> None:
    found = match(climb_trajectory(), climb_trajectory(150, late=1.0).shift(z=0.01))
    figure = draw(found, title="step 200 mm")
    figure.savefig(tmp_path / "figure.png", dpi=40)
    assert (tmp_path / "figure.png").stat().st_size > 1000


def test_bar_colours_distinguish_passes_from_failures(tmp_path: Path) -> None:
    tests = {
        "step 100 mm": match(climb_trajectory(), climb_trajectory(late=1.0)),
        "step 350 mm": match(climb_trajectory(), climb_trajectory().shift(x=0.1)),
    }
    figure = plots.bars(tests, {"step 100 mm": True, "step 350 mm": False})
    figure.savefig(tmp_path / "figure.png", dpi=40)
    assert {text.get_text() for text in not_none(figure.axes[0].get_legend()).get_texts()} == {
        "passed",
        "failed",
    }
    plots.bars(tests).savefig(tmp_path / "plain.png", dpi=40)
    with pytest.raises(BadValue, match="at least one test"):
        plots.bars({})
    with pytest.raises(BadValue, match="passed has no entry for 'step 350 mm'"):
        plots.bars(tests, {"step 100 mm": True})
