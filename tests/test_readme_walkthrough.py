"""A newcomer's first ten minutes take ten minutes, and every step gives what its page promises."""

from pathlib import Path

import pytest
from support.readme_walkthrough import LIMIT, main


@pytest.mark.slow
def test_readme_and_tutorials_run_as_printed_within_ten_minutes(tmp_path: Path) -> None:
    took = main(tmp_path)
    assert sum(took.values()) < LIMIT, took
