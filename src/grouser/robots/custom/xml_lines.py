"""XML parser that keeps line numbers; entities are rejected (entity expansion attacks)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from grouser import files
from grouser.errors import BadValue

DEEPEST = 200
"""Largest nesting depth of elements."""
MOST_BYTES = 16_000_000
"""Largest size of a file, bytes."""


@dataclass
class XmlElement:
    """XML element with its line."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[XmlElement] = field(default_factory=list)

    def all(self, tag: str) -> Iterator[XmlElement]:
        """Yield the children called ``tag``."""
        return (child for child in self.children if child.tag == tag)

    def first(self, tag: str) -> XmlElement | None:
        """Return the first child called ``tag``."""
        return next(self.all(tag), None)

    def walk(self) -> Iterator[XmlElement]:
        """Yield this element and all below it."""
        yield self
        for child in self.children:
            yield from child.walk()


def read_xml(path: Path) -> XmlElement:
    """Return the root element of a file."""
    top = XmlElement("", {}, 0)
    stack = [top]
    parser = expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = XmlElement(tag, attributes, parser.CurrentLineNumber)
        if len(stack) > DEEPEST:
            raise BadValue(
                f"{path.name} line {element.line}: elements are nested more than {DEEPEST} deep"
            )
        stack[-1].children.append(element)
        stack.append(element)

    def reject_entity(*_: object) -> None:
        raise BadValue(f"{path.name} line {parser.CurrentLineNumber}: entities are not allowed")

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda tag: stack.pop() and None
    parser.EntityDeclHandler = reject_entity
    try:
        content = files.read_bytes(path, MOST_BYTES)
    except BadValue as error:
        raise BadValue(f"{path}: {error}") from None
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        reason = expat.errors.messages[error.code]
        raise BadValue(f"{path.name} line {error.lineno}: this is not XML ({reason})") from None
    except (ValueError, LookupError) as error:  # an unknown encoding
        if isinstance(error, BadValue):
            raise
        raise BadValue(f"{path.name}: this is not XML ({error})") from None
    return top.children[0]
