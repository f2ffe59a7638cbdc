"""Result table of an experiment: values of the paper and of Grouser side by side.

A row is one case of the experiment: its settings, the paper's values, ours, and the judgement of
both by a rule (`grouser.reports.rules`). A row without a judgement is outside the count: the paper
prints neither a number nor an order for it. A table is printed on a terminal, converted to JSON, or
shown in the HTML report. Letters and short words in its cells and headings are explained below it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from grouser.reports.rules import Judgement

if TYPE_CHECKING:
    from rich.console import Console

NOTHING = "-"
"""Text of a cell without a value."""

NO_VALUE = "no value in the paper"
"""Text in the place of a rule if the paper prints nothing to compare with."""

_JUDGED = "Agrees: the rule beside it holds for our value; tolerances are ours, papers print none"
_NOT_JUDGED = f"{NO_VALUE.capitalize()}: the row is shown for itself, neither judged nor counted"

_LETTERS = {
    "S": "S: success, the robot passed the obstacle",
    "F": "F: failure, the robot did not pass the obstacle",
    "+": "+: good",
    "++": "++: very good",
}
"""Explanations by the whole content of a cell."""
_WORDS = {
    "rtf": "rtf: real-time factor, simulated time over wall-clock time, on this machine",
    "misfit": "misfit: largest jump of a grouser's tip at the joint of two links of a belt",
    "smooth": "smooth: the same robot on belts without grousers",
    "inertia": "inertia x: factor on the pitch inertia of the robot's parts as homogeneous boxes",
    "starts": "starts: runs of one row, whose starts differ by a fraction of a grouser pitch",
    "deviation": "deviation: standard deviation",
    "norm": "norm: distance in the x-z plane",
    "agree": "agree: rows that agree by the rule printed in them",
    "rank": "rank correlation: 1 if each value is above the last, 0 without any order",
}
"""Explanations by a word in the name of a column or figure."""


@dataclass(frozen=True)
class Row:
    """One case with the values of the paper and ours."""

    case: Mapping[str, Any]
    """Settings, name to value, units in the names: ``{"height_mm": 120}``."""
    paper: Any
    """Value of the paper, or a mapping of several named values; None: no value."""
    ours: Any
    """Our value or values, in the same form."""
    judgement: Judgement | None = None
    """Rule of agreement and the values that it compares; None: the paper has no value."""
    note: str = ""
    """Remark on this row, such as a known reason for a disagreement."""

    @property
    def agrees(self) -> bool | None:
        """True if both agree by the rule; None if the row is not judged."""
        return None if self.judgement is None else self.judgement.agrees

    @property
    def rule(self) -> str:
        """Text of the rule, or that the paper has no value."""
        return NO_VALUE if self.judgement is None else self.judgement.rule.text


@dataclass(frozen=True)
class Column:
    """Column of a printed table; columns with the same non-empty group share a heading."""

    group: str
    name: str
    cells: tuple[str, ...]
    numeric: bool

    @property
    def heading(self) -> str:
        """Group and name, on one line each."""
        return "\n".join(part for part in (self.group, self.name) if part)


@dataclass(frozen=True)
class Table:
    """Result of an experiment compared with the paper."""

    experiment: str
    """Name of the experiment on the command line, e.g. ``"okada-table4"``."""
    paper: str
    """Source of the paper's values, e.g. ``"Okada et al. 2020, Table IV"``."""
    title: str
    """Question that the table answers, in a few words."""
    rows: tuple[Row, ...]
    figures: Mapping[str, float | int | str | bool | None] = field(default_factory=dict)
    """Numbers of the whole experiment, name to value, units in the names."""
    notes: tuple[str, ...] = ()
    """Remarks on the whole experiment, one paragraph each."""

    @property
    def agree(self) -> int:
        """Number of judged rows that agree."""
        return sum(1 for row in self.rows if row.agrees)

    @property
    def of(self) -> int:
        """Number of judged rows."""
        return sum(1 for row in self.rows if row.judgement is not None)

    @property
    def without_value(self) -> int:
        """Number of rows for which the paper prints nothing to compare with."""
        return len(self.rows) - self.of

    @property
    def mood(self) -> Literal["good", "bad", "open"]:
        """Colour of the verdict: good if all judged rows agree, open without a judged row."""
        if not self.of:
            return "open"
        return "good" if self.agree == self.of else "bad"

    @property
    def verdict(self) -> str:
        """Result in one line."""
        counted = f"{self.agree} of {self.of} judged rows agree" if self.of else "no judged row"
        return counted + (
            f", {self.without_value} without a value in the paper" if self.without_value else ""
        )

    def columns(self) -> tuple[Column, ...]:
        """Return the columns in reading order: the case, the paper's values, ours."""
        names = dict.fromkeys(name for row in self.rows for name in row.case)  # in order, once
        cases = (_column("", name, [row.case.get(name) for row in self.rows]) for name in names)
        return (
            *cases,
            *_values("Paper", [row.paper for row in self.rows]),
            *_values("Ours", [row.ours for row in self.rows]),
        )

    def legend(self) -> list[str]:
        """Return one explanation for each letter and short word in the table."""
        columns = self.columns()
        cells = {cell for column in columns for cell in column.cells}
        cells |= {display_text(value) for value in self.figures.values()}
        names = [*(f"{column.group} {column.name}" for column in columns), *self.figures]
        words = {word for name in names for word in name.lower().replace("_", " ").split()}
        letters = [text for letter, text in _LETTERS.items() if letter in cells]
        verdicts = ([_JUDGED] if self.of else []) + ([_NOT_JUDGED] if self.without_value else [])
        return verdicts + letters + [text for word, text in _WORDS.items() if word in words]

    def to_json(self) -> dict[str, Any]:
        """Return the table as plain JSON values; numbers that are not finite become None."""
        return {
            "experiment": self.experiment,
            "paper": self.paper,
            "rows": [_row_json(row) for row in self.rows],
            "agree": self.agree,
            "of": self.of,
            "figures": json_value(self.figures),
            "title": self.title,
            "notes": list(self.notes),
            "without_value": self.without_value,
        }

    def print(self, console: Console) -> None:
        """Print the table, its figures, its notes and the verdict."""
        from rich import box
        from rich.table import Table as Grid
        from rich.text import Text

        grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
        columns = self.columns()
        for column in columns:
            heading = Text(column.heading)  # Text does not interpret brackets as markup
            grid.add_column(heading, justify="right" if column.numeric else "left")
        grid.add_column("Agrees", no_wrap=True)
        grid.add_column("Rule")
        noted = any(row.note for row in self.rows)
        if noted:
            grid.add_column("Note", ratio=1, style="dim")
        for index, row in enumerate(self.rows):
            cells = [Text(column.cells[index]) for column in columns]
            note = [Text(row.note)] if noted else []
            mark = Text(agreement(row), _COLOURS[row.agrees])
            grid.add_row(*cells, mark, Text(row.rule, "dim"), *note)

        console.print(Text.assemble((self.title, "bold"), "\n", (self.paper, "dim")))
        console.print(grid)
        for name, value in self.figures.items():
            console.print(Text(f"{label(name)}: {display_text(value)}"))
        for note_text in (*self.notes, *self.legend()):
            console.print(Text(note_text, "dim"))
        console.print(Text(self.verdict, {"good": "green", "bad": "red", "open": "dim"}[self.mood]))


_COLOURS = {True: "green", False: "bold red", None: "dim"}


def agreement(row: Row) -> str:
    """Return the mark of a row: ``yes``, ``DISAGREES``, or a dash if it is not judged."""
    return {True: "yes", False: "DISAGREES", None: NOTHING}[row.agrees]


def label(name: str) -> str:
    """Return the display form of a key: ``height mm`` for ``height_mm``."""
    return name.replace("_", " ")


def display_text(value: Any) -> str:
    """Return the display form of a value: yes or no, four significant digits, a dash for None."""
    match value:
        case None:
            return NOTHING
        case bool() | np.bool_():
            return "yes" if value else "no"
        case float() | np.floating():
            return _digits(float(value))
        case Mapping():
            return ", ".join(
                f"{label(str(name))} {display_text(part)}" for name, part in value.items()
            )
        case list() | tuple() | np.ndarray():
            return ", ".join(display_text(part) for part in value)
    return str(value)


def json_value(value: Any) -> Any:
    """Return ``value`` as JSON types: NumPy becomes Python, NaN and infinities become None."""
    match value:
        case np.ndarray() | np.generic():
            return json_value(value.tolist())
        case float():
            return value if math.isfinite(value) else None
        case Mapping():
            return {str(name): json_value(part) for name, part in value.items()}
        case list() | tuple():
            return [json_value(part) for part in value]
    return value


def _digits(number: float) -> str:
    if math.isnan(number):
        return NOTHING
    # From 1e4 on, format `g` would print powers of ten.
    return f"{number:.0f}" if 1e4 <= abs(number) < 1e9 else f"{number:.4g}"


def _row_json(row: Row) -> dict[str, Any]:
    entry = {
        "case": json_value(row.case),
        "paper": json_value(row.paper),
        "ours": json_value(row.ours),
        "agrees": json_value(row.agrees),
        "rule": row.rule,
    }
    return entry | ({"note": row.note} if row.note else {})


def _values(group: str, values: Sequence[Any]) -> Iterable[Column]:
    """Return one column, or one column per key if all values have the same keys."""
    given = [value for value in values if value is not None]
    keys = list(given[0]) if given and isinstance(given[0], Mapping) else []
    if keys and all(isinstance(value, Mapping) and list(value) == keys for value in given):
        for key in keys:
            yield _column(group, key, [None if value is None else value[key] for value in values])
    else:
        yield _column(group, "", values)


def _column(group: str, name: str, values: Sequence[Any]) -> Column:
    numeric = all(
        value is None
        or (isinstance(value, int | float | np.number) and not isinstance(value, bool))
        for value in values
    )
    return Column(group, label(str(name)), tuple(display_text(value) for value in values), numeric)
