"""What a room lends out, imported when it is first used.

A room's ``__init__`` names what users import from it. Imported at once, these names would drag
every module of the room (MuJoCo, numba, OpenCV) into whoever wants one of them, and a room's lower
half could not be imported without its upper half.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazily(room: str, places: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a module's ``__getattr__`` that imports exported names when they are asked for.

    Args:
        room: the module that exports, its ``__name__``.
        places: exported name → module it lives in; ``module:name`` where it has another name there.
    """

    def find(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module '{room}' has no attribute '{name}'")
        module, _, attribute = places[name].partition(":")
        value = getattr(importlib.import_module(module), attribute or name)
        setattr(sys.modules[room], name, value)
        return value

    return find
