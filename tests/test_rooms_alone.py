"""Every room can be imported where all that is above it does not exist: nothing reaches up.

`tests/test_layers.py` reads what modules import; here they are imported, so that tables of module
names, imports by string and what rooms' doors lend out count as well.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.source_tree import BARE, MAY_IMPORT, PURE, is_door, modules, room, room_zones, zone

THIRD_PARTY = ["cv2", "matplotlib", "mujoco", "numba", "numpy", "pydantic", "rich", "typer", "yaml"]


def below(zones):
    """Return the zones that ``zones`` may look into, and those that these may, and so on."""
    seen, ahead = {"exports"}, set().union(*(MAY_IMPORT[here] for here in zones))
    while ahead:
        seen |= ahead
        ahead = set().union(*(MAY_IMPORT[here] for here in ahead)) - seen
    return seen


def job(zones, allowed):
    """Return what to import for ``zones``, and all that does not exist meanwhile."""
    inside = [name for name in modules() if zone(name) in zones]
    whole_room = zones == room_zones(next(iter(zones)).split(".")[0])
    absent = [name for name in modules() if zone(name) not in zones | allowed and name != "grouser"]
    # A package around a sub-room has to be there for the sub-room to be found; its door is lazy.
    reached = [*inside, *(f"grouser.{below}" for below in allowed)]
    around = {".".join(name.split(".")[:end]) for name in reached for end in (1, 2)}
    if zones <= BARE:
        absent += THIRD_PARTY
    elif zones <= PURE:
        absent.append("mujoco")
    return {
        "modules": inside,
        "exports": [name for name in inside if whole_room and is_door(modules()[name])],
        "absent": sorted(set(absent) - around),
    }


def jobs():
    """Return a job per zone, and one per room that has several of them."""
    every = {here: job({here}, below({here})) for here in MAY_IMPORT if here != "__main__"}
    for name in {room(module) for module in modules()} - {"", "__main__"}:
        zones = room_zones(name)
        if len(zones) > 1:
            every[f"all of {name}"] = job(zones, below(zones))
    return every


@pytest.mark.skipif(not hasattr(os, "fork"), reason="rooms are imported in forks")
def test_every_room_can_be_imported_with_all_rooms_above_it_absent():
    program = Path(__file__).parent / "support" / "isolated_imports.py"
    done = subprocess.run(
        [sys.executable, str(program)],
        input=json.dumps(jobs()),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="rooms are imported in forks")
def test_a_room_that_reaches_up_is_found_out():
    up = {"robots": job({"robots"}, below({"robots"}) - {"tracks"})}
    program = Path(__file__).parent / "support" / "isolated_imports.py"
    done = subprocess.run(
        [sys.executable, str(program)], input=json.dumps(up), capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "grouser.tracks" in done.stdout
    assert "reaches up" in done.stdout
