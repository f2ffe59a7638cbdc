"""Table of all kinds of terrain, including plug-ins; a new kind is a file here and a table line.

Kinds of the standard test methods for response robots: gaps (ASTM E2801) are a `Trench`, hurdles
(E2802), inclined planes (E2803), `Stairs` (E2804), continuous and crossing pitch/roll ramps (E2826,
E2827), stepfields (E2828).

Plug-ins: a package registers its kinds in its ``pyproject.toml``::

    [project.entry-points."grouser.terrains"]
    crater = "moon:Crater"

``Crater`` is a `TerrainPiece` whose ``kind`` is ``crater``. A package that cannot be loaded causes
an error only in world files that use its kind.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Collection
from importlib import metadata
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from pydantic import Field, create_model, model_validator

from grouser import plugins
from grouser.description import mistake
from grouser.world.terrain.convex_pieces import ConvexPieces
from grouser.world.terrain.double_bridge import DoubleBridge
from grouser.world.terrain.flat import Flat
from grouser.world.terrain.fractal_ground import FractalGround
from grouser.world.terrain.height_map import HeightMap
from grouser.world.terrain.hurdle import Hurdle
from grouser.world.terrain.incline import Incline
from grouser.world.terrain.league_field import LeagueField
from grouser.world.terrain.mesh import MeshGround
from grouser.world.terrain.pitch_roll_ramps import PitchRollRamps
from grouser.world.terrain.plywood_bridge import PlywoodBridge
from grouser.world.terrain.pyramid_bumps import PyramidBumps
from grouser.world.terrain.ramp import Ramp
from grouser.world.terrain.ridge import Ridge
from grouser.world.terrain.rubble import Rubble
from grouser.world.terrain.stairs import Stairs
from grouser.world.terrain.step import Step
from grouser.world.terrain.stepfield import Stepfield
from grouser.world.terrain.terrain_piece import TerrainPiece
from grouser.world.terrain.trench import Trench


def plugin_terrains(taken: Collection[str]) -> dict[str, type[TerrainPiece]]:
    """Return the terrain kinds of all installed packages, except names that are ``taken``."""
    kinds: dict[str, type[TerrainPiece]] = {}
    for entry in plugins.entry_points(plugins.TERRAINS, frozenset(taken)).values():
        try:
            kinds[entry.name] = plugins.check_kind(entry.load(), TerrainPiece, entry.name)
        except Exception as error:  # importing a plug-in may raise anything
            kinds[entry.name] = _unusable(entry, error)
    return kinds


def _unusable(entry: metadata.EntryPoint, error: Exception) -> type[TerrainPiece]:
    """Return a kind whose validation fails with the reason for the import error."""
    why = plugins.reason(error)

    def refuse(value: Any) -> Any:
        raise mistake(f"comes from {entry.value}, which cannot be used ({why})", "kind")

    kind: type[TerrainPiece] = create_model(
        "UnusableTerrain",
        __base__=TerrainPiece,
        __doc__=f"Cannot be used: {why}",
        __validators__={"refuse": model_validator(mode="before")(refuse)},  # type: ignore[dict-item]
        kind=(cast(Any, Literal[entry.name]), entry.name),
    )
    return kind


TERRAINS: dict[str, type[TerrainPiece]] = {
    "flat": Flat,
    "step": Step,
    "trench": Trench,
    "ramp": Ramp,
    "stairs": Stairs,
    "ridge": Ridge,
    "hurdle": Hurdle,
    "incline": Incline,
    "pitch_roll_ramps": PitchRollRamps,
    "stepfield": Stepfield,
    "league_field": LeagueField,
    "double_bridge": DoubleBridge,
    "pyramid_bumps": PyramidBumps,
    "plywood_bridge": PlywoodBridge,
    "rubble": Rubble,
    "fractal_ground": FractalGround,
    "height_map": HeightMap,
    "mesh": MeshGround,
    "convex_pieces": ConvexPieces,
}
"""Kinds of terrain by their name in world files."""

TERRAINS |= plugin_terrains(TERRAINS)

if TYPE_CHECKING:
    Terrain = TerrainPiece
else:
    _Any = functools.reduce(operator.or_, TERRAINS.values())
    Terrain = Annotated[_Any, Field(discriminator="kind")]
"""Union of all kinds, discriminated by ``kind``."""
