"""The ground of a world, one kind per file; `TERRAINS` is their table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.world.terrain.convex_pieces import ConvexPieces
    from grouser.world.terrain.double_bridge import DoubleBridge
    from grouser.world.terrain.flat import Flat
    from grouser.world.terrain.fractal_ground import FractalGround
    from grouser.world.terrain.height_map import HeightMap
    from grouser.world.terrain.hurdle import Hurdle
    from grouser.world.terrain.incline import Incline
    from grouser.world.terrain.kinds import TERRAINS, Terrain
    from grouser.world.terrain.league_field import LeagueField
    from grouser.world.terrain.mesh import MeshGround
    from grouser.world.terrain.pitch_roll_ramps import PitchRollRamps
    from grouser.world.terrain.placed_terrain import PlacedTerrain
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

_PLACES = {
    "TERRAINS": "grouser.world.terrain.kinds",
    "ConvexPieces": "grouser.world.terrain.convex_pieces",
    "DoubleBridge": "grouser.world.terrain.double_bridge",
    "Flat": "grouser.world.terrain.flat",
    "FractalGround": "grouser.world.terrain.fractal_ground",
    "HeightMap": "grouser.world.terrain.height_map",
    "Hurdle": "grouser.world.terrain.hurdle",
    "Incline": "grouser.world.terrain.incline",
    "LeagueField": "grouser.world.terrain.league_field",
    "MeshGround": "grouser.world.terrain.mesh",
    "PitchRollRamps": "grouser.world.terrain.pitch_roll_ramps",
    "PlacedTerrain": "grouser.world.terrain.placed_terrain",
    "PlywoodBridge": "grouser.world.terrain.plywood_bridge",
    "PyramidBumps": "grouser.world.terrain.pyramid_bumps",
    "Ramp": "grouser.world.terrain.ramp",
    "Ridge": "grouser.world.terrain.ridge",
    "Rubble": "grouser.world.terrain.rubble",
    "Stairs": "grouser.world.terrain.stairs",
    "Step": "grouser.world.terrain.step",
    "Stepfield": "grouser.world.terrain.stepfield",
    "Terrain": "grouser.world.terrain.kinds",
    "TerrainPiece": "grouser.world.terrain.terrain_piece",
    "Trench": "grouser.world.terrain.trench",
}

__all__ = [
    "TERRAINS",
    "ConvexPieces",
    "DoubleBridge",
    "Flat",
    "FractalGround",
    "HeightMap",
    "Hurdle",
    "Incline",
    "LeagueField",
    "MeshGround",
    "PitchRollRamps",
    "PlacedTerrain",
    "PlywoodBridge",
    "PyramidBumps",
    "Ramp",
    "Ridge",
    "Rubble",
    "Stairs",
    "Step",
    "Stepfield",
    "Terrain",
    "TerrainPiece",
    "Trench",
]

__getattr__ = lazily(__name__, _PLACES)
