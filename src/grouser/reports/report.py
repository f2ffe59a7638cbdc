"""Report of an experiment: one self-contained HTML page (`grouser.reports.page`)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from grouser import files
from grouser.reports.page import (
    embed_image,
    embed_video,
    encode_png,
    figure_png,
    grid,
    inline,
    render_page,
    tiles,
)
from grouser.reports.table import Column, Row, Table, agreement, display_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure


QUICK = " (quick: a short version, to see that it runs; the full one decides)"
"""Suffix of the verdict of a quick run."""


class Report:
    """HTML report of a table, followed by added parts in reading order."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.command = f"grouser experiment {table.experiment}"
        """Command line that created the report; set by the caller if it has options."""
        self.quick = False
        """True for the short version of the experiment, which is a smoke test only."""
        self._parts: list[str] = []

    def add_text(self, text: str) -> None:
        """Add paragraphs, separated by empty lines.

        Supported markup: ``## `` for a heading, lines beginning with ``- `` for a list,
        ``**bold**`` and ```code```. All other text is shown literally.
        """
        self._parts.extend(_paragraph(part) for part in re.split(r"\n\s*\n", text.strip()))

    def add_picture(self, image: npt.NDArray[np.uint8] | bytes, caption: str = "") -> None:
        """Add an image: uint8 (height, width, 3) RGB, or the bytes of a PNG file."""
        png = image if isinstance(image, bytes) else encode_png(image)
        self._parts.append(embed_image(png, caption))

    def add_plot(self, figure: Figure, caption: str = "") -> None:
        """Add a matplotlib figure in its present state; the caller closes it."""
        self.add_picture(figure_png(figure), caption)

    def add_video(self, path: Path | str, caption: str = "") -> None:
        """Embed an MP4 or WebM file; the file is not needed afterwards."""
        self._parts.append(embed_video(path, caption))

    def add_rows(self, title: str, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Add another table below a heading."""
        head = "".join(f"<th>{escape(name)}</th>" for name in header)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(display_text(cell))}</td>" for cell in row) + "</tr>"
            for row in rows
        )
        heading = f"<h2>{escape(title)}</h2>"
        self._parts.append(heading + grid(f"<tr>{head}</tr>", body))

    def html(self) -> str:
        """Return the HTML of the report."""
        table = self.table
        remarks = (*table.notes, *(f"{text}." for text in table.legend()))
        notes = "".join(f'<p class="note">{escape(note)}</p>' for note in remarks)
        return render_page(
            table.title,
            above=table.paper,
            verdict=table.verdict + (QUICK if self.quick else ""),
            mood=table.mood,
            parts=[tiles(table.figures), _main_table(table), notes, *self._parts],
            command=self.command,
        )

    def write(self, folder: Path | str) -> Path:
        """Write ``folder/index.html`` atomically and return its path."""
        path = Path(folder) / "index.html"
        files.write_text(path, self.html())
        return path


def _main_table(table: Table) -> str:
    columns = table.columns()
    noted = any(row.note for row in table.rows)
    heads = _heads(columns, ["Agrees", "Rule", *(["Note"] if noted else [])])
    body = "".join(_row(columns, index, row, noted) for index, row in enumerate(table.rows))
    return grid(heads, body)


def _heads(columns: Sequence[Column], last: Sequence[str]) -> str:
    """Return the table header: one row, or two if several columns share a heading."""
    depth = 2 if any(column.group and column.name for column in columns) else 1
    upper, lower = "", ""
    for group, together in itertools.groupby(columns, key=lambda column: column.group):
        members = list(together)
        shared = bool(group and members[0].name)
        if shared:
            upper += f'<th class="group" colspan="{len(members)}">{escape(group)}</th>'
        names = [
            f'<th class="{_align(column)}" rowspan="{1 if shared else depth}">'
            f"{escape(column.name or group)}</th>"
            for column in members
        ]
        if shared:
            lower += "".join(names)
        else:
            upper += "".join(names)
    upper += "".join(f'<th rowspan="{depth}">{escape(name)}</th>' for name in last)
    return f"<tr>{upper}</tr><tr>{lower}</tr>" if depth == 2 else f"<tr>{upper}</tr>"


def _row(columns: Sequence[Column], index: int, row: Row, noted: bool) -> str:
    cells = "".join(
        f'<td class="{_align(column)}">{escape(column.cells[index])}</td>' for column in columns
    )
    mood = {True: "good", False: "bad", None: "open"}[row.agrees]
    mark = f'<td><span class="mark {mood}">{agreement(row)}</span></td>'
    mark += f'<td class="note">{escape(row.rule)}</td>'
    note = f'<td class="note">{escape(row.note)}</td>' if noted else ""
    return f'<tr class="{mood}">{cells}{mark}{note}</tr>'


def _align(column: Column) -> str:
    return "number" if column.numeric else "text"


def _paragraph(text: str) -> str:
    lines = text.splitlines()
    if text.startswith("## "):
        return f"<h2>{inline(text[3:])}</h2>"
    if all(line.startswith("- ") for line in lines):
        return "<ul>" + "".join(f"<li>{inline(line[2:])}</li>" for line in lines) + "</ul>"
    return f"<p>{inline(text)}</p>"
