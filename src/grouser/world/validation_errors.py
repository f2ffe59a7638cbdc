"""Error messages of world-file validation: one sentence with file, line, key and nearest match.

Of all errors that `pydantic` reports, the first in reading order is reworded.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from grouser.errors import WorldFileError, nearest
from grouser.world.yaml_source import AllowedKeys, KeyPath, Source, SourcePosition, dotted_path

MESSAGES = {
    "float_type": "a number is needed",
    "int_type": "a whole number is needed",
    "int_from_float": "a whole number is needed",
    "float_parsing": "a number is needed",
    "int_parsing": "a whole number is needed",
    "bool_parsing": "true or false is needed",
    "string_type": "text is needed",
    "bool_type": "true or false is needed",
    "dict_type": "a mapping (key: value) is needed",
    "model_type": "a mapping (key: value) is needed",
    "model_attributes_type": "a mapping (key: value) is needed",
    "tuple_type": "a list is needed",
    "list_type": "a list is needed",
    "finite_number": "must be finite",
    "greater_than": "must be more than {gt:g}",
    "greater_than_equal": "must be at least {ge:g}",
    "less_than": "must be less than {lt:g}",
    "less_than_equal": "must be at most {le:g}",
    "too_short": "must have at least {min_length} item(s)",
    "too_long": "must have at most {max_length} item(s)",
    "string_too_short": "must have at least {min_length} character(s)",
    "string_too_long": "must have at most {max_length} character(s)",
    "string_pattern_mismatch": "must be a letter followed by letters, digits, '_' or '-'",
    "mistake": "{sentence}",
}
"""Message templates by pydantic's error type, formatted with the error's context."""


def world_file_error(
    error: ValidationError, source: Source, keys: AllowedKeys, whole: str = "the world"
) -> WorldFileError:
    """Return the first mistake in ``error``, in reading order, as one sentence.

    Args:
        error: raised by validation of ``source.data``.
        source: the data and the positions of its keys.
        keys: allowed keys of each part by its path with ``*`` for list indices and, where a part
            has kinds, the kind: ``"terrain.*.step"``.
        whole: name of the file's subject in messages.
    """
    mistakes = [_Mistake(details, source, whole) for details in error.errors(include_url=False)]
    # A misspelt key is reported as unknown; the missing key that it causes is not reported.
    misspelt = {m.path[:-1] for m in mistakes if m.kind == "extra_forbidden"}
    reported = [m for m in mistakes if m.kind != "missing" or m.path[:-1] not in misspelt]
    # A list of invalid items is also reported as too short; the errors of its items are relevant.
    inside = [m.path for m in reported]
    reported = [
        m
        for m in reported
        if m.kind != "too_short"
        or not any(p[: len(m.path)] == m.path and len(p) > len(m.path) for p in inside)
    ]
    first = min(reported, key=lambda m: m.position)
    return WorldFileError(f"{first.position.text}: {first.sentence(keys)}")


class _Mistake:
    """One pydantic error with its path in the file."""

    def __init__(self, details: ErrorDetails, source: Source, whole: str) -> None:
        self.whole = whole
        self.kind = details["type"]
        self.context: dict[str, Any] = details.get("ctx", {})
        self.source = source
        self.tagged: KeyPath = details["loc"]
        loc = (*self.tagged, *self.context.get("inside", ()))
        if self.kind in ("union_tag_invalid", "union_tag_not_found"):
            loc = (*loc, "kind")
        self.path, self.given = _follow(source.data, loc)

    @property
    def position(self) -> SourcePosition:
        return self.source.position(self.path)

    def sentence(self, keys: AllowedKeys) -> str:
        owner, last = self._owner(), self.path[-1] if self.path else ""
        if self.kind == "extra_forbidden":
            part = ".".join("*" if isinstance(k, int) else k for k in self.tagged[:-1])
            allowed = sorted(keys.get(part, ()))
            hint = nearest(str(last), allowed)
            return f"unknown key {last!r} in {owner}; allowed: {', '.join(allowed)}{hint}"
        if self.kind == "union_tag_not_found" and self.given is None:
            group = f"{self.tagged[0]}.*."
            kinds = [part.removeprefix(group) for part in keys if part.startswith(group)]
            return f"{owner} lacks 'kind'; allowed: {', '.join(kinds)}"
        if self.kind == "missing":
            if isinstance(last, int):  # too few items for a fixed-length tuple
                _, items = _follow(self.source.data, self.path[:-1])
                where = dotted_path(self.path[:-1])
                return f"{where} is {display_value(items)}, more numbers are needed"
            return f"{owner} lacks '{last}'"
        if not self.path:  # the given value is the whole file, which is not printed
            return f"{self.whole} {self._requirement()}"
        if self.kind == "mistake" and isinstance(self.given, dict):
            return f"{dotted_path(self.path)} {self._requirement()}"
        return f"{dotted_path(self.path)} is {display_value(self.given)}, {self._requirement()}"

    def _requirement(self) -> str:
        if self.kind in ("literal_error", "union_tag_invalid"):
            listing = str(self.context.get("expected") or self.context.get("expected_tags"))
            names = listing.replace(" or ", ", ").replace("'", "").split(", ")
            return f"allowed: {', '.join(names)}{nearest(str(self.given), names)}"
        template = MESSAGES.get(self.kind)
        return template.format(**self.context) if template else self.kind.replace("_", " ")

    def _owner(self) -> str:
        path = self.path[:-1]
        if not path:
            return self.whole
        _, part = _follow(self.source.data, path)
        kind = part.get("kind") if isinstance(part, dict) else None
        return f"{dotted_path(path)} ({kind})" if isinstance(kind, str) else dotted_path(path)


def _follow(data: Any, loc: Iterable[str | int]) -> tuple[KeyPath, Any]:
    """Return the path in the file that corresponds to pydantic's ``loc``, and the value there."""
    # ``loc`` also contains the kind of a discriminated part, which is no level of the file.
    path: KeyPath = ()
    for part in loc:
        if isinstance(data, dict):
            if part not in data and part == data.get("kind"):
                continue
            data = data.get(part)
        elif isinstance(data, list) and isinstance(part, int) and part < len(data):
            data = data[part]
        else:
            data = None
        path = (*path, part)
    return path, data


def display_value(value: Any) -> str:
    """Return ``value`` in YAML spelling, on one line of at most 60 characters."""
    if value is None:
        return "empty"
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
