"""A paper's table with our numbers beside it: what every experiment returns.

A row is one case of the experiment: what was set, what the paper prints, what we got, and whether
the two agree by that experiment's own rule. The table prints itself on a terminal, becomes JSON
for programs, and hands its columns to the HTML report. It judges nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from grouser.reports.glossary import explanations

if TYPE_CHECKING:
    from rich.console import Console

NOTHING = "-"
"""What a cell shows where there is no value."""


@dataclass(frozen=True)
class Row:
    """One case, theirs beside ours."""

    case: Mapping[str, Any]
    """What was set, name to value, units in the names: ``{"height_mm": 120}``."""
    paper: Any
    """What the paper prints: one value, or a mapping of several named ones; None: nothing."""
    ours: Any
    """What we got, in the same form."""
    agrees: bool | None
    """Whether the two agree; None: the paper prints nothing to compare with."""
    note: str = ""
    """A remark on this row alone, such as a known reason for a disagreement."""


@dataclass(frozen=True)
class Column:
    """One printed column; columns with the same non-empty group stand under one heading."""

    group: str
    name: str
    cells: tuple[str, ...]
    numeric: bool

    @property
    def heading(self) -> str:
        """The group and the name on one line each."""
        return "\n".join(part for part in (self.group, self.name) if part)


@dataclass(frozen=True)
class Table:
    """An experiment's result beside the paper's."""

    experiment: str
    """The experiment's name on the command line, e.g. ``"okada_table4"``."""
    paper: str
    """Whose table, e.g. ``"Okada et al. 2020, Table IV"``."""
    title: str
    """The question the table answers, in a few words."""
    rows: tuple[Row, ...]
    figures: Mapping[str, float | int | str | bool | None] = field(default_factory=dict)
    """Numbers of the experiment as a whole, name to value, units in the names."""
    notes: tuple[str, ...] = ()
    """Remarks on the experiment as a whole, one paragraph each."""

    @property
    def agree(self) -> int:
        """How many rows agree with the paper."""
        return sum(1 for row in self.rows if row.agrees)

    @property
    def of(self) -> int:
        """How many rows can be compared with the paper."""
        return sum(1 for row in self.rows if row.agrees is not None)

    @property
    def verdict(self) -> str:
        """The result in one line."""
        return f"{self.agree} of {self.of} rows agree with the paper"

    def columns(self) -> tuple[Column, ...]:
        """Return the columns in reading order: the case, the paper's values, ours."""
        names = dict.fromkeys(name for row in self.rows for name in row.case)  # in order, once
        cases = (_column("", name, [row.case.get(name) for row in self.rows]) for name in names)
        return (
            *cases,
            *_values("Paper", [row.paper for row in self.rows]),
            *_values("Ours", [row.ours for row in self.rows]),
        )

    def explained(self) -> list[str]:
        """Return what its letters and short words stand for, a sentence each."""
        columns = self.columns()
        cells = [cell for column in columns for cell in column.cells]
        cells += [display_text(value) for value in self.figures.values()]
        names = [f"{column.group} {column.name}" for column in columns]
        return explanations(cells, [*names, *self.figures])

    def to_json(self) -> dict[str, Any]:
        """Return the table as plain JSON values; what is not a finite number becomes None."""
        return {
            "experiment": self.experiment,
            "paper": self.paper,
            "rows": [_row_json(row) for row in self.rows],
            "agree": self.agree,
            "of": self.of,
            "figures": json_value(self.figures),
            "title": self.title,
            "notes": list(self.notes),
        }

    def print(self, console: Console) -> None:
        """Print the table, its figures, its notes and the verdict."""
        from rich import box
        from rich.table import Table as Grid
        from rich.text import Text

        grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
        columns = self.columns()
        for column in columns:
            heading = Text(column.heading)  # not a string: brackets are not markup here
            grid.add_column(heading, justify="right" if column.numeric else "left")
        grid.add_column("Agrees", no_wrap=True)
        noted = any(row.note for row in self.rows)
        if noted:
            grid.add_column("Note", ratio=1, style="dim")
        for index, row in enumerate(self.rows):
            cells = [Text(column.cells[index]) for column in columns]
            note = [Text(row.note)] if noted else []
            grid.add_row(*cells, Text(agreement(row), _COLOURS[row.agrees]), *note)

        console.print(Text.assemble((self.title, "bold"), "\n", (self.paper, "dim")))
        console.print(grid)
        for name, value in self.figures.items():
            console.print(Text(f"{label(name)}: {display_text(value)}"))
        for note_text in (*self.notes, *self.explained()):
            console.print(Text(note_text, "dim"))
        console.print(Text(self.verdict, "green" if self.agree == self.of else "red"))


_COLOURS = {True: "green", False: "bold red", None: "dim"}


def agreement(row: Row) -> str:
    """Return the row's mark: ``yes``, ``DISAGREES``, or a dash where nothing can be compared."""
    return {True: "yes", False: "DISAGREES", None: NOTHING}[row.agrees]


def label(name: str) -> str:
    """Return a key as people read it: ``height_mm`` is ``height mm``."""
    return name.replace("_", " ")


def display_text(value: Any) -> str:
    """Return a value as people read it: yes or no, four significant digits, a dash for nothing."""
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
    """Return ``value`` as JSON can hold it: numpy becomes Python, NaN and infinities None."""
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
    # Beyond 1e4 `g` would turn to powers of ten, which nobody wants for 12,346 steps.
    return f"{number:.0f}" if 1e4 <= abs(number) < 1e9 else f"{number:.4g}"


def _row_json(row: Row) -> dict[str, Any]:
    entry = {
        "case": json_value(row.case),
        "paper": json_value(row.paper),
        "ours": json_value(row.ours),
        "agrees": json_value(row.agrees),
    }
    return entry | ({"note": row.note} if row.note else {})


def _values(group: str, values: Sequence[Any]) -> Iterable[Column]:
    """Return one column, or one for each key where every value has the same keys."""
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
