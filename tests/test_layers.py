"""Who may import whom: the seams of the design, enforced (docs/map.md draws them)."""

import ast
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "grouser"

FLOOR = {"errors", "frames", "files", "contacts", "cores", "trust"}
PARTS = FLOOR | {"rows", "drives"}
MAY_IMPORT = {
    "errors": set(),
    "contacts": set(),
    "cores": set(),
    "frames": set(),
    "files": {"errors"},
    "trust": {"errors"},
    "marks": set(),
    "rows": {"frames"},
    "drives": {"errors", "frames", "rows"},
    "world": FLOOR | {"marks", "drives"},
    "tracks": PARTS,
    "sensors": FLOOR | {"marks"},
    "robots": PARTS | {"tracks", "sensors"},
    "simulation": PARTS | {"world", "robots", "sensors", "tracks"},
    "evaluation": FLOOR,
    "trials": PARTS | {"simulation", "world", "planning", "evaluation", "robots"},
    "server": PARTS
    | {"simulation", "trials", "planning", "protocol", "world", "robots", "sensors"},
    "planning": FLOOR,
    "protocol": {"errors"},
    "client": FLOOR | {"protocol", "planning"},
}
"""Room → rooms it may look into. Rooms that are not listed (the top: experiments, benches,
learning, cli) may import everything."""

PURE = {"evaluation", "planning", "protocol", "client"}
"""Rooms that must not know MuJoCo."""

BARE = {"protocol"}
"""Rooms that need nothing but Python: a client runs where nothing else is installed."""

OUTSIDE = {"asyncio", "datetime", "os", "random", "select", "socket", "ssl", "threading", "time"}
"""Modules of the standard library that such a room does without: no I/O, no clock, no chance."""


def modules():
    return sorted(SOURCE.rglob("*.py"))


def room(path):
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(path):
    """Yield every absolute module name that ``path`` imports, in functions as well."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide who imports whom"
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_stay_inside_the_seams(path):
    here = room(path)
    if here not in MAY_IMPORT:
        return
    for name in imports(path):
        if name.startswith("grouser."):
            there = name.split(".")[1]
            if (SOURCE / there).is_dir() or (SOURCE / f"{there}.py").exists():
                assert there == here or there in MAY_IMPORT[here], f"{here} imports {name}"
        if name.split(".")[0] == "mujoco":
            assert here not in PURE, f"{here} must not know MuJoCo"
        if here in BARE:
            top = name.split(".")[0]
            assert top == "grouser" or top in sys.stdlib_module_names, f"{here} imports {name}"
            assert top not in OUTSIDE, f"{here} imports {name}"


def test_every_room_is_on_the_map():
    text = (SOURCE.parent.parent / "docs" / "map.md").read_text()
    rooms = {room(path) for path in modules()} - {"__init__", "__main__"}
    missing = sorted(
        name for name in rooms if f" {name}/" not in text and f" {name}.py" not in text
    )
    assert not missing, f"docs/map.md does not mention {missing}"
