"""SciPy, where it is installed: an extra, since driving alone needs none of it."""

from __future__ import annotations

import importlib
from typing import Any

from grouser.errors import missing_extra


def scipy_part(name: str) -> Any:
    """Return the module ``scipy.{name}``, such as ``ndimage``."""
    try:
        return importlib.import_module(f"scipy.{name}")
    except ImportError as error:
        raise missing_extra("planning needs SciPy", "plan") from error
