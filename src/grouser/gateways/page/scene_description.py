"""Description of a compiled scene for the page: bodies, geoms, robots, triggers; meshes by digest.

Only shapes and colours are described. Poses of bodies are in frames; a geom is fixed to its body.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.frames import Array
from grouser.gateways.page.quantised import quantum_of
from grouser.protocol.page.frames import MeshFrame
from grouser.robots.drive_command import drivable
from grouser.sensors.camera import Camera
from grouser.simulation.scene import Scene

DRAWN_GROUPS = 3
"""Geoms of higher groups are not drawn, as in MuJoCo."""
CLEAR = 0.01
"""Opacity below which a geom is not drawn."""
DIGITS = 6
"""Decimals of lengths (m) and of quaternions."""

_TYPES = {
    mujoco.mjtGeom.mjGEOM_PLANE: "plane",
    mujoco.mjtGeom.mjGEOM_HFIELD: "mesh",
    mujoco.mjtGeom.mjGEOM_SPHERE: "sphere",
    mujoco.mjtGeom.mjGEOM_CAPSULE: "capsule",
    mujoco.mjtGeom.mjGEOM_ELLIPSOID: "ellipsoid",
    mujoco.mjtGeom.mjGEOM_CYLINDER: "cylinder",
    mujoco.mjtGeom.mjGEOM_BOX: "box",
    mujoco.mjtGeom.mjGEOM_MESH: "mesh",
}


@dataclass(frozen=True, eq=False)
class SceneDescription:
    """Shapes of a scene as JSON, and its meshes."""

    content: dict[str, Any]
    digest: str
    """SHA-256 of the content: equal scenes are sent once."""
    meshes: dict[str, MeshFrame]
    """By digest."""
    quantum: float
    """Step of coordinates in frames, m."""
    bodies: int
    geoms: npt.NDArray[np.int64]
    """Index in the model of each described geom."""


def describe_scene(scene: Scene, data: mujoco.MjData) -> SceneDescription:
    """Return the description of a compiled scene, whose bodies are at present as in ``data``."""
    model = scene.model
    reach = float(np.abs(data.xpos).max(initial=1.0))
    quantum = quantum_of(2 * max(reach, float(model.stat.extent)))
    meshes: dict[str, MeshFrame] = {}
    drawn = [i for i in range(model.ngeom) if _is_drawn(model, i)]
    content = {
        "world": scene.world.name,
        "description": scene.world.description,
        "quantum": quantum,
        "bodies": [_body(scene, i) for i in range(model.nbody)],
        "geoms": [_geom(model, i, meshes) for i in drawn],
        "robots": [_robot(scene, name) for name in scene.robots],
        "objects": [thing.name for thing in scene.world.objects],
        "triggers": [_trigger(one) for one in scene.world.triggers],
    }
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    return SceneDescription(content, digest, meshes, quantum, model.nbody, np.array(drawn, int))


def colours(model: mujoco.MjModel, geoms: npt.NDArray[np.int64]) -> Array:
    """Return red, green, blue, opacity and emission of geoms, (n, 5)."""
    material = model.geom_matid[geoms]
    rgba = model.geom_rgba[geoms].astype(float)
    emission = np.zeros(len(geoms))
    own = material >= 0
    rgba[own] *= model.mat_rgba[material[own]]
    emission[own] = model.mat_emission[material[own]]
    return np.column_stack([rgba, emission])


def _is_drawn(model: mujoco.MjModel, geom: int) -> bool:
    kind = mujoco.mjtGeom(int(model.geom_type[geom]))
    return bool(
        model.geom_group[geom] < DRAWN_GROUPS
        and model.geom_rgba[geom, 3] > CLEAR
        and kind in _TYPES
    )


def _body(scene: Scene, index: int) -> list[str]:
    """Return name and owner of a body: a robot, an object or nothing."""
    name = scene.model.body(index).name
    owner = name.partition("/")[0]
    known = owner in scene.robots or any(owner == one.name for one in scene.world.objects)
    return [name, owner if known else ""]


def _geom(model: mujoco.MjModel, index: int, meshes: dict[str, MeshFrame]) -> dict[str, Any]:
    kind = mujoco.mjtGeom(int(model.geom_type[index]))
    described: dict[str, Any] = {
        "b": int(model.geom_bodyid[index]),
        "t": _TYPES[kind],
        "s": _round(model.geom_size[index]),
        "p": _round(model.geom_pos[index]),
        "q": _round(model.geom_quat[index]),
        "c": _round(colours(model, np.array([index]))[0], 3),
    }
    if kind in (mujoco.mjtGeom.mjGEOM_MESH, mujoco.mjtGeom.mjGEOM_HFIELD):
        data = int(model.geom_dataid[index])
        is_field = kind == mujoco.mjtGeom.mjGEOM_HFIELD
        frame = _height_field(model, data) if is_field else _mesh(model, data)
        meshes[frame.digest] = frame
        described["m"] = frame.digest
    material = int(model.geom_matid[index])
    if material >= 0 and (model.mat_texid[material] >= 0).any():
        described["x"] = 1  # textured: the checkered ground
    return described


def _mesh(model: mujoco.MjModel, mesh: int) -> MeshFrame:
    begin, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    first, faces = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
    vertices = model.mesh_vert[begin : begin + count]
    return _frame(vertices, model.mesh_face[first : first + faces])


def _height_field(model: mujoco.MjModel, field: int) -> MeshFrame:
    """Return the upper surface of a height field as triangles."""
    rows, columns = int(model.hfield_nrow[field]), int(model.hfield_ncol[field])
    begin = int(model.hfield_adr[field])
    half_x, half_y, top, _ = model.hfield_size[field]
    height = model.hfield_data[begin : begin + rows * columns] * top
    y, x = np.meshgrid(
        np.linspace(-half_y, half_y, rows), np.linspace(-half_x, half_x, columns), indexing="ij"
    )
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    lower = np.column_stack([corner, corner + 1, corner + columns + 1])
    upper = np.column_stack([corner, corner + columns + 1, corner + columns])
    return _frame(np.column_stack([x.ravel(), y.ravel(), height]), np.vstack([lower, upper]))


def _frame(vertices: npt.NDArray[Any], faces: npt.NDArray[Any]) -> MeshFrame:
    points, corners = vertices.astype("<f4").tobytes(), faces.astype("<u4").tobytes()
    return MeshFrame(hashlib.sha256(points + corners).hexdigest(), points, corners)


def _robot(scene: Scene, name: str) -> dict[str, Any]:
    """Return commands and sensors of a robot."""
    robot = scene.robots[name]
    entry = next(one for one in scene.world.robots if one.name == name)
    gait = robot.gait.inputs if robot.gait else ()
    return {
        "name": name,
        "kind": entry.kind,
        "body": scene.model.body(f"{name}/{robot.root}").id,
        "drivable": drivable(robot),
        "inputs": [one for one in gait if one not in ("forward", "turn")],
        "drives": [
            {
                "name": drive,
                "rolls": drive in robot.rolling,
                "limits": list(robot.limits[drive]) if drive in robot.limits else None,
                "speed": robot.drives[drive].speed,
                "gait": robot.gait is not None and drive in robot.gait.drives,
            }
            for drive in robot.drives
        ],
        "groups": {group: list(names) for group, names in robot.groups.items()},
        "sensors": list(_sensors(scene, name)),
    }


def _sensors(scene: Scene, robot: str) -> Iterator[dict[str, Any]]:
    for (owner, name), (sensor, _) in scene.sensors.items():
        if owner == robot:
            camera = sensor.lens if isinstance(sensor, Camera) else None
            size = {"size": [camera.width, camera.height]} if camera else {}
            yield {"name": name, "kind": type(sensor).__name__.lower(), **size}


def _trigger(trigger: Any) -> dict[str, Any]:
    """Return name, kind, position and sizes of a trigger volume."""
    return {key: value for key, value in trigger.model_dump(mode="json").items() if value}


def _round(values: Any, digits: int = DIGITS) -> list[float]:
    return [round(float(value), digits) for value in values]
