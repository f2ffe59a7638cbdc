"""Who may import whom: the seams of the design, enforced (docs/map.md draws them)."""

import sys
from graphlib import CycleError, TopologicalSorter

import pytest
from support.source_tree import (
    BARE,
    MAY_IMPORT,
    PURE,
    imports,
    is_door,
    modules,
    room,
    room_zones,
    zone,
)

PENDING: set[tuple[str, str]] = set()
"""Imports that still point the wrong way: (module, what it imports). Grows never, and must be
empty in the end."""


def allowed(name: str) -> set[str]:
    """Return the zones a module may look into; a room's door opens on all of its room."""
    if not is_door(modules()[name]) or name == "grouser":
        return MAY_IMPORT.get(zone(name), set()) | {zone(name)}
    zones = room_zones(room(name))
    return zones.union(*(MAY_IMPORT[inside] for inside in zones))


@pytest.mark.parametrize("here", sorted(MAY_IMPORT))
def test_imports_stay_inside_the_seams(here):
    for name in sorted(name for name in modules() if zone(name) == here):
        for other in sorted(imports(modules()[name])):
            if other.split(".")[0] == "grouser":
                upwards = zone(other) not in allowed(name) and other != "grouser"
                assert upwards == ((name, other) in PENDING), (
                    f"{name} imports {other}" if upwards else f"{name} no longer imports {other}"
                )
            else:
                _check_outside(here, other)


def _check_outside(here, other):
    """Refuse packages that a zone must do without."""
    top = other.split(".")[0]
    assert here not in PURE or top != "mujoco", f"{here} must not know MuJoCo"
    assert here not in BARE or top in sys.stdlib_module_names, f"{here} imports {other}"


def test_nobody_imports_in_a_circle():
    """Rooms' doors are left out: what they lend out is imported when it is asked for."""
    edges = {
        name: {other for other in imports(path) if other in modules()}
        for name, path in modules().items()
        if not is_door(path)
    }
    try:
        TopologicalSorter(edges).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def test_the_rules_have_no_circle():
    TopologicalSorter({here: below - {here} for here, below in MAY_IMPORT.items()}).prepare()


def test_every_room_and_module_has_its_rule():
    there = {zone(name) for name in modules()} - {""}
    assert there - MAY_IMPORT.keys() == set(), (
        "say whom these may import, in tests/support/source_tree.py"
    )
    assert MAY_IMPORT.keys() - there == set(), "tests/support/source_tree.py names what is gone"
