from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from grouser.reports.rules import SAME_LETTER, within
from grouser.reports.table import NO_VALUE, Row, Table, display_text, json_value

FLOAT32: Any = np.float32(2.5)
"""Number of NumPy, which is not a Python float."""
TABLE = Table(
    "okada_table4",
    "Okada et al. 2020, Table IV",
    "Which steps can Quince climb?",
    (
        Row(
            {"height_mm": 120},
            {"real": "S", "simulated": "S"},
            np.True_,
            SAME_LETTER.judge("S", "S"),
        ),
        Row(
            {"height_mm": np.int64(190)},
            {"real": "F", "simulated": "S"},
            False,
            SAME_LETTER.judge("F", "S"),
            "slips",
        ),
        Row({"height_mm": 240.0}, None, None),
    ),
    {"rtf": FLOAT32, "lost": float("nan"), "far": float("inf"), "method": "segments"},
    ("One set of parameters.",),
)


def print_table(table: Table, width: int = 100) -> str:
    out = io.StringIO()
    table.print(Console(file=out, width=width))
    return out.getvalue()


def test_json_round_trip_is_exact() -> None:
    assert TABLE.to_json() == {
        "experiment": "okada_table4",
        "paper": "Okada et al. 2020, Table IV",
        "rows": [
            {
                "case": {"height_mm": 120},
                "paper": {"real": "S", "simulated": "S"},
                "ours": True,
                "agrees": True,
                "rule": "same letter",
            },
            {
                "case": {"height_mm": 190},
                "paper": {"real": "F", "simulated": "S"},
                "ours": False,
                "agrees": False,
                "rule": "same letter",
                "note": "slips",
            },
            {
                "case": {"height_mm": 240.0},
                "paper": None,
                "ours": None,
                "agrees": None,
                "rule": NO_VALUE,
            },
        ],
        "agree": 1,
        "of": 2,
        "without_value": 1,
        "figures": {"rtf": 2.5, "lost": None, "far": None, "method": "segments"},
        "title": "Which steps can Quince climb?",
        "notes": ["One set of parameters."],
    }
    assert list(TABLE.to_json())[:6] == ["experiment", "paper", "rows", "agree", "of", "figures"]
    json.dumps(TABLE.to_json(), allow_nan=False)


def test_print_shows_values_units_and_verdicts() -> None:
    text = print_table(TABLE)
    lines = text.splitlines()
    assert lines[0] == "Which steps can Quince climb?"
    assert any(
        line.split() == ["height", "mm", "real", "simulated", "Ours", "Agrees", "Rule", "Note"]
        for line in lines
    )
    row = ["190", "F", "S", "no", "DISAGREES", "same", "letter", "slips"]
    assert any(line.split() == row for line in lines)
    assert any(line.split() == ["240", "-", "-", "-", "-", *NO_VALUE.split()] for line in lines)
    assert any(line.startswith("Agrees: the rule beside it holds") for line in lines)
    assert any(line.startswith("No value in the paper: the row is") for line in lines)
    assert "rtf: 2.5" in lines
    assert lines[-1] == "1 of 2 judged rows agree, 1 without a value in the paper"
    assert max(map(len, lines)) <= 100


def test_table_without_notes_has_no_note_column() -> None:
    row = Row({"track": "[bold]"}, 0.43, 0.431234, within(0.01).judge(0.43, 0.431234))
    text = print_table(Table("e", "p", "t", (row,)))
    assert text.splitlines()[-1] == "1 of 1 judged rows agree"
    assert "Note" not in text
    assert "[bold]" in text  # printed as text
    assert "0.4312" in text


def test_a_table_without_printed_values_has_no_judged_row() -> None:
    table = Table("e", "p", "t", (Row({"fig": 3}, None, 2.5), Row({"fig": 4}, None, 3.5)))
    assert (table.agree, table.of, table.without_value, table.mood) == (0, 0, 2, "open")
    assert print_table(table).splitlines()[-1] == "no judged row, 2 without a value in the paper"


def test_values_with_different_keys_share_one_column() -> None:
    table = Table("e", "p", "t", (Row({}, {"a": 1}, 2), Row({}, {"b_m": 1.5}, 2)))
    assert [column.group for column in table.columns()] == ["Paper", "Ours"]
    assert table.columns()[0].cells == ("a 1", "b m 1.5")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "yes"),
        (np.False_, "no"),
        (None, "-"),
        (float("nan"), "-"),
        (float("inf"), "inf"),
        (0.123456, "0.1235"),
        (np.float32(12), "12"),
        (12345.6, "12346"),
        (7, "7"),
        ((1.0, 2.5), "1, 2.5"),
        ("S", "S"),
    ],
)
def test_values_are_formatted(value: object, text: str) -> None:
    assert display_text(value) == text


def test_plain_converts_nested_values() -> None:
    given = {"a": [np.float64("nan"), (np.int8(1),)], "b": np.arange(2)}
    assert json_value(given) == {"a": [None, [1]], "b": [0, 1]}
