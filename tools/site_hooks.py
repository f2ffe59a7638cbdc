"""MkDocs hooks: generated reference pages, package map, and a page per example."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
DOCS = ROOT / "docs"
LANGUAGES = {".py": "python", ".c": "c"}

_NOT_RUN = re.compile(r"^(```\w+) not run:.*$", re.MULTILINE)
_EXAMPLE = re.compile(r"\]\((?:\.\./)+examples/([\w/]+)\.(py|c)\)")


def on_config(config: Any) -> Any:
    """Add the examples, and pages without an entry, to the navigation."""
    named = set(re.findall(r"[\w/-]+\.md", str(config["nav"])))
    pages = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
    how_to = next(part["How-to guides"] for part in config["nav"] if "How-to guides" in part)
    how_to.extend(page for page in pages if page not in named)
    config["nav"].append({"Examples": [f"examples/{file.stem}.md" for file in _examples()]})
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the generated pages: reference, package map, examples."""
    sys.path.insert(0, str(Path(__file__).parent))
    import package_map
    import reference_pages

    generated = {f"reference/{name}": text for name, text in reference_pages.pages().items()}
    generated["map.md"] = package_map.page()
    generated |= {f"examples/{file.stem}.md": _example(file) for file in _examples()}
    for name, text in generated.items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Link example files to their pages; remove the reasons of blocks that are not run."""
    up = "../" * page.file.src_uri.count("/")
    linked = _EXAMPLE.sub(lambda m: f"]({up}examples/{Path(m[1]).name}.md)", markdown)
    return _NOT_RUN.sub(r"\1", linked)


def _examples() -> list[Path]:
    return [*sorted(EXAMPLES.glob("*.py")), *sorted((EXAMPLES / "c").glob("*.c"))]


def _example(file: Path) -> str:
    text = file.read_text(encoding="utf-8")
    about = ast.get_docstring(ast.parse(text)) if file.suffix == ".py" else None
    title = " ".join(word for word in file.stem.split("_") if not word.isdigit())
    place = file.relative_to(ROOT)
    fence = f"```{LANGUAGES[file.suffix]}\n{text}```\n"
    return f"# {title.capitalize()}\n\n{(about or '').replace('``', '`')}\n\n`{place}`:\n\n{fence}"
