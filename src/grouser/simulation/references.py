"""Pickling with references: objects that the receiver has are not copied."""

from __future__ import annotations

import io
import pickle
import pickletools
from collections.abc import Callable
from typing import Any

DESCRIPTIONS = (
    *("grouser.description", "grouser.frames", "grouser.physics", "grouser.sensors"),
    *("grouser.simulation.changes.actions", "grouser.simulation.world_content", "grouser.world"),
)
"""Modules whose classes describe worlds and actions; constructing them has no side effects."""
PLAIN = {
    "builtins": ("bytearray", "complex", "frozenset", "set"),
    "pathlib": ("Path", "PosixPath", "WindowsPath", "PurePosixPath", "PureWindowsPath"),
    "numpy": ("dtype", "ndarray"),
    "numpy._core.multiarray": ("_reconstruct", "scalar"),
    "numpy._core.numeric": ("_frombuffer",),
}
"""Further names that pickles of descriptions contain."""
_MEMO = ("PUT", "BINPUT", "LONG_BINPUT")
"""Codes that store an object under a number."""


def dump(value: object, reference: Callable[[Any], object]) -> bytes:
    """Pickle ``value``; ``reference`` returns the reference for an object, None: it is copied."""
    stream = io.BytesIO()
    _Pickler(stream, reference).dump(value)
    return stream.getvalue()


def load(content: bytes, find: Callable[[Any], Any], *, trusted: bool = True) -> Any:
    """Return what `dump` has pickled; ``find`` returns the object of a reference.

    Args:
        content: the pickle.
        find: returns the object of a reference.
        trusted: False: only descriptions are accepted, so that a pickle from an unknown source
            cannot run code.

    Raises:
        UnpicklingError: the pickle is damaged, or not trusted and no description.
    """
    if trusted:
        return _Unpickler(content, find).load()
    _check_memo(content)
    return _DescriptionUnpickler(content, find).load()


def _check_memo(content: bytes) -> None:
    """Raise `UnpicklingError` if a number of an object would reserve memory without end."""
    try:
        for opcode, argument, _ in pickletools.genops(content):
            if opcode.name in _MEMO and argument is not None and int(argument) > len(content):
                raise pickle.UnpicklingError(f"has no {argument} objects")
    except ValueError as error:
        raise pickle.UnpicklingError(str(error)) from error


class _Pickler(pickle.Pickler):
    def __init__(self, stream: io.BytesIO, reference: Callable[[Any], object]) -> None:
        super().__init__(stream, protocol=pickle.HIGHEST_PROTOCOL)
        self._reference = reference

    def persistent_id(self, obj: Any) -> object:
        """Return the reference for an object; None: it is copied."""
        return self._reference(obj)


class _Unpickler(pickle.Unpickler):
    def __init__(self, content: bytes, find: Callable[[Any], Any]) -> None:
        super().__init__(io.BytesIO(content))
        self._find = find

    def persistent_load(self, pid: Any) -> Any:
        """Return the object of a reference."""
        return self._find(pid)


class _DescriptionUnpickler(_Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        """Return a class of `DESCRIPTIONS` or a name of `PLAIN`."""
        if name in PLAIN.get(module, ()):
            return super().find_class(module, name)
        described = any(module == known or module.startswith(f"{known}.") for known in DESCRIPTIONS)
        found = super().find_class(module, name) if described and "." not in name else None
        if not isinstance(found, type) or found.__module__ != module:
            raise pickle.UnpicklingError(f"{module}.{name} is no description")
        return found
