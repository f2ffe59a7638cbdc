"""What MkDocs does besides: reference pages from the models, examples, and fences as it knows them."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

EXAMPLES = Path(__file__).parent.parent / "examples"
DOCS = EXAMPLES.parent / "docs"
LANGUAGES = {".py": "python", ".c": "c"}

_NOT_RUN = re.compile(r"^(```\w+) not run:.*$", re.MULTILINE)
_EXAMPLE = re.compile(r"\]\(\.\./((?:\.\./)*)examples/([\w/]+)\.(py|c)\)")


def on_config(config: Any) -> Any:
    """Put the examples into the navigation, and pages that it does not name to the how-tos."""
    named = set(re.findall(r"[\w/-]+\.md", str(config["nav"])))
    pages = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
    how_to = next(part["How to"] for part in config["nav"] if "How to" in part)
    how_to.extend(page for page in pages if page not in named)
    config["nav"].append({"Examples": [f"examples/{file.stem}.md" for file in _examples()]})
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are made from the models, and a page for every example."""
    sys.path.insert(0, str(Path(__file__).parent))
    from reference_pages import pages

    for name, text in pages().items():
        files.append(File.generated(config, f"reference/{name}", content=text))
    for file in _examples():
        page = File.generated(config, f"examples/{file.stem}.md", content=_example(file))
        files.append(page)
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Lead links to examples to their pages; take out why a block is not run by the tests."""
    linked = _EXAMPLE.sub(lambda m: f"]({m[1]}examples/{Path(m[2]).name}.md)", markdown)
    return _NOT_RUN.sub(r"\1", linked)


def _examples() -> list[Path]:
    return [*sorted(EXAMPLES.glob("*.py")), *sorted((EXAMPLES / "c").glob("*.c"))]


def _example(file: Path) -> str:
    text = file.read_text(encoding="utf-8")
    about = ast.get_docstring(ast.parse(text)) if file.suffix == ".py" else None
    title = " ".join(word for word in file.stem.split("_") if not word.isdigit())
    place = file.relative_to(EXAMPLES.parent)
    fence = f"```{LANGUAGES[file.suffix]}\n{text}```\n"
    return f"# {title.capitalize()}\n\n{(about or '').replace('``', '`')}\n\n`{place}`:\n\n{fence}"
