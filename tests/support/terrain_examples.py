"""One example of every kind of terrain, and its compiled model, scene and STL file."""

from __future__ import annotations

import atexit
import itertools
import shutil
import tempfile
from pathlib import Path

import mujoco
import numpy as np
import trimesh
from trimesh.base import Trimesh

import grouser
from grouser.frames import Array
from grouser.simulation.ground_stl import ground_surface
from grouser.simulation.scene import Scene, compose
from grouser.world.meshes.mesh_files import write_stl
from grouser.world.meshes.triangle_mesh import hulls, open_edges
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.convex_pieces import ConvexPieces, write_pieces
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
from grouser.world.visuals import add_visuals
from grouser.world.world_object import WorldObject

FLAT = Flat(friction=0.8)
FOLDER = Path(tempfile.mkdtemp())
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
PIECES = FOLDER / "cube.npz"
write_pieces(PIECES, [np.array(list(itertools.product((-0.1, 0.1), repeat=3)))])
CUBE = PIECES.with_suffix(".stl")
write_stl(
    CUBE,
    hulls([np.array(list(itertools.product((-0.1, 0.1), repeat=3)))])[0].triangles.astype(
        np.float32
    ),
)
EXAMPLES = {
    "flat": Flat(friction=0.3),
    "step": Step(friction=0.3, x=1, height=0.12),
    "trench": Trench(friction=0.3, x=0.5, gap=0.3),
    "ramp": Ramp(friction=0.3, x=1, slope_deg=30, height=0.2),
    "stairs": Stairs(friction=0.3, x=1, rise=0.1, run=0.3, count=3),
    "ridge": Ridge(friction=0.3, x=1, height=0.1, length=0.4),
    "hurdle": Hurdle(friction=0.3, x=1, height=0.2),
    "incline": Incline(friction=0.3, x=1, slope_deg=30),
    "pitch_roll_ramps": PitchRollRamps(friction=0.3, x=1),
    "stepfield": Stepfield(friction=0.3, x=1, pattern="hill"),
    "league_field": LeagueField(friction=0.3),
    "double_bridge": DoubleBridge(friction=0.3, x=1),
    "pyramid_bumps": PyramidBumps(friction=0.3, x=1, rows=4, columns=3),
    "plywood_bridge": PlywoodBridge(friction=0.3, x=1),
    "rubble": Rubble(friction=0.3, x=1),
    "fractal_ground": FractalGround(friction=0.3, x=1),
    "height_map": HeightMap(friction=0.3, x=1, cell=0.5, heights=((0, 0.1), (0.1, 0.3))),
    "convex_pieces": ConvexPieces(friction=0.3, x=1, file=PIECES),
    "mesh": MeshGround(friction=0.3, x=1, file=CUBE),
}


def compile_model(*things: TerrainPiece | WorldObject, looks: bool = False) -> mujoco.MjModel:
    spec = mujoco.MjSpec()
    STANDARD.apply(spec)
    if looks:
        add_visuals(spec)
    for i, thing in enumerate(things):
        if isinstance(thing, WorldObject):
            thing.add(spec, STANDARD.ground)
        else:
            thing.add(spec, STANDARD.ground, f"terrain/{i}")
    return spec.compile()


def height(model: mujoco.MjModel, x: float, y: float = 0.0) -> float:
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    geom = np.zeros(1, np.int32)
    start, down = np.array([x, y, 5.0]), np.array([0.0, 0.0, -1.0])
    return 5.0 - float(mujoco.mj_ray(model, data, start, down, None, True, -1, geom))


def scene_of(*terrain: TerrainPiece, objects: tuple[WorldObject, ...] = ()) -> Scene:
    world = grouser.load("roach_circle").changed(terrain=terrain, objects=objects, robots=())
    return compose(world)


def turned_ramps(cell: float, turn_deg: float = 30.0) -> Array:
    """Return a roof, a valley and a plateau with a cliff, oblique to the grid."""
    rows, columns = np.meshgrid(np.arange(0, 1.6, cell), np.arange(0, 3.0, cell), indexing="ij")
    turn = np.deg2rad(turn_deg)
    along = columns * np.cos(turn) + rows * np.sin(turn)
    ramps = 0.3 * np.abs((along + 0.4) % 1.6 - 0.8)
    return np.where(along > 2.2, 0.4, ramps)


def write_and_load(scene: Scene, path: Path) -> Trimesh:
    triangles = ground_surface(scene)
    write_stl(path, triangles)
    assert open_edges(triangles) == 0
    mesh = trimesh.load_mesh(path)
    assert mesh.is_watertight
    assert mesh.is_winding_consistent
    assert mesh.volume > 0
    return mesh
