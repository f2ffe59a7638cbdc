"""Exports of packages: present names, deprecated names, names that moved to their module."""

import ast
import importlib
from collections.abc import Iterator

import pytest
from support.source_tree import is_init, modules

import grouser


def packages() -> Iterator[str]:
    """Yield every package with exports."""
    for name, path in modules().items():
        if is_init(path) and "attach(" in path.read_text("utf-8"):
            yield name


@pytest.mark.parametrize("package", list(packages()))
def test_every_exported_name_exists_and_is_listed(package: str) -> None:
    module = importlib.import_module(package)
    for name in module.__all__:
        assert getattr(module, name) is not None
        assert name in dir(module)


@pytest.mark.parametrize(
    ("package", "name"),
    [
        ("grouser.world", "Physics"),
        ("grouser.trials", "run"),
        ("grouser.client", "connect"),
        ("grouser.experiments", "RunOptions"),
        ("grouser.physics", "angle"),
        ("grouser.robots", "describe"),
        ("grouser.tracks", "TRACKS"),
    ],
)
def test_names_of_the_last_release_warn_and_work(package: str, name: str) -> None:
    module = importlib.import_module(package)
    with pytest.warns(DeprecationWarning, match=rf"{package}\.{name} is deprecated"):
        assert getattr(module, name) is not None


def renamed_names() -> Iterator[tuple[str, str]]:
    """Yield package and name of every entry of the tables of renamed names."""
    for package in packages():
        for call in ast.walk(ast.parse(modules()[package].read_text("utf-8"))):
            if isinstance(call, ast.keyword) and call.arg == "renamed":
                yield from ((package, name) for name in ast.literal_eval(call.value))


@pytest.mark.parametrize(("package", "name"), list(renamed_names()))
def test_renamed_names_warn_and_work(package: str, name: str) -> None:
    test_names_of_the_last_release_warn_and_work(package, name)


@pytest.mark.parametrize("name", ["nothing_of_this_name", "_private", "Simulation"])
def test_unknown_names_are_attribute_errors_without_a_warning(name: str) -> None:
    service = importlib.import_module("grouser.service")
    with pytest.raises(AttributeError, match=name):  # warnings are errors in tests
        getattr(service, name)


def test_the_package_itself_has_no_hidden_names() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Compliance'"):
        grouser.Compliance  # type: ignore[attr-defined]  # noqa: B018
