"""docs/map.md says what is really true: every module, and where clocks, sockets and threads are."""

import re
from pathlib import Path

import pytest
from support.source_tree import MAY_IMPORT, ROOT, SOURCE, imports, is_door, modules, room

MAP = (ROOT / "docs" / "map.md").read_text(encoding="utf-8")

KINDS = {
    "clock": {"datetime", "time"},
    "sockets": {"asyncio", "select", "selectors", "socket", "socketserver", "ssl"},
    "threads": {"_thread", "concurrent", "threading"},
    "processes": {"multiprocessing", "signal", "subprocess"},
    "chance": {"random", "secrets"},
}
"""What a module brings in from outside → the parts of the standard library that do so."""

QUIET = {
    "calibration",
    "evaluation",
    "exports",
    "errors",
    "files",
    "frames",
    "locomotion",
    "perception",
    "physics",
    "protocol",
    "rendering",
    "reports",
    "robots",
    "scan",
    "sensors",
    "simulation",
    "tracks",
    "world",
}
"""Rooms that have none of these: the same input gives the same output, always."""


def section(title: str) -> str:
    """Return the text under a heading of the map."""
    _, found, rest = MAP.partition(f"## {title}\n")
    assert found, f"docs/map.md has no section '{title}'"
    return rest.partition("\n## ")[0]


def drawn() -> set[str]:
    """Return the modules that the map's tree shows, as paths below the package.

    Folders and modules stand first in a line, one or several, two spaces apart at least from what
    is said of them; what is inside a folder is indented further than the folder is.
    """
    block = section("The tree").split("```")[1].splitlines()
    start = block.index("src/grouser/") + 1
    found, folders = set(), [(0, "")]
    for line in block[start:]:
        indent = len(line) - len(line.lstrip())
        if not line.strip() or indent == 0:
            continue
        while indent <= folders[-1][0]:
            folders.pop()
        words = re.match(r"\s*((?:[\w./]+(?:/|\.py)(?:\s+|$))+)", line)
        for name in words.group(1).split() if words else ():
            if name.endswith("/"):
                folders.append((indent, f"{folders[-1][1]}{name}"))
            else:
                path = f"{folders[-1][1]}{name}"
                assert path not in found, f"docs/map.md shows {path} twice"
                found.add(path)
    return found


def test_the_map_shows_every_module_and_no_other():
    there = {
        str(path.relative_to(SOURCE))
        for path in modules().values()
        if not is_door(path) or path.parent == SOURCE
    }
    shown = drawn()
    assert sorted(there - shown) == [], "docs/map.md does not show these"
    assert sorted(shown - there) == [], "docs/map.md shows what is not there"


def brought_in(path: Path) -> set[str]:
    """Return what a module brings in from outside."""
    tops = {name.split(".")[0] for name in imports(path)}
    return {kind for kind, parts in KINDS.items() if tops & parts}


def test_the_map_says_where_clocks_sockets_and_threads_are():
    text = section("Where clocks, sockets, threads and processes are")
    rows = re.findall(r"^\| ([^|]+) \| ([a-z, ]+) \|", text, re.MULTILINE)
    said = {
        path: set(kinds.split(", "))
        for paths, kinds in rows
        for path in re.findall(r"`([\w./]+\.py)`", paths)
    }
    true = {str(path.relative_to(SOURCE)): brought_in(path) for path in modules().values()}
    assert said == {path: kinds for path, kinds in true.items() if kinds}


@pytest.mark.parametrize("here", sorted(QUIET))
def test_quiet_rooms_have_no_clock_socket_thread_or_chance(here):
    loud = {name for name, path in modules().items() if room(name) == here and brought_in(path)}
    assert not loud


def test_the_map_draws_every_zone():
    text = section("Who may import whom")
    missing = [name for name in MAY_IMPORT if not re.search(rf"\b{name.split('.')[-1]}\b", text)]
    assert not missing
