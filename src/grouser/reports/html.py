"""The one look of everything Grouser writes as HTML: a self-contained page and its small parts.

Nothing is fetched, no script runs, and the same results give the same bytes: there is no date in a
page. It reads on a phone and in the dark.
"""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Mapping, Sequence
from html import escape
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.reports.table import display_text, label

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def page(
    title: str,
    *,
    above: str,
    verdict: str,
    mood: str,
    parts: Sequence[str],
    command: str,
    style: str = "",
) -> str:
    """Return a whole page.

    Args:
        title: the heading.
        above: a line above it.
        verdict: the result in a line.
        mood: good, bad or open: the verdict's colour.
        parts: HTML, in reading order.
        command: what made the page, as it is typed.
        style: more CSS.
    """
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
    """Return a table that scrolls sideways where it must."""
    return f'<div class="grid"><table><thead>{head}</thead><tbody>{body}</tbody></table></div>'


def tiles(figures: Mapping[str, Any]) -> str:
    """Return a row of named numbers, empty if there are none."""
    each = "".join(
        f"<div><dt>{escape(label(name))}</dt><dd>{escape(display_text(value))}</dd></div>"
        for name, value in figures.items()
    )
    return f"<dl>{each}</dl>" if each else ""


def inline(text: str) -> str:
    """Return ``text`` escaped, with ``**bold**`` and ```code``` as they say."""
    safe = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
    return re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", safe)


def figure_of(content: str, caption: str) -> str:
    """Return HTML ``content`` with a caption under it."""
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f"<figure>{content}{below}</figure>"


def image_of(png: bytes, caption: str) -> str:
    """Return a picture, inside the page, with its caption."""
    return figure_of(f'<img alt="{escape(caption)}" src="{data_uri("image/png", png)}">', caption)


def film_of(path: Path | str, caption: str) -> str:
    """Return a film, inside the page, with its caption; the file is not needed afterwards."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise BadValue(f"{path}: cannot be read ({error.strerror})") from error
    kind = "video/webm" if Path(path).suffix == ".webm" else "video/mp4"
    source = data_uri(kind, content)
    film = f'<video controls loop muted playsinline src="{source}"></video>'
    return figure_of(film, caption)


def data_uri(kind: str, content: bytes) -> str:
    """Return ``content`` as an address that needs no server."""
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def png_of(image: npt.NDArray[np.uint8]) -> bytes:
    """Return the bytes of a PNG file of ``image``: uint8 (height, width, 3), RGB."""
    from PIL import Image as Pillow  # comes with matplotlib

    encoded = io.BytesIO()
    Pillow.fromarray(image).save(encoded, "PNG")
    return encoded.getvalue()


def figure_png(figure: Figure) -> bytes:
    """Return the bytes of a PNG file of a matplotlib figure as it is now."""
    encoded = io.BytesIO()
    # Without "Software" the bytes do not depend on matplotlib's version number.
    figure.savefig(encoded, format="png", dpi=144, bbox_inches="tight", metadata={"Software": None})
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
