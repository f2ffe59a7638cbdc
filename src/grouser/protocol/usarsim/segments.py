"""The grammar: ``TYPE {Key value} {Key value}``.

Read as loosely as the old servers did: blanks may be anywhere or missing, keys come in any case and
order, of two equal keys the first counts; a last segment that was never closed is left out, what
stands before it counts. Written strictly.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

from grouser.errors import BadValue

Segment = tuple[str, str]
"""Key and value of one pair of braces; the value of ``{Open}`` is empty."""

# Nothing is tried twice (``*+``), so the time is linear whatever a stranger sends.
_SEGMENT = re.compile(r"\{\s*+([^\s{}]*+)\s*+([^{}]*+)\}", re.ASCII)
_AFTER_COMMA = re.compile(r",\s+")
_NAME = re.compile(r"[A-Za-z]\w*", re.ASCII)


@dataclass(slots=True)
class ParsedLine:
    """One line, taken apart."""

    head: str
    """What stands before the first brace, as it was written."""
    segments: list[Segment]
    """In the order of the line."""
    by_key: dict[str, str]
    """The first value of each key, keys in lower case; segments without a value are left out."""

    def named(self) -> str:
        """Return the head in upper case; refuse one that is no name."""
        if not _NAME.fullmatch(self.head):
            raise BadValue(f"a line starts with a name, not with {quoted(self.head)}")
        return self.head.upper()


def parse(text: str) -> ParsedLine:
    """Take a line apart; text between the segments is skipped."""
    before, brace, last = text.rpartition("{")
    if brace and "}" not in last:
        text = before
    segments: list[Segment] = _SEGMENT.findall(text)
    if not len(segments) == text.count("{") == text.count("}"):
        raise BadValue("every '{' needs its own '}'")
    if " }" in text or "\t}" in text:
        segments = [(key, value.rstrip()) for key, value in segments]
    # Backwards, so that of two equal keys the first one stays.
    by_key = {key.lower(): value for key, value in reversed(segments) if value}
    return ParsedLine(text.partition("{")[0].strip(), segments, by_key)


def write(head: str, segments: Iterable[Segment], glued: Container[str] = ()) -> str:
    """Put a line together, without its end.

    Args:
        head: the type of the message.
        segments: keys and values; an empty value gives ``{Key}``.
        glued: keys that are written without a blank before their brace.
    """
    pieces = []
    for key, value in segments:
        blank = "" if key in glued else " "
        pieces.append(f"{blank}{{{key} {value}}}" if value else f"{blank}{{{key}}}")
    line = head + "".join(pieces) if head else "".join(pieces).removeprefix(" ")
    if not line.count("{") == line.count("}") == len(pieces) or "\n" in line or "\r" in line:
        raise BadValue(f"a line cannot hold braces or line ends in a value: {quoted(line)}")
    return line


def unpack_names(segments: Iterable[Segment]) -> Iterator[Segment]:
    """Yield the segments with UT2004's ``{Name F1 Range 4.5}`` taken apart into two."""
    for key, value in segments:
        packed = " " in value and key.lower() == "name"
        words = _AFTER_COMMA.sub(",", value).split() if packed else []
        if len(words) < 3:
            yield key, value
            continue
        yield key, words[0]
        yield from zip(words[1::2], words[2::2], strict=False)


def segment_runs(segments: Iterable[Segment], first: str) -> Iterator[dict[str, str]]:
    """Yield what belongs together in a list: each run of segments that begins with ``first``.

    Segments before the first run are left out. Keys are in lower case.
    """
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


def quoted(text: str) -> str:
    """Return ``text`` quoted for a sentence, shortened if it is long."""
    return repr(text if len(text) <= 40 else f"{text[:37]}...")
