"""The house rules that a reader relies on: names, sizes, doors, and nothing written twice."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest
from support.source_tree import FLOOR, ROOT, SOURCE, is_door, modules, room, tree

MOST_LINES = 600
MOST_LINES_OF_A_FUNCTION = 80
MOST_MODULES = 25
MOST_SHARED_NAMES = 10
RUN = 12
"""So many equal lines in a row must not stand anywhere twice."""
NO_NAMES = {"base", "common", "core", "helpers", "manager", "misc", "util", "utils"}
"""What says nothing about what is inside."""

PENDING: set[str] = set()
"""What does not keep a rule yet. Grows never, and must be empty in the end."""

CODE = [
    path
    for folder in ("src", "tests", "examples")
    for path in sorted((ROOT / folder).rglob("*.py"))
]


def classes():
    """Yield every class's name and the module that it stands in."""
    for name, path in modules().items():
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef):
                yield node.name, name


def test_no_class_name_stands_for_two_things_in_one_room():
    places = defaultdict(list)
    for name, module in classes():
        places[room(module), name].append(module)
    twice = {name: where for name, where in places.items() if len(where) > 1}
    assert not twice


def test_few_class_names_stand_for_things_in_several_rooms():
    """A message of the protocol may bear its sensor's name."""
    rooms = defaultdict(set)
    for name, module in classes():
        if room(module) != "protocol" and not name.startswith("_"):
            rooms[name].add(room(module))
    shared = {name: sorted(where) for name, where in rooms.items() if len(where) > 1}
    assert len(shared) <= MOST_SHARED_NAMES, shared


def test_no_folder_is_crowded():
    folders = defaultdict(list)
    for path in modules().values():
        if not is_door(path):
            folders[path.parent].append(path.name)
    crowded = {str(folder): len(names) for folder, names in folders.items()}
    assert max(crowded.values()) <= MOST_MODULES, crowded


def test_names_say_what_is_inside():
    parts = {part for name in modules() for part in name.split(".")}
    assert not parts & NO_NAMES


def test_no_file_is_long():
    sizes = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in CODE}
    long = {name for name, size in sizes.items() if size > MOST_LINES}
    assert long <= PENDING, long


def test_no_function_is_long():
    long = {}
    for path in CODE:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
                size = node.end_lineno - node.lineno + 1
                if size > MOST_LINES_OF_A_FUNCTION:
                    long[f"{path.relative_to(ROOT)}:{node.name}"] = size
    assert long.keys() <= PENDING, long


@pytest.mark.parametrize("door", sorted(SOURCE.rglob("__init__.py")), ids=lambda p: p.parent.name)
def test_every_room_says_what_lives_there(door):
    text = ast.get_docstring(tree(door)) or ""
    assert re.match(r"[A-Z].{15,}?[.:]", text, re.DOTALL), f"{door} has no first sentence"


def _exported(door: Path) -> set[str]:
    stub = door.with_suffix(".pyi")
    if not stub.exists():
        return set()
    nodes = [node for node in tree(stub).body if isinstance(node, ast.ImportFrom)]
    return {alias.asname or alias.name for node in nodes for alias in node.names}


@pytest.mark.parametrize("stub", sorted(SOURCE.rglob("__init__.pyi")), ids=lambda p: p.parent.name)
def test_no_module_hides_an_exported_name(stub):
    hidden = _exported(stub) & {path.stem for path in stub.parent.glob("*.py")}
    assert not hidden


FLAT = {f"grouser.{name}" for name in FLOOR}
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_import_from_rooms(path):
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
            if node.module and node.module.count(".") == 1 and node.module not in FLAT:
                door = modules().get(node.module, SOURCE)
                lent = {alias.name for alias in node.names}
                lent -= {n.rpartition(".")[2] for n in modules() if n.startswith(node.module)}
                assert lent <= _exported(door), f"{node.module} does not export {lent}"
        else:
            continue
        for name in names:
            assert name.split(".")[0] != "grouser" or name.count(".") <= 1, (
                f"{name}: users import from grouser and from its rooms"
            )


UNITS = re.compile(
    r"\b(math|np)\.(radians|degrees|deg2rad|rad2deg)\b"
    r"|pi / 180|180(\.0)? / \w+\.pi"
    r"|[*/] (1000|1e3)\b"
)


def test_units_are_converted_in_frames_alone():
    """The protocol, which has only the standard library, converts its own."""
    for name, path in modules().items():
        if name != "grouser.frames" and room(name) != "protocol":
            found = UNITS.search(path.read_text())
            assert not found, f"{name}: {found and found.group()}, grouser.frames converts"


def test_no_run_of_lines_stands_twice():
    """Outside data tables: what a module or class assigns at its top level."""
    places = defaultdict(list)
    for path in CODE:
        lines = written(path)
        for at in range(len(lines) - RUN + 1):
            run = lines[at : at + RUN]
            places[tuple(text for _, text in run)].append((path.name, run[0][0], run[-1][0]))
    twice = [where for where in places.values() if len(where) > 1]
    assert not twice, "\n".join(str(where) for where in twice)


def written(path: Path) -> list[tuple[int, str]]:
    """Return a file's lines with their numbers: no blanks, comments, imports or data tables."""
    left_out = set()
    scopes = [tree(path), *(n for n in ast.walk(tree(path)) if isinstance(n, ast.ClassDef))]
    tables = [node for scope in scopes for node in scope.body]
    tables = [node for node in tables if isinstance(node, ast.Assign | ast.AnnAssign)]
    imported = [n for n in ast.walk(tree(path)) if isinstance(n, ast.Import | ast.ImportFrom)]
    for node in (*tables, *imported):
        left_out |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return [
        (number, " ".join(line.split()))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#") and number not in left_out
    ]


def test_a_run_of_lines_is_found_again(tmp_path):
    body = "".join(f"    x{i} = {i}\n" for i in range(RUN))
    (one := tmp_path / "one.py").write_text(f"def f():\n{body}")
    (two := tmp_path / "two.py").write_text(f"# told\n\ndef g():\n    import os\n{body}")
    rows = "".join(f"    ({i}, 'row'),\n" for i in range(RUN))
    (table := tmp_path / "table.py").write_text(f"T = (\n{rows})\n")
    assert [text for _, text in written(one)[1:]] == [text for _, text in written(two)[1:]]
    assert written(two)[1][0] == 5
    assert not written(table)
