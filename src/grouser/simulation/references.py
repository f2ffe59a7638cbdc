"""Pickling with references: objects that the receiver has are not copied."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from typing import Any


def dump(value: object, reference: Callable[[Any], object]) -> bytes:
    """Pickle ``value``; ``reference`` returns the reference for an object, None: it is copied."""
    stream = io.BytesIO()
    _Pickler(stream, reference).dump(value)
    return stream.getvalue()


def load(content: bytes, find: Callable[[Any], Any]) -> Any:
    """Return what `dump` has pickled; ``find`` returns the object of a reference."""
    return _Unpickler(content, find).load()


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
