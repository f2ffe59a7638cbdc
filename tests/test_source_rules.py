"""Rules of the source tree: names, sizes, exports, units, duplicates, non-determinism."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.source_tree import FOUNDATIONS, ROOT, SOURCE, imports, is_init, modules, package, tree

MAX_LINES = 600
MAX_FUNCTION_LINES = 80
MAX_MODULES = 25
MAX_SHARED_CLASS_NAMES = 10
DUPLICATE_RUN = 12
"""Number of equal consecutive lines that count as a duplicate."""
EMPTY_NAMES = {"base", "common", "core", "helpers", "manager", "misc", "util", "utils"}
"""Module names without meaning."""

CODE = [
    path
    for folder in ("src", "tests", "examples", "tools")
    for path in sorted((ROOT / folder).rglob("*.py"))
]

EXTERNAL_STATE = {
    "clock": {"datetime", "time"},
    "sockets": {"asyncio", "select", "selectors", "socket", "socketserver", "ssl"},
    "threads": {"_thread", "concurrent", "threading"},
    "processes": {"multiprocessing", "signal", "subprocess"},
    "randomness": {"random", "secrets"},
}
"""Sources of non-determinism → parts of the standard library that provide them."""

DETERMINISTIC = {
    *("calibration", "evaluation", "exports", "errors", "files", "frames", "locomotion"),
    *("perception", "physics", "protocol", "rendering", "reports", "robots", "scan", "sensors"),
    *("simulation", "tracks", "world"),
}
"""Packages without clocks, sockets, threads, processes or global random state."""


def classes() -> Iterator[tuple[str, str]]:
    """Yield the name of every class and the module that defines it."""
    for name, path in modules().items():
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef):
                yield node.name, name


def test_class_names_are_unique_within_a_package() -> None:
    places = defaultdict(list)
    for name, module in classes():
        places[package(module), name].append(module)
    assert not {name: where for name, where in places.items() if len(where) > 1}


def test_few_class_names_are_used_by_several_packages() -> None:
    """Messages of the protocol may have the name of their sensor."""
    packages = defaultdict(set)
    for name, module in classes():
        if package(module) != "protocol" and not name.startswith("_"):
            packages[name].add(package(module))
    shared = {name: sorted(where) for name, where in packages.items() if len(where) > 1}
    assert len(shared) <= MAX_SHARED_CLASS_NAMES, shared


def test_no_folder_has_too_many_modules() -> None:
    folders = defaultdict(list)
    for path in modules().values():
        if not is_init(path):
            folders[path.parent].append(path.name)
    counts = {str(folder): len(names) for folder, names in folders.items()}
    assert max(counts.values()) <= MAX_MODULES, counts


def test_module_names_have_a_meaning() -> None:
    assert not {part for name in modules() for part in name.split(".")} & EMPTY_NAMES


def test_files_are_short() -> None:
    sizes = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in CODE}
    assert not {name: size for name, size in sizes.items() if size > MAX_LINES}


def test_functions_are_short() -> None:
    long = {}
    for path in CODE:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
                size = node.end_lineno - node.lineno + 1
                if size > MAX_FUNCTION_LINES:
                    long[f"{path.relative_to(ROOT)}:{node.name}"] = size
    assert not long


@pytest.mark.parametrize("init", sorted(SOURCE.rglob("__init__.py")), ids=lambda p: p.parent.name)
def test_packages_have_a_docstring(init: Path) -> None:
    text = ast.get_docstring(tree(init)) or ""
    assert re.match(r"[A-Z].{15,}?[.:]", text, re.DOTALL), f"{init} has no first sentence"


def _exports(init: Path) -> set[str]:
    stub = init.with_suffix(".pyi")
    if not stub.exists():
        return set()
    nodes = [node for node in tree(stub).body if isinstance(node, ast.ImportFrom)]
    return {alias.asname or alias.name for node in nodes for alias in node.names}


@pytest.mark.parametrize("stub", sorted(SOURCE.rglob("__init__.pyi")), ids=lambda p: p.parent.name)
def test_no_module_hides_an_exported_name(stub: Path) -> None:
    assert not _exports(stub) & {path.stem for path in stub.parent.glob("*.py")}


FOUNDATION_MODULES = {f"grouser.{name}" for name in FOUNDATIONS}
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_import_exported_names_only(path: Path) -> None:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            source = node.module or ""
            names = [source]
            if source.count(".") == 1 and source not in FOUNDATION_MODULES:
                used = {alias.name for alias in node.names}
                used -= {n.rpartition(".")[2] for n in modules() if n.startswith(source)}
                exported = _exports(modules().get(source, SOURCE))
                assert used <= exported, f"{source} does not export {used - exported}"
        else:
            continue
        for name in names:
            assert name.split(".")[0] != "grouser" or name.count(".") <= 1, (
                f"{name}: examples import from grouser and its packages"
            )


UNITS = re.compile(
    r"\b(math|np)\.(radians|degrees|deg2rad|rad2deg)\b"
    r"|pi / 180|180(\.0)? / \w+\.pi"
    r"|[*/] (1000(\.0)?|1e3)\b|\b(1000(\.0)?|1e3) \*"
)


def test_sources_have_no_assert_statements() -> None:
    """Types are narrowed by conditions, and mistakes of users raise: `python -O` drops asserts."""
    found = {
        f"{name}:{node.lineno}"
        for name, path in modules().items()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Assert)
    }
    assert not found


def test_units_are_converted_by_frames_only() -> None:
    """The protocol, which imports only the standard library, has conversions of its own."""
    for name, path in modules().items():
        if name != "grouser.frames" and package(name) != "protocol":
            found = UNITS.search(path.read_text())
            assert not found, f"{name}: {found and found.group()}, use grouser.frames"


def external_state(path: Path) -> set[str]:
    """Return the sources of non-determinism that a module imports."""
    tops = {name.split(".")[0] for name in imports(path)}
    return {kind for kind, parts in EXTERNAL_STATE.items() if tops & parts}


@pytest.mark.parametrize("here", sorted(DETERMINISTIC))
def test_deterministic_packages_have_no_clock_socket_thread_or_random_state(here: str) -> None:
    found = {
        name: kinds
        for name, path in modules().items()
        if package(name) == here and (kinds := external_state(path))
    }
    assert not found


def test_no_run_of_lines_occurs_twice() -> None:
    """Assignments at module and class level, such as data tables, do not count."""
    places = defaultdict(list)
    for path in CODE:
        lines = code_lines(path)
        for at in range(len(lines) - DUPLICATE_RUN + 1):
            run = lines[at : at + DUPLICATE_RUN]
            places[tuple(text for _, text in run)].append((path.name, run[0][0], run[-1][0]))
    twice = [where for where in places.values() if len(where) > 1]
    assert not twice, "\n".join(str(where) for where in twice)


def code_lines(path: Path) -> list[tuple[int, str]]:
    """Return the numbered lines of a file without blanks, comments, imports and data tables."""
    left_out: set[int] = set()
    scopes = [tree(path), *(n for n in ast.walk(tree(path)) if isinstance(n, ast.ClassDef))]
    nodes = [node for scope in scopes for node in getattr(scope, "body", [])]
    tables = [node for node in nodes if isinstance(node, ast.Assign | ast.AnnAssign)]
    imported = [n for n in ast.walk(tree(path)) if isinstance(n, ast.Import | ast.ImportFrom)]
    for node in (*tables, *imported):
        left_out |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return [
        (number, " ".join(line.split()))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#") and number not in left_out
    ]


def test_duplicate_lines_are_found(tmp_path: Path) -> None:
    body = "".join(f"    x{i} = {i}\n" for i in range(DUPLICATE_RUN))
    (one := tmp_path / "one.py").write_text(f"def f():\n{body}")
    (two := tmp_path / "two.py").write_text(f"# comment\n\ndef g():\n    import os\n{body}")
    rows = "".join(f"    ({i}, 'row'),\n" for i in range(DUPLICATE_RUN))
    (table := tmp_path / "table.py").write_text(f"T = (\n{rows})\n")
    assert [text for _, text in code_lines(one)[1:]] == [text for _, text in code_lines(two)[1:]]
    assert code_lines(two)[1][0] == 5
    assert not code_lines(table)
