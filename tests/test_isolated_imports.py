"""Every package can be imported while all packages above it are absent.

`tests/test_layers.py` reads import statements; here modules are imported, so that tables of module
names, imports by string and lazy exports count as well.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.source_tree import (
    BARE,
    MAY_IMPORT,
    PURE,
    is_init,
    modules,
    package,
    package_zones,
    zone,
)

THIRD_PARTY = ["cv2", "matplotlib", "mujoco", "numba", "numpy", "pydantic", "rich", "typer", "yaml"]


def below(zones: set[str]) -> set[str]:
    """Return the transitive closure of the zones that ``zones`` may import."""
    seen, ahead = {"exports"}, set().union(*(MAY_IMPORT[here] for here in zones))
    while ahead:
        seen |= ahead
        ahead = set().union(*(MAY_IMPORT[here] for here in ahead)) - seen
    return seen


def job(zones: set[str], allowed: set[str]) -> dict[str, list[str]]:
    """Return the modules to import for ``zones`` and the modules that are absent meanwhile."""
    inside = [name for name in modules() if zone(name) in zones]
    whole_package = zones == package_zones(next(iter(zones)).split(".")[0])
    absent = [name for name in modules() if zone(name) not in zones | allowed and name != "grouser"]
    # The package around a sub-package must exist for the import; its __init__ is lazy.
    reached = [*inside, *(f"grouser.{below}" for below in allowed)]
    around = {".".join(name.split(".")[:end]) for name in reached for end in (1, 2)}
    if zones <= BARE:
        absent += THIRD_PARTY
    elif zones <= PURE:
        absent.append("mujoco")
    return {
        "modules": inside,
        "exports": [name for name in inside if whole_package and is_init(modules()[name])],
        "absent": sorted(set(absent) - around),
    }


def jobs() -> dict[str, dict[str, list[str]]]:
    """Return a job per zone, and one per package that has several zones."""
    every = {here: job({here}, below({here})) for here in MAY_IMPORT if here != "__main__"}
    for name in {package(module) for module in modules()} - {"", "__main__"}:
        zones = package_zones(name)
        if len(zones) > 1:
            every[f"all of {name}"] = job(zones, below(zones))
    return every


@pytest.mark.skipif(not hasattr(os, "fork"), reason="packages are imported in forks")
def test_every_package_imports_with_all_higher_packages_absent() -> None:
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


@pytest.mark.skipif(not hasattr(os, "fork"), reason="packages are imported in forks")
def test_import_of_a_higher_package_is_detected() -> None:
    up = {"robots": job({"robots"}, below({"robots"}) - {"tracks"})}
    program = Path(__file__).parent / "support" / "isolated_imports.py"
    done = subprocess.run(
        [sys.executable, str(program)], input=json.dumps(up), capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "grouser.tracks" in done.stdout
    assert "absent here" in done.stdout
