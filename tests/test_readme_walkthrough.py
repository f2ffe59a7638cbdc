"""Installation and tutorials run as documented within ten minutes."""

from pathlib import Path

import pytest
from support.readme_walkthrough import LIMIT, main


@pytest.mark.slow
def test_readme_and_tutorials_run_as_printed_within_ten_minutes(tmp_path: Path) -> None:
    took = main(tmp_path)
    assert sum(took.values()) < LIMIT, took
