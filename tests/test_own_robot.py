"""A lab's own robot from a clone to its sheet, as the tutorial has it."""

import pytest
from support.own_robot_walkthrough import main


@pytest.mark.slow
def test_a_students_urdf_becomes_a_robot_by_yaml_alone(tmp_path):
    main(tmp_path)
