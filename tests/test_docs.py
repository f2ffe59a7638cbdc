"""Files, modules and names that the documentation mentions exist."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from support.doc_blocks import blocks, file_name
from support.source_tree import ROOT, SOURCE, modules, tree

from grouser import plugins

PAGES = sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])
PATH = re.compile(r"`([\w./]+\.py)[`:]")
DOTTED = re.compile(r"\bgrouser(?:\.(?!py\b)[A-Za-z_]\w*)+")
IMPORT = re.compile(r"^from (grouser[\w.]*) import ([\w, ]+)$", re.MULTILINE)


def pages() -> pytest.MarkDecorator:
    """Return every page except the changelog, which mentions removed names."""
    return pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)


@cache
def names(module: str) -> frozenset[str]:
    """Return the names of a module: definitions, imports and lazy exports."""
    found = set()
    for node in tree(modules()[module]).body:
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                found.add(name)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found.add(name)
                if name == "__all__":
                    found |= set(ast.literal_eval(value))
            case ast.AnnAssign(target=ast.Name(id=name)):
                found.add(name)
    stub = modules()[module].with_suffix(".pyi")
    if stub.is_file():
        found |= {
            alias.asname or alias.name
            for node in ast.parse(stub.read_text("utf-8")).body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
    inside = f"{module}."
    return frozenset(found) | {
        other.removeprefix(inside).split(".")[0] for other in modules() if other.startswith(inside)
    }


@pages()
def test_files_named_in_pages_exist(page: Path) -> None:
    known = {path.name for path in modules().values()}
    known |= {file_name(block) for block in blocks(page)}
    for path in PATH.findall(page.read_text()):
        if "/" in path:
            places = (ROOT / path, SOURCE / path, SOURCE.parent / path)
            assert any(place.is_file() for place in places), path
        else:
            assert path in known or (ROOT / "tests" / path).is_file(), path


MARKDOWN = re.compile(r"\b[\w/-]+\.md\b")
GENERATED = {"world-file.md", "terrains.md", "objects.md", "triggers.md", "commands.md"}
"""Reference pages that `make docs` generates, robots.md and sensors.md included."""


PENDING: set[str] = set()
"""Pages that are planned; must be empty in a release."""


def test_sources_refer_only_to_shipped_pages() -> None:
    there = {path.name for path in [*PAGES, *ROOT.glob("*.md"), *SOURCE.rglob("*.md")]}
    there |= GENERATED | PENDING
    for path in [*modules().values(), *PAGES, *(ROOT / "examples").rglob("*.py")]:
        for name in MARKDOWN.findall(path.read_text()):
            linked = name.startswith("reference/")
            assert linked or name.split("/")[-1] in there, f"{path.relative_to(ROOT)}: {name}"


def test_cited_sources_exist() -> None:
    page = (ROOT / "docs" / "reference" / "sources.md").read_text()
    cited = re.compile(r"sources\.md ([A-D](?:\d(?:\.\d)?)?)")
    for path in [*modules().values(), *PAGES]:
        for letter in cited.findall(path.read_text()):
            assert f"**{letter} " in page or f"## {letter}. " in page, f"{path}: {letter}"


def missing(text: str) -> list[str]:
    """Return the dotted names in ``text`` that do not exist."""
    found = []
    for dotted in set(DOTTED.findall(text)) - plugins.GROUPS:
        parts = dotted.split(".")
        length = max(n for n in range(1, len(parts) + 1) if ".".join(parts[:n]) in modules())
        if length < len(parts) and parts[length] not in names(".".join(parts[:length])):
            found.append(dotted)
    return found


@pages()
def test_names_in_pages_exist(page: Path) -> None:
    assert not missing(page.read_text())


def test_names_in_docstrings_exist() -> None:
    quoted = re.compile(r"`(grouser[\w.]+)`")
    for name, path in modules().items():
        assert not missing(" ".join(quoted.findall(path.read_text()))), name


@pages()
def test_imports_in_pages_exist(page: Path) -> None:
    for module, imported in IMPORT.findall(page.read_text()):
        absent = set(imported.replace(" ", "").split(",")) - names(module)
        assert not absent, f"from {module} import {absent}"
