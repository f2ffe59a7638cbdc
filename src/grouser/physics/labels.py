"""Labels of geoms that sensors recognise: parts of victims and RFID tags.

A label is a MuJoCo tuple: geoms, each with a number, under one name. Objects write labels into the
model and sensors read them, so that neither depends on the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import mujoco

Kind = Literal["victim", "tag"]

PARTS = ("head", "chest", "pelvis", "arm", "hand", "leg", "foot")
"""Parts of a victim (USARSim's names, in lower case); a geom's number is an index into these."""


@dataclass(frozen=True)
class MarkedGeom:
    """One geom that a sensor can recognise."""

    owner: str
    """Name of the object it belongs to."""
    geom: int
    """Its id in the model."""
    number: int
    """Index into `PARTS`, or the tag's number."""


def mark(spec: mujoco.MjSpec, kind: Kind, owner: str, numbers: Mapping[str, int]) -> None:
    """Mark geoms of the object ``owner``, each by its name, with a number."""
    spec.add_tuple(
        name=f"{kind}/{owner}",
        objtype=[mujoco.mjtObj.mjOBJ_GEOM] * len(numbers),
        objname=list(numbers),
        objprm=[float(number) for number in numbers.values()],
    )


def find_marked(model: mujoco.MjModel, kind: Kind) -> tuple[MarkedGeom, ...]:
    """Return all geoms of ``model`` that are marked as ``kind``."""
    found = []
    for entry in range(model.ntuple):
        group, _, owner = model.tuple(entry).name.partition("/")
        if group == kind:
            first = int(model.tuple_adr[entry])
            for place in range(first, first + int(model.tuple_size[entry])):
                number = round(model.tuple_objprm[place])
                found.append(MarkedGeom(owner, int(model.tuple_objid[place]), number))
    return tuple(found)
