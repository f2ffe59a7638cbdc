"""Fenced blocks and commands of a documentation page.

The languages of blocks are ``sh``, ``python``, ``yaml`` (a world file, or parts of one, or a robot
file that is saved), ``toml`` and ``text`` (output of a program, never run). A block that is not to
be run states the reason after its language::

    ```sh not run: needs a second machine
"""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from support.source_tree import ROOT

RUN_LANGUAGES, SHOWN_LANGUAGES = {"sh", "python", "yaml"}, {"text", "toml", "c", "json5"}
"""Languages that are run, and those that are only shown."""
LANGUAGES = RUN_LANGUAGES | SHOWN_LANGUAGES
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"])

_FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```\s*$", re.MULTILINE | re.DOTALL)
_NOT_RUN = "not run:"
_INLINE = re.compile(r"`(grouser [^`\n]+|python examples/[^`\n]+)`")


@dataclass(frozen=True)
class Block:
    """One fenced block."""

    page: Path
    line: int
    language: str
    text: str
    reason: str
    """Reason why the block is not run; empty if it is run."""

    @property
    def runs(self) -> bool:
        """True if the block is run."""
        return self.language in RUN_LANGUAGES and not self.reason

    @property
    def location(self) -> str:
        """Page and line number."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    found = []
    for fence in _FENCE.finditer(text):
        info = fence["info"].strip()
        language, _, rest = info.partition(" ")
        reason = rest.partition(_NOT_RUN)[2].strip() if _NOT_RUN in rest else ""
        line = text.count("\n", 0, fence.start()) + 1
        found.append(Block(page, line, language, fence["text"], reason))
    return found


def file_name(block: Block) -> str:
    """Return the path under which a world, robot or Python file is to be saved, or ""."""
    first_line = re.match(r"# ([\w/]+\.(?:yaml|py))\n", block.text)
    return first_line[1] if first_line else ""


def inline_commands(page: Path) -> list[str]:
    """Return the commands in the text of a page, such as those of README's table."""
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    return [" ".join(command.split()) for command in _INLINE.findall(text)]


def commands(block: Block) -> list[str]:
    """Return the lines of a shell block without comments; continued lines are joined."""
    lines = block.text.replace("\\\n", " ").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]


def grouser_arguments(command: str) -> list[str] | None:
    """Return the arguments of a ``grouser`` command, or None for another program."""
    words = shlex.split(command, comments=True)
    while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
        words = words[1:]
    if not words or words[0] != "grouser":
        return None
    for mark in ("&", "<", "|", "||", ">", "&&", ";"):
        words = words[: words.index(mark)] if mark in words else words
    return words[1:]
