"""A page of results that stand for themselves, with no paper's table beside them.

One HTML file in the look of `grouser.reports.report`, with every picture inside it: nothing is
fetched, no script runs, and the same results give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from grouser import files
from grouser.reports.html import figure_png, film_of, grid, image_of, inline, page, png_of, tiles
from grouser.reports.table import display_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Mood = Literal["good", "bad", "open"]
"""Of a mark: green, red or grey."""


@dataclass(frozen=True, kw_only=True)
class Card:
    """A picture with a title, marks and a few words, as large as fits beside others."""

    title: str
    marks: Sequence[tuple[str, Mood]]
    """Short results, such as ``("200 mm", "good")``."""
    words: Sequence[str] = ()
    """A line each, under the marks."""
    picture: npt.NDArray[np.uint8] | None = None
    """uint8 (height, width, 3), RGB; None: there is none to show."""
    caption: str = ""
    """What the picture shows."""


class Page:
    """Collects parts in reading order and writes them as one page.

    Args:
        title: the heading.
        above: a line above it.
        verdict: the result in a line.
        command: what made the page, as it was typed.
    """

    def __init__(self, title: str, *, above: str, verdict: str, command: str) -> None:
        self._title, self._above, self._verdict, self._command = title, above, verdict, command
        self._parts: list[str] = []

    def add_text(self, text: str) -> None:
        """Add a paragraph; ``**bold**`` and ```code``` are what they say."""
        self._parts.append(f"<p>{inline(text)}</p>")

    def add_figures(self, figures: Mapping[str, Any]) -> None:
        """Add a row of named numbers."""
        self._parts.append(tiles(figures))

    def add_rows(self, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Add a table; its first column is text, the others are numbers."""
        sides = ["text", *["number"] * (len(header) - 1)]
        head = "".join(
            f'<th class="{side}">{escape(name)}</th>'
            for side, name in zip(sides, header, strict=True)
        )
        body = "".join(
            "<tr>"
            + "".join(
                f'<td class="{side}">{escape(display_text(cell))}</td>'
                for side, cell in zip(sides, row, strict=True)
            )
            + "</tr>"
            for row in rows
        )
        self._parts.append(grid(f"<tr>{head}</tr>", body))

    def add_plot(self, figure: Figure, caption: str = "") -> None:
        """Add a matplotlib figure as it is now."""
        self._parts.append(image_of(figure_png(figure), caption))

    def add_heading(self, text: str) -> None:
        """Add a heading."""
        self._parts.append(f"<h2>{escape(text)}</h2>")

    def add_picture(self, image: npt.NDArray[np.uint8], caption: str = "") -> None:
        """Add a picture: uint8 (height, width, 3), RGB."""
        self._parts.append(image_of(png_of(image), caption))

    def add_film(self, path: Path | str, caption: str = "") -> None:
        """Add an MP4 file's content; the file itself is no longer needed afterwards."""
        self._parts.append(film_of(path, caption))

    def add_cards(self, cards: Iterable[Card]) -> None:
        """Add cards side by side."""
        self._parts.append(f'<section class="cards">{"".join(map(_card, cards))}</section>')

    def html(self) -> str:
        """Return the page."""
        return page(
            self._title,
            above=self._above,
            verdict=self._verdict,
            mood="open",
            parts=self._parts,
            command=self._command,
            style=_MORE_STYLE,
        )

    def write(self, folder: Path | str) -> Path:
        """Write ``folder/index.html``, whole or not at all, and return its path."""
        path = Path(folder) / "index.html"
        files.write_text(path, self.html())
        return path


def _card(card: Card) -> str:
    marks = " ".join(
        f'<span class="mark {mood}">{escape(text)}</span>' for text, mood in card.marks
    )
    words = "".join(f"<p>{inline(line)}</p>" for line in card.words)
    picture = ""
    if card.picture is not None:
        picture = image_of(png_of(card.picture), card.caption)
    title = escape(card.title)
    return f'<article>{picture}<h2>{title}</h2><p class="marks">{marks}</p>{words}</article>'


_MORE_STYLE = """
main { max-width: 72rem; }
.verdict.open { padding-left: 0; }
main > figure img { max-width: min(100%, 44rem); }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: 1rem; }
article { padding-bottom: .9rem; overflow: hidden; background: var(--card);
  border: 1px solid var(--line); border-radius: 10px; }
article figure { margin: 0; }
article img { width: 100%; border: 0; border-radius: 0; }
article figcaption { margin: 0; padding: .25rem 1rem; text-align: left; font-size: .8rem;
  border-bottom: 1px solid var(--line); }
article h2 { margin: .7rem 1rem .3rem; font-size: 1.05rem; }
article p { margin: .35rem 1rem 0; color: var(--dim); font-size: .82rem; line-height: 1.45; }
article .marks { line-height: 1.9; }
.mark { white-space: nowrap; }
.mark.open { background: var(--line); }
"""
