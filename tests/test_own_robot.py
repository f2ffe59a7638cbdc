"""A lab's own robot from a clone to its sheet, as the tutorial has it."""

from pathlib import Path

import pytest
from support.own_robot_walkthrough import main


@pytest.mark.slow
def test_a_students_urdf_becomes_a_robot_by_yaml_alone(tmp_path: Path) -> None:
    main(tmp_path)
