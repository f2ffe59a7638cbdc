"""Lazy package exports: one list per package, in its ``__init__.pyi``; modules load on first use.

Importing a package's names eagerly would load every module behind them (MuJoCo, numba, OpenCV) and
would make it impossible to import the lower half of a package without its upper half. Type checkers
and editors read the same stub.
"""

from __future__ import annotations

import ast
import importlib
import re
import sys
import warnings
from collections.abc import Callable, Mapping
from inspect import ismodule
from pathlib import Path
from typing import Any


def attach(
    package: str, file: str, renamed: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return a package's ``__getattr__``, ``__dir__`` and ``__all__``.

    Exports are read from the package's stub; without one it exports nothing.

    Args:
        package: ``__name__`` of the package.
        file: ``__file__`` of the package; the stub is next to it.
        renamed: deprecated name -> present name, or ``module:name`` if that is not exported.

    For one release, deprecated names and public names of the package's modules that are not
    exported are found as well; they emit a `DeprecationWarning`.
    """
    stub = Path(file).with_suffix(".pyi")
    origins = _origins(stub) if stub.exists() else {}
    deprecated = renamed or {}

    def lazy_getattr(name: str) -> Any:
        if name in deprecated:
            module, _, attribute = deprecated[name].rpartition(":")
            text = f"{package}.{name} is deprecated, use {module or package}.{attribute}"
            warnings.warn(text, DeprecationWarning, stacklevel=2)
            return getattr(importlib.import_module(module or package), attribute)
        if name not in origins:
            origin = _defining_module(package, Path(file).parent, name)
            if origin is None:
                raise AttributeError(f"module '{package}' has no attribute '{name}'")
            text = f"{package}.{name} is deprecated, import it from {origin}"
            warnings.warn(text, DeprecationWarning, stacklevel=2)
            return getattr(importlib.import_module(origin), name)
        module, attribute = origins[name]
        value = getattr(importlib.import_module(module), attribute)
        setattr(sys.modules[package], name, value)
        return value

    names = sorted(origins)

    def names_for_completion() -> list[str]:
        """Return exports and loaded modules; helpers that the package imports are left out."""
        own = vars(sys.modules[package]).items()
        shown = {name for name, value in own if name.startswith("__") or ismodule(value)}
        return sorted({*shown, *names})

    return lazy_getattr, names_for_completion, names


def _origins(stub: Path) -> dict[str, tuple[str, str]]:
    """Return exported name -> (module, name in it) of the imports in a stub."""
    return {
        alias.asname or alias.name: (node.module, alias.name)
        for node in ast.parse(stub.read_text("utf-8")).body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


def _defining_module(package: str, folder: Path, name: str) -> str | None:
    """Return the only module below ``folder`` that defines the public ``name``; None: none."""
    if name.startswith("_") or package == "grouser" or (folder / name).with_suffix(".py").exists():
        return None
    defines = re.compile(rf"^(?:class|def|async def) {name}\b|^{name}\b[^=(\n]*=", re.MULTILINE)
    found = [
        path
        for path in folder.rglob("*.py")
        if path.name != "__init__.py" and defines.search(path.read_text("utf-8"))
    ]
    if len(found) != 1:
        return None
    return ".".join((package, *found[0].relative_to(folder).with_suffix("").parts))
