"""Tutorial of an own robot, from a clone to its mobility sheet."""

from pathlib import Path

import pytest
from support.own_robot_walkthrough import main


@pytest.mark.slow
def test_own_robot_tutorial_runs_as_printed(tmp_path: Path) -> None:
    main(tmp_path)
