"""Verdicts of experiments can fail: printed results agree, corrupted ones disagree in every row."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from support.paper_results import RESULTS

from grouser.experiments import EXPERIMENTS, cmos_table1, kurose_fig16
from grouser.experiments.okada import table2
from grouser.experiments.roach import table72
from grouser.mobility.pass_curve import PassCount
from grouser.reports import rules
from grouser.reports.rules import Judgement, Rule
from grouser.reports.table import NO_VALUE, Row

NO_PRINTED_VALUE = {"kurose-square", "okada-window"}
"""Experiments without a row that the paper prints a value for."""
LARGE = 100.0
"""Corrupted value of a result that is zero."""
OTHER = {"S": "F", "F": "S", "+": "-", "-": "+", "0": "+"}


def corruptions(value: Any) -> Iterator[Any]:
    """Yield wrong results: doubled and halved numbers, other letters, one part of a tuple wrong."""
    match value:
        case bool():
            yield not value
        case int() | float():
            yield from (2 * value, value / 2) if value else (LARGE,)
        case PassCount(passed=passed, of=of):
            yield PassCount(passed // 2, of)
            yield PassCount(min(2 * passed, of), of)
        case str():
            yield OTHER.get(value, f"{value}?")
        case tuple():
            for number, part in enumerate(value):
                for wrong in corruptions(part):
                    yield (*value[:number], wrong, *value[number + 1 :])
            if all(isinstance(part, float) for part in value):
                for factor in (2.0, 0.5):
                    yield tuple(factor * part if part else LARGE for part in value)


def wrong_results(judgement: Judgement) -> list[bool]:
    """Return the agreement of each corruption of a measured value."""
    wrong = corruptions(judgement.measured)
    return [replace(judgement, measured=value).agrees for value in wrong]


def test_every_experiment_is_covered() -> None:
    assert set(RESULTS) == set(EXPERIMENTS)


@pytest.mark.parametrize("name", RESULTS)
def test_printed_results_agree_and_corrupted_ones_disagree_in_every_row(name: str) -> None:
    judged: list[tuple[Row, Judgement]] = [
        (row, row.judgement) for row in RESULTS[name]() if row.judgement
    ]
    assert bool(judged) is (name not in NO_PRINTED_VALUE)
    for row, judgement in judged:
        assert row.agrees, (row.case, judgement)
        agreeing = wrong_results(judgement)
        assert not all(agreeing), ("cannot fail", row.case, judgement)
        if "within" in judgement.rule.text:  # a tolerance fails on either side
            assert not any(agreeing), (row.case, judgement)


@pytest.mark.parametrize("name", RESULTS)
def test_a_row_without_a_measured_value_disagrees(name: str) -> None:
    for row in RESULTS[name]():
        if row.judgement:
            nothing = replace(row, judgement=replace(row.judgement, measured=None))
            assert nothing.agrees is False
        else:
            assert row.agrees is None
            assert row.rule == NO_VALUE


@pytest.mark.parametrize(
    ("rule", "reference", "agreeing", "disagreeing"),
    [
        (rules.SAME_LETTER, "S", ["S"], ["F"]),
        (rules.within(0.1), 50.0, [45.0, 55.0], [44.9, 55.1, float("nan")]),
        (rules.within_absolute(0.5, "mm"), 4.8, [4.31, 5.29], [4.2, 5.4]),
        (rules.within_factor(2), 10.0, [5.1, 19.9], [5.0, 20.0, 0.0, -10.0, float("nan")]),
        (rules.above(), 25.0, [25.1], [25.0, float("nan")]),
        (rules.below(), 25.0, [24.9], [25.0]),
        (rules.at_least(0.95), 1.0, [0.95], [0.94]),
        (rules.at_most(0.1), 0.0, [0.1], [0.11]),
        (rules.between(1.5, 2.5), 2.0, [1.5, 2.49], [1.49, 2.5]),
    ],
    ids=lambda value: value.text if isinstance(value, Rule) else "",
)
def test_rules_hold_up_to_their_bounds(
    rule: Rule, reference: Any, agreeing: list[Any], disagreeing: list[Any]
) -> None:
    assert all(rule.judge(reference, value).agrees for value in agreeing)
    assert not any(rule.judge(reference, value).agrees for value in disagreeing)


def test_results_as_measured_disagree_where_they_are_far_from_the_paper() -> None:
    """Results of the documentation that agreed before any value was judged."""
    measured = (13.1, 13.7, 34.0, 12.6, 4.1)
    rates = dict(zip(table2.METHODS, measured, strict=False))
    segments = [measured[0]]
    rows = [table2._row(m, [rate], [0.3], segments) for m, rate in rates.items()]
    assert [row.agrees for row in rows] == [True, False, False, False, False]
    assert not table2.order_row({m.name: rate for m, rate in rates.items()}).agrees

    errors = {key: real / 20 for key, (real, *_) in cmos_table1.PRINTED.items()}
    results = dict.fromkeys(cmos_table1.LOCALISERS, errors)
    rows = [row for row in cmos_table1.table_rows(results) if "change" not in row.case["figure"]]
    assert not any(row.agrees for row in rows), "too small an error disagrees, too"

    assert not table72.ROUGHLY_TWICE.judge(2.0, 1.40).agrees
    assert not kurose_fig16._row("fig15_max_x_error_mm", 83.8, 5.8).agrees
