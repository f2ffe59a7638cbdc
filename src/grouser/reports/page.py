"""Self-contained HTML pages of results, and the building blocks of all pages of Grouser.

A page contains all its images and videos, loads nothing and has no scripts. It has no date, so that
equal results give equal bytes. Its style adapts to small screens and to dark mode.
"""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from grouser import files
from grouser.errors import BadValue
from grouser.reports.table import display_text, label

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Mood = Literal["good", "bad", "open"]
"""Colour of a mark: green, red or grey."""


@dataclass(frozen=True, kw_only=True)
class Card:
    """Card with an image, a title, marks and lines of text, arranged in a grid of cards."""

    title: str
    marks: Sequence[tuple[str, Mood]]
    """Short results, such as ``("200 mm", "good")``."""
    words: Sequence[str] = ()
    """Lines of text below the marks."""
    picture: npt.NDArray[np.uint8] | None = None
    """Image, uint8 (height, width, 3), RGB; None: no image."""
    caption: str = ""
    """Caption of the image."""


class Page:
    """HTML page of parts in reading order.

    Args:
        title: heading.
        above: line above the heading.
        verdict: result in one line.
        command: command line that created the page.
    """

    def __init__(self, title: str, *, above: str, verdict: str, command: str) -> None:
        self._title, self._above, self._verdict, self._command = title, above, verdict, command
        self._parts: list[str] = []

    def add_text(self, text: str) -> None:
        """Add a paragraph; ``**bold**`` and ```code``` are converted to HTML."""
        self._parts.append(f"<p>{inline(text)}</p>")

    def add_figures(self, figures: Mapping[str, Any]) -> None:
        """Add a row of named numbers."""
        self._parts.append(tiles(figures))

    def add_rows(self, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Add a table with text in the first column and numbers in the others."""
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
        """Add a matplotlib figure in its present state."""
        self._parts.append(embed_image(figure_png(figure), caption))

    def add_heading(self, text: str) -> None:
        """Add a heading."""
        self._parts.append(f"<h2>{escape(text)}</h2>")

    def add_picture(self, image: npt.NDArray[np.uint8], caption: str = "") -> None:
        """Add an image: uint8 (height, width, 3), RGB."""
        self._parts.append(embed_image(encode_png(image), caption))

    def add_video(self, path: Path | str, caption: str = "") -> None:
        """Embed an MP4 or WebM file; the file is not needed afterwards."""
        self._parts.append(embed_video(path, caption))

    def add_cards(self, cards: Iterable[Card]) -> None:
        """Add cards side by side."""
        self._parts.append(f'<section class="cards">{"".join(map(_card, cards))}</section>')

    def html(self) -> str:
        """Return the HTML of the page."""
        return render_page(
            self._title,
            above=self._above,
            verdict=self._verdict,
            mood="open",
            parts=self._parts,
            command=self._command,
            style=_MORE_STYLE,
        )

    def write(self, folder: Path | str) -> Path:
        """Write ``folder/index.html`` atomically and return its path."""
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
        picture = embed_image(encode_png(card.picture), card.caption)
    title = escape(card.title)
    return f'<article>{picture}<h2>{title}</h2><p class="marks">{marks}</p>{words}</article>'


def render_page(
    title: str,
    *,
    above: str,
    verdict: str,
    mood: str,
    parts: Sequence[str],
    command: str,
    style: str = "",
) -> str:
    """Return the HTML of a page; ``mood`` is the colour of its ``verdict``: good, bad or open."""
    return _PAGE.format(
        title=escape(title),
        style=STYLE + style,
        above=escape(above),
        mood=mood,
        verdict=escape(verdict),
        parts="\n".join(part for part in parts if part),
        command=escape(command),
        version=escape(_version()),
    )


def grid(head: str, body: str) -> str:
    """Return an HTML table that scrolls horizontally on small screens."""
    return f'<div class="grid"><table><thead>{head}</thead><tbody>{body}</tbody></table></div>'


def tiles(figures: Mapping[str, Any]) -> str:
    """Return a row of named numbers; empty without ``figures``."""
    each = "".join(
        f"<div><dt>{escape(label(name))}</dt><dd>{escape(display_text(value))}</dd></div>"
        for name, value in figures.items()
    )
    return f"<dl>{each}</dl>" if each else ""


def inline(text: str) -> str:
    """Return ``text`` as HTML: escaped, with ``**bold**`` and ```code``` converted."""
    safe = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
    return re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", safe)


def add_caption(content: str, caption: str) -> str:
    """Return HTML ``content`` with a caption below it."""
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f"<figure>{content}{below}</figure>"


def embed_image(png: bytes, caption: str) -> str:
    """Return an embedded image with a caption."""
    return add_caption(f'<img alt="{escape(caption)}" src="{data_uri("image/png", png)}">', caption)


def embed_video(path: Path | str, caption: str) -> str:
    """Return an embedded video with a caption; the file is not needed afterwards."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise BadValue(f"{path}: cannot be read ({error.strerror})") from error
    kind = "video/webm" if Path(path).suffix == ".webm" else "video/mp4"
    source = data_uri(kind, content)
    video = f'<video controls loop muted playsinline src="{source}"></video>'
    return add_caption(video, caption)


def data_uri(kind: str, content: bytes) -> str:
    """Return ``content`` as a ``data:`` URI of MIME type ``kind``."""
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def encode_png(image: npt.NDArray[np.uint8]) -> bytes:
    """Return the bytes of a PNG file of ``image``: uint8 (height, width, 3), RGB."""
    from PIL import Image as Pillow  # comes with matplotlib

    encoded = io.BytesIO()
    Pillow.fromarray(image).save(encoded, "PNG")
    return encoded.getvalue()


def figure_png(figure: Figure) -> bytes:
    """Return the bytes of a PNG file of a matplotlib figure in its present state."""
    encoded = io.BytesIO()
    # Without "Software" the bytes do not depend on matplotlib's version number.
    figure.savefig(encoded, format="png", dpi=144, bbox_inches="tight", metadata={"Software": None})
    return encoded.getvalue()


def _version() -> str:
    try:
        return metadata.version("grouser")
    except metadata.PackageNotFoundError:  # a checkout that is not installed
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
<p class="paper">{above}</p>
<h1>{title}</h1>
<p class="verdict {mood}">{verdict}</p>
</header>
{parts}
<footer>Made by <code>{command}</code>, Grouser {version}</footer>
</main>
</body>
</html>
"""

STYLE = """
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
