"""Generate the package map: layers, packages and modules with the first sentence of each docstring.

``make docs`` adds it to the site as ``map.md``; ``python tools/package_map.py`` prints it.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "grouser"

EXTERNAL_STATE = {
    "clock": {"datetime", "time"},
    "sockets": {"asyncio", "select", "selectors", "socket", "socketserver", "ssl"},
    "threads": {"_thread", "concurrent", "threading"},
    "processes": {"multiprocessing", "signal", "subprocess"},
}

HEADER = """\
# Package map

This page is generated from the module docstrings by `tools/package_map.py` (`make docs`).

A package imports only packages on lower lines; `tests/test_layers.py` enforces this.

```text
7  experiments, benches, cli
6  gateways
5  service
4  trials < mobility, calibration
3  simulation
2  robots
1  world, tracks, locomotion, rendering < sensors
0  physics, errors, frames, files, tls, protocol
beside: client -> protocol, frames, tls, planning.driver;  planning -> frames
        scan -> frames, world;  perception, evaluation -> numpy;  reports -> evaluation
```
"""


def first_sentence(path: Path) -> str:
    """Return the first sentence of the docstring of a module, without its full stop."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    paragraph = " ".join(text.split("\n\n")[0].split())
    sentence = paragraph.split(". ")[0].removesuffix(".").removesuffix("::")
    return sentence.replace("``", "`").replace("|", "\\|")


def imported_names(path: Path) -> set[str]:
    """Return the top-level packages that a module imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.split(".")[0])
    return names


def page() -> str:
    """Return the page as Markdown."""
    lines = [HEADER]
    modules = sorted(path for path in SOURCE.glob("*.py") if path.name != "__init__.py")
    lines += ["## Foundations", "", *_rows(modules)]
    for init in sorted(SOURCE.rglob("__init__.py")):
        if init.parent == SOURCE:
            continue
        name = ".".join(init.parent.relative_to(SOURCE).parts)
        level = "#" * (2 + name.count("."))
        modules = sorted(path for path in init.parent.glob("*.py") if path != init)
        lines += ["", f"{level} {name}", "", f"{first_sentence(init)}.", "", *_rows(modules)]
    lines += ["", "## Clocks, sockets, threads and processes", ""]
    lines += ["All other modules are deterministic functions of their input.", ""]
    lines += ["| module | uses |", "| --- | --- |"]
    for path in sorted(SOURCE.rglob("*.py")):
        names = imported_names(path)
        kinds = [kind for kind, parts in EXTERNAL_STATE.items() if names & parts]
        if kinds:
            lines.append(f"| `{path.relative_to(SOURCE).as_posix()}` | {', '.join(kinds)} |")
    return "\n".join(lines) + "\n"


def _rows(modules: list[Path]) -> list[str]:
    if not modules:
        return []
    rows = [f"| `{path.name}` | {first_sentence(path)} |" for path in modules]
    return ["| module | contents |", "| --- | --- |", *rows]


if __name__ == "__main__":
    sys.stdout.write(page())
