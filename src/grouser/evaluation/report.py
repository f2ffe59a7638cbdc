"""The report of an experiment: one HTML file with everything in it.

Pictures, plots and videos are inside the file, nothing is fetched, no script runs, and the same
results give the same bytes: there is no date in it. It reads on a phone and in the dark.
"""

from __future__ import annotations

import base64
import io
import itertools
import re
from collections.abc import Iterable, Sequence
from html import escape
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from grouser import files
from grouser.errors import BadValue
from grouser.evaluation.table import Column, Row, Table, agreement, label, shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Report:
    """Collects parts in reading order and writes them as one page.

    The table comes first; the parts that are added follow it.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self._parts: list[str] = []

    def add_text(self, text: str) -> None:
        """Add paragraphs, parted by empty lines.

        ``## `` makes a heading, lines that start with ``- `` a list, ``**bold**`` and
        ```code``` what they say. All else is shown as it is written.
        """
        self._parts.extend(_paragraph(part) for part in re.split(r"\n\s*\n", text.strip()))

    def add_picture(self, image: npt.NDArray[np.uint8] | bytes, caption: str = "") -> None:
        """Add a picture: uint8 (height, width, 3) RGB, or the bytes of a PNG file."""
        png = image if isinstance(image, bytes) else _png(image)
        source = _data("image/png", png)
        self._parts.append(_figure(f'<img alt="{escape(caption)}" src="{source}">', caption))

    def add_plot(self, figure: Figure, caption: str = "") -> None:
        """Add a matplotlib figure as it is now; the caller closes it."""
        drawn = io.BytesIO()
        # Without "Software" the bytes do not depend on matplotlib's version number.
        figure.savefig(
            drawn, format="png", dpi=144, bbox_inches="tight", metadata={"Software": None}
        )
        self.add_picture(drawn.getvalue(), caption)

    def add_video(self, path: Path | str, caption: str = "") -> None:
        """Add an MP4 file's content; the file itself is no longer needed afterwards."""
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            raise BadValue(f"{path}: cannot be read ({error.strerror})") from error
        source = _data("video/mp4", content)
        video = f'<video controls loop muted playsinline src="{source}"></video>'
        self._parts.append(_figure(video, caption))

    def add_rows(self, title: str, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Add a second table under a heading of its own."""
        head = "".join(f"<th>{escape(name)}</th>" for name in header)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(shown(cell))}</td>" for cell in row) + "</tr>"
            for row in rows
        )
        heading = f"<h2>{escape(title)}</h2>"
        self._parts.append(heading + _grid(f"<tr>{head}</tr>", body))

    def html(self) -> str:
        """Return the page."""
        table = self.table
        mood = "good" if table.agree == table.of else "bad"
        return _PAGE.format(
            title=escape(table.title),
            style=_STYLE,
            paper=escape(table.paper),
            experiment=escape(table.experiment),
            mood=mood,
            verdict=escape(table.verdict),
            figures=_figures(table),
            table=_main_table(table),
            notes="".join(f'<p class="note">{escape(note)}</p>' for note in table.notes),
            parts="\n".join(self._parts),
            version=escape(_version()),
        )

    def write(self, folder: Path | str) -> Path:
        """Write ``folder/index.html``, whole or not at all, and return its path."""
        path = Path(folder) / "index.html"
        files.write_text(path, self.html())
        return path


def _main_table(table: Table) -> str:
    columns = table.columns()
    noted = any(row.note for row in table.rows)
    heads = _heads(columns, ["Agrees", *(["Note"] if noted else [])])
    body = "".join(_row(columns, index, row, noted) for index, row in enumerate(table.rows))
    return _grid(heads, body)


def _heads(columns: Sequence[Column], last: Sequence[str]) -> str:
    """Return the header: one line, or two where several columns share a heading."""
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
    note = f'<td class="note">{escape(row.note)}</td>' if noted else ""
    return f'<tr class="{mood}">{cells}{mark}{note}</tr>'


def _align(column: Column) -> str:
    return "number" if column.numeric else "text"


def _grid(head: str, body: str) -> str:
    return f'<div class="grid"><table><thead>{head}</thead><tbody>{body}</tbody></table></div>'


def _figures(table: Table) -> str:
    tiles = "".join(
        f"<div><dt>{escape(label(name))}</dt><dd>{escape(shown(value))}</dd></div>"
        for name, value in table.figures.items()
    )
    return f"<dl>{tiles}</dl>" if tiles else ""


def _paragraph(text: str) -> str:
    lines = text.splitlines()
    if text.startswith("## "):
        return f"<h2>{_inline(text[3:])}</h2>"
    if all(line.startswith("- ") for line in lines):
        return "<ul>" + "".join(f"<li>{_inline(line[2:])}</li>" for line in lines) + "</ul>"
    return f"<p>{_inline(text)}</p>"


def _inline(text: str) -> str:
    safe = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
    return re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", safe)


def _figure(content: str, caption: str) -> str:
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f"<figure>{content}{below}</figure>"


def _data(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def _png(image: npt.NDArray[np.uint8]) -> bytes:
    from PIL import Image as Pillow  # comes with matplotlib

    encoded = io.BytesIO()
    Pillow.fromarray(image).save(encoded, "PNG")
    return encoded.getvalue()


def _version() -> str:
    try:
        return metadata.version("grouser")
    except metadata.PackageNotFoundError:  # run from a checkout that was never installed
        return "0"


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
<header>
<p class="paper">{paper}</p>
<h1>{title}</h1>
<p class="verdict {mood}">{verdict}</p>
</header>
{figures}
{table}
{notes}
{parts}
<footer>Made by <code>grouser experiment {experiment}</code>, Grouser {version}</footer>
</main>
</body>
</html>
"""

_STYLE = """
:root { --ink: #1c2127; --dim: #5f6b7a; --line: #dfe3e8; --page: #f6f7f9; --card: #fff;
  --good: #17703f; --good-soft: #e3f4ea; --bad: #b3261e; --bad-soft: #fdeceb; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ee; --dim: #98a3b3; --line: #323a45; --page: #14181d; --card: #1c2229;
    --good: #6fd39a; --good-soft: #17342a; --bad: #ff8a80; --bad-soft: #42211f; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); line-height: 1.55;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 2.5rem 1.25rem; }
h1 { margin: 0 0 .75rem; font-size: clamp(1.5rem, 5vw, 2.1rem); line-height: 1.2; }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.25rem; }
.paper { margin: 0 0 .25rem; color: var(--dim); }
.verdict, .mark { display: inline-block; border-radius: 99px; font-weight: 600; }
.verdict { margin: 0; padding: .3rem .9rem; }
.mark { padding: 0 .6rem; font-size: .85em; }
.verdict.good, .mark.good { color: var(--good); background: var(--good-soft); }
.verdict.bad, .mark.bad { color: var(--bad); background: var(--bad-soft); }
.mark.open, .note, figcaption, footer { color: var(--dim); }
tr.bad .mark { color: var(--card); background: var(--bad); }
tr.bad td { background: var(--bad-soft); }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); gap: .75rem;
  margin: 1.5rem 0; }
dl div { padding: .7rem 1rem; background: var(--card); border: 1px solid var(--line);
  border-radius: 10px; }
dt { color: var(--dim); font-size: .85rem; }
dd { margin: 0; font-size: 1.3rem; font-weight: 600; overflow-wrap: anywhere; }
.grid { margin: 1.5rem 0; overflow-x: auto; background: var(--card);
  border: 1px solid var(--line); border-radius: 10px; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .5rem .75rem; text-align: left; border-bottom: 1px solid var(--line); }
th { color: var(--dim); font-size: .85rem; vertical-align: bottom; white-space: nowrap; }
th.group { border-bottom: 0; padding-bottom: 0; }
.number { text-align: right; }
td.note { min-width: 11rem; font-size: .9rem; }
tbody tr:last-child td { border-bottom: 0; }
figure { margin: 1.5rem 0; }
img, video { display: block; max-width: 100%; height: auto; margin: 0 auto; background: #fff;
  border: 1px solid var(--line); border-radius: 10px; }
figcaption { margin-top: .5rem; text-align: center; font-size: .9rem; }
code { padding: .1em .35em; border-radius: 5px; background: var(--line); font-size: .9em; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line);
  font-size: .85rem; }
"""
