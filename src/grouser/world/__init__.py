"""What is there: ground, objects, events and the world file that says so; no robot, no sensor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.world.door import Door
    from grouser.world.events import Choice, Event
    from grouser.world.file import RobotEntry, Start, View, World, load, parse, shipped
    from grouser.world.lamp import Lamp
    from grouser.world.match import Match, Player, Team
    from grouser.world.mesh_object import Mesh
    from grouser.world.meshes.decomposition import Decomposition, decompose
    from grouser.world.objects import OBJECTS, Ball, Box, Cylinder, Tag, Victim
    from grouser.world.physics_settings import STANDARD, Contact, Physics
    from grouser.world.radio import RadioModel
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
    from grouser.world.triggers import TRIGGERS, BoxTrigger, CylinderTrigger, SphereTrigger

_PLACES = {
    "OBJECTS": "grouser.world.objects",
    "STANDARD": "grouser.world.physics_settings",
    "TERRAINS": "grouser.world.terrain.kinds",
    "TRIGGERS": "grouser.world.triggers",
    "Ball": "grouser.world.objects",
    "Box": "grouser.world.objects",
    "BoxTrigger": "grouser.world.triggers",
    "Choice": "grouser.world.events",
    "Contact": "grouser.world.physics_settings",
    "Cylinder": "grouser.world.objects",
    "CylinderTrigger": "grouser.world.triggers",
    "Door": "grouser.world.door",
    "Decomposition": "grouser.world.meshes.decomposition",
    "DoubleBridge": "grouser.world.terrain.double_bridge",
    "Event": "grouser.world.events",
    "Flat": "grouser.world.terrain.flat",
    "FractalGround": "grouser.world.terrain.fractal_ground",
    "HeightMap": "grouser.world.terrain.height_map",
    "Hurdle": "grouser.world.terrain.hurdle",
    "Incline": "grouser.world.terrain.incline",
    "Lamp": "grouser.world.lamp",
    "LeagueField": "grouser.world.terrain.league_field",
    "Match": "grouser.world.match",
    "Mesh": "grouser.world.mesh_object",
    "MeshGround": "grouser.world.terrain.mesh",
    "Physics": "grouser.world.physics_settings",
    "PitchRollRamps": "grouser.world.terrain.pitch_roll_ramps",
    "PlacedTerrain": "grouser.world.terrain.placed_terrain",
    "Player": "grouser.world.match",
    "PlywoodBridge": "grouser.world.terrain.plywood_bridge",
    "PyramidBumps": "grouser.world.terrain.pyramid_bumps",
    "RadioModel": "grouser.world.radio",
    "Ramp": "grouser.world.terrain.ramp",
    "Ridge": "grouser.world.terrain.ridge",
    "RobotEntry": "grouser.world.file",
    "Rubble": "grouser.world.terrain.rubble",
    "SphereTrigger": "grouser.world.triggers",
    "Stairs": "grouser.world.terrain.stairs",
    "Start": "grouser.world.file",
    "Step": "grouser.world.terrain.step",
    "Stepfield": "grouser.world.terrain.stepfield",
    "Tag": "grouser.world.objects",
    "Team": "grouser.world.match",
    "Terrain": "grouser.world.terrain.kinds",
    "TerrainPiece": "grouser.world.terrain.terrain_piece",
    "Trench": "grouser.world.terrain.trench",
    "Victim": "grouser.world.objects",
    "View": "grouser.world.file",
    "World": "grouser.world.file",
    "decompose": "grouser.world.meshes.decomposition",
    "load": "grouser.world.file",
    "parse": "grouser.world.file",
    "shipped": "grouser.world.file",
}

__all__ = [
    "OBJECTS",
    "STANDARD",
    "TERRAINS",
    "TRIGGERS",
    "Ball",
    "Box",
    "BoxTrigger",
    "Choice",
    "Contact",
    "Cylinder",
    "CylinderTrigger",
    "Decomposition",
    "Door",
    "DoubleBridge",
    "Event",
    "Flat",
    "FractalGround",
    "HeightMap",
    "Hurdle",
    "Incline",
    "Lamp",
    "LeagueField",
    "Match",
    "Mesh",
    "MeshGround",
    "Physics",
    "PitchRollRamps",
    "PlacedTerrain",
    "Player",
    "PlywoodBridge",
    "PyramidBumps",
    "RadioModel",
    "Ramp",
    "Ridge",
    "RobotEntry",
    "Rubble",
    "SphereTrigger",
    "Stairs",
    "Start",
    "Step",
    "Stepfield",
    "Tag",
    "Team",
    "Terrain",
    "TerrainPiece",
    "Trench",
    "Victim",
    "View",
    "World",
    "decompose",
    "load",
    "parse",
    "shipped",
]

__getattr__ = lazily(__name__, _PLACES)
