"""Lazy package exports: one list per package, in its ``__init__.pyi``; modules load on first use.

Importing a package's names eagerly would load every module behind them (MuJoCo, numba, OpenCV) and
would make it impossible to import the lower half of a package without its upper half. Type checkers
and editors read the same stub.
"""

from __future__ import annotations

import ast
import importlib
import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any


def attach(
    package: str, file: str, renamed: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return a package's ``__getattr__``, ``__dir__`` and ``__all__``, read from its stub.

    Args:
        package: ``__name__`` of the package.
        file: ``__file__`` of the package; the stub is next to it.
        renamed: deprecated name -> present name, or ``module:name`` if that is not exported. A
            deprecated name works for one release and emits a `DeprecationWarning`.
    """
    origins = _origins(Path(file).with_suffix(".pyi"))
    deprecated = renamed or {}

    def lazy_getattr(name: str) -> Any:
        if name in deprecated:
            module, _, attribute = deprecated[name].rpartition(":")
            text = f"{package}.{name} is deprecated, use {module or package}.{attribute}"
            warnings.warn(text, DeprecationWarning, stacklevel=2)
            return getattr(importlib.import_module(module or package), attribute)
        if name not in origins:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        module, attribute = origins[name]
        value = getattr(importlib.import_module(module), attribute)
        setattr(sys.modules[package], name, value)
        return value

    names = sorted(origins)
    return lazy_getattr, lambda: sorted({*vars(sys.modules[package]), *names}), names


def _origins(stub: Path) -> dict[str, tuple[str, str]]:
    """Return exported name -> (module, name in it) of the imports in a stub."""
    return {
        alias.asname or alias.name: (node.module, alias.name)
        for node in ast.parse(stub.read_text("utf-8")).body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
