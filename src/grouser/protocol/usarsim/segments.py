"""Line grammar: ``TYPE {Key value} {Key value}``.

The parser is as tolerant as the original servers: blanks are optional, keys come in any case and
order, the first of two equal keys counts, and an unclosed last segment is dropped. The writer is
strict.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

from grouser.errors import BadValue

Segment = tuple[str, str]
"""Key and value of one pair of braces; the value of ``{Open}`` is empty."""

# Possessive quantifiers (``*+``): no backtracking, so matching takes linear time.
_SEGMENT = re.compile(r"\{\s*+([^\s{}]*+)\s*+([^{}]*+)\}", re.ASCII)
_AFTER_COMMA = re.compile(r",\s+")
_NAME = re.compile(r"[A-Za-z]\w*", re.ASCII)


@dataclass(slots=True)
class ParsedLine:
    """One line, split into message type and segments."""

    head: str
    """Text before the first brace, unchanged."""
    segments: list[Segment]
    """In the order of the line."""
    by_key: dict[str, str]
    """First value of each key, keys in lower case; segments without a value are omitted."""

    def message_type(self) -> str:
        """Return the head in upper case; raise `BadValue` if it is not an identifier."""
        if not _NAME.fullmatch(self.head):
            raise BadValue(f"a line starts with a name, not with {quote_text(self.head)}")
        return self.head.upper()


def parse(text: str) -> ParsedLine:
    """Split a line into segments; text between them is ignored."""
    before, brace, last = text.rpartition("{")
    if brace and "}" not in last:
        text = before
    segments: list[Segment] = _SEGMENT.findall(text)
    if not len(segments) == text.count("{") == text.count("}"):
        raise BadValue("every '{' needs its own '}'")
    if " }" in text or "\t}" in text:
        segments = [(key, value.rstrip()) for key, value in segments]
    # Reversed, so that the first of two equal keys is kept.
    by_key = {key.lower(): value for key, value in reversed(segments) if value}
    return ParsedLine(text.partition("{")[0].strip(), segments, by_key)


def write(head: str, segments: Iterable[Segment], glued: Container[str] = ()) -> str:
    """Join ``head``, which may be empty, and segments to a line without a line end.

    An empty value gives ``{Key}``; ``glued`` keys have no blank before their brace.
    """
    pieces = []
    for key, value in segments:
        blank = "" if key in glued else " "
        pieces.append(f"{blank}{{{key} {value}}}" if value else f"{blank}{{{key}}}")
    line = head + "".join(pieces) if head else "".join(pieces).removeprefix(" ")
    if not line.count("{") == line.count("}") == len(pieces) or "\n" in line or "\r" in line:
        raise BadValue(f"a line cannot hold braces or line ends in a value: {quote_text(line)}")
    return line


def unpack_names(segments: Iterable[Segment]) -> Iterator[Segment]:
    """Yield the segments with UT2004's ``{Name F1 Range 4.5}`` split in two."""
    for key, value in segments:
        packed = " " in value and key.lower() == "name"
        words = _AFTER_COMMA.sub(",", value).split() if packed else []
        if len(words) < 3:
            yield key, value
            continue
        yield key, words[0]
        yield from zip(words[1::2], words[2::2], strict=False)


def segment_runs(segments: Iterable[Segment], first: str) -> Iterator[dict[str, str]]:
    """Yield each run of segments from a key ``first`` to the next, keys in lower case."""
    run: dict[str, str] = {}
    first = first.lower()
    for key, value in segments:
        key = key.lower()
        if key == first:
            if run:
                yield run
            run = {key: value}
        elif run:
            run.setdefault(key, value)
    if run:
        yield run


def quote_text(text: str) -> str:
    """Return ``text`` in quotes for an error message, shortened to 40 characters."""
    return repr(text if len(text) <= 40 else f"{text[:37]}...")
