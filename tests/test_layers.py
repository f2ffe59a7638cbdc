"""Import rules between packages (`tests/support/source_tree.py` has the table)."""

import sys
from graphlib import CycleError, TopologicalSorter

import pytest
from support.source_tree import (
    BARE,
    MAY_IMPORT,
    PURE,
    imports,
    is_init,
    modules,
    package,
    package_zones,
    zone,
)


def allowed_zones(name: str) -> set[str]:
    """Return the zones that a module may import; an ``__init__`` may import its whole package."""
    if not is_init(modules()[name]) or name == "grouser":
        return MAY_IMPORT.get(zone(name), set()) | {zone(name)}
    zones = package_zones(package(name))
    return zones.union(*(MAY_IMPORT[inside] for inside in zones))


@pytest.mark.parametrize("here", sorted(MAY_IMPORT))
def test_packages_import_lower_layers_only(here: str) -> None:
    for name in sorted(name for name in modules() if zone(name) == here):
        for other in sorted(imports(modules()[name])):
            if other.split(".")[0] == "grouser":
                assert zone(other) in allowed_zones(name) or other == "grouser", (
                    f"{name} imports {other}"
                )
            else:
                _check_third_party(here, other)


def _check_third_party(here: str, other: str) -> None:
    """Fail for a third-party package that a zone must not import."""
    top = other.split(".")[0]
    assert here not in PURE or top != "mujoco", f"{here} imports MuJoCo"
    assert here not in BARE or top in sys.stdlib_module_names, f"{here} imports {other}"


def test_there_is_no_import_cycle() -> None:
    """Package ``__init__`` files are left out: they import on first use."""
    edges = {
        name: {other for other in imports(path) if other in modules()}
        for name, path in modules().items()
        if not is_init(path)
    }
    try:
        TopologicalSorter(edges).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def test_import_rules_have_no_cycle() -> None:
    TopologicalSorter({here: below - {here} for here, below in MAY_IMPORT.items()}).prepare()


def test_every_module_has_an_import_rule() -> None:
    there = {zone(name) for name in modules()} - {""}
    assert there - MAY_IMPORT.keys() == set(), "no rule in tests/support/source_tree.py"
    assert MAY_IMPORT.keys() - there == set(), "rule without a module"
