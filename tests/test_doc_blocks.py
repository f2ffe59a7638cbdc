"""Commands and code blocks of README and docs work as printed."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from support.doc_blocks import (
    LANGUAGES,
    PAGES,
    SHOWN_LANGUAGES,
    Block,
    blocks,
    commands,
    file_name,
    grouser_arguments,
    inline_commands,
)
from support.source_tree import ROOT

from grouser.cli import app
from grouser.robots.custom.robot_file import RobotFile
from grouser.world.file import parse

GROUP = typer.main.get_group(app)
RUNNER = Path(__file__).parent / "support" / "doc_runner.py"
ALL = [block for page in PAGES for block in blocks(page)]
LINES = [
    *(
        (block.location, line)
        for block in ALL
        if block.language == "sh"
        for line in commands(block)
    ),
    *((str(page.relative_to(ROOT)), line) for page in PAGES for line in inline_commands(page)),
]
RUN = [
    page for page in PAGES if any(block.runs and block.language != "yaml" for block in blocks(page))
]


def parametrize_pages(pages: list[Path]) -> pytest.MarkDecorator:
    """Return a decorator that runs a test for each page."""
    return pytest.mark.parametrize("page", pages, ids=lambda page: str(page.relative_to(ROOT)))


def test_every_block_has_a_language_or_a_reason_to_skip() -> None:
    for block in ALL:
        assert block.language in LANGUAGES, f"{block.location}: its language is {block.language!r}"
        assert not (block.reason and block.language in SHOWN_LANGUAGES), (
            f"{block.location}: is never run"
        )
        assert not block.reason or len(block.reason) > 10, (
            f"{block.location}: the reason is too short"
        )


@pytest.mark.parametrize(("place", "line"), LINES, ids=[f"{p} {c[:50]}" for p, c in LINES])
def test_options_in_documented_commands_exist(place: str, line: str) -> None:
    """Commands of blocks are parsed; of commands in the text, only options are checked."""
    arguments = grouser_arguments(line)
    if arguments is None or any("…" in word for word in arguments):
        return
    command = GROUP.commands.get(arguments[0])
    assert command is not None, f"{place}: there is no command {arguments[0]}"
    if ":" in place:
        command.make_context(arguments[0], arguments[1:])
        return
    known = {option for parameter in command.params for option in parameter.opts}
    known |= {option for parameter in command.params for option in parameter.secondary_opts}
    used = {word.partition("=")[0] for word in arguments if word.startswith("--")}
    assert used <= known | {"--help"}, f"{place}: {line}"


PART = {"name": "part", "terrain": [{"kind": "flat"}]}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_yaml_blocks_load_as_worlds(page: Path, tmp_path: Path) -> None:
    """Complete files are loaded; the parts of a page are merged, with a name and a plane added."""
    whole: list[tuple[Block, Path | None]] = []
    parts: dict[str, Any] = {}
    for block in blocks(page):
        if block.language == "yaml" and not block.reason:
            content = yaml.safe_load(block.text)
            place = tmp_path / file_name(block)
            if file_name(block):
                place.parent.mkdir(exist_ok=True)
                place.write_text(block.text, encoding="utf-8")
            if {"name", "terrain"} <= set(content):
                whole.append((block, place.parent if file_name(block) else None))
            elif file_name(block):
                RobotFile.model_validate(content)
            else:
                parts |= content
    for block, folder in whole:
        parse(block.text, where=block.location, folder=folder)
    if parts:
        parse(yaml.safe_dump(PART | parts, sort_keys=False), where=page.name)


@pytest.mark.slow
@parametrize_pages(RUN)
def test_code_blocks_of_a_page_run(page: Path, tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    ran = subprocess.run(
        [sys.executable, str(RUNNER), str(page)],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert ran.returncode == 0, f"{ran.stdout[-3000:]}\n{ran.stderr[-3000:]}"


README = ROOT / "README.md"
SERVERS = {"serve", "motors", "control"}
"""Commands that run until Ctrl-C."""


@pytest.mark.slow
@pytest.mark.parametrize("command", inline_commands(README))
def test_inline_commands_of_the_readme_run(command: str, tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    if command.startswith("grouser view"):
        pytest.skip("opens a window; tested separately with a display")
    if command.split()[1] in SERVERS:
        command = f"timeout --signal=INT 60 {command} | grep -m1 listening"
    ran = subprocess.run(
        ["bash", "-c", command],
        cwd=tmp_path,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert ran.returncode == 0, f"{ran.stdout[-3000:]}\n{ran.stderr[-3000:]}"


def environment() -> dict[str, str]:
    """Return the environment with the commands of this Python first in the path."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return os.environ | {"PATH": path, "PYTHONIOENCODING": "utf-8"}
