"""Geoms of a model as visualization_msgs/MarkerArray, in the frames of their bodies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.frames import Array, Pose
from grouser.ros.definitions import message_type
from grouser.ros.messages import header, pose_message, vector3

DRAWN_GROUPS = (0, 1, 2)
"""Groups of geoms that MuJoCo draws by default."""
MOST_TRIANGLES = 20_000
"""Largest number of triangles of one marker: finer meshes are boxes, finer ground is coarser."""
PLANE_SIZE = 50.0
"""Side of the marker of an infinite plane, m."""
PLANE_HEIGHT = 0.001
"""Thickness of the marker of a plane, m."""

CUBE, SPHERE, CYLINDER, TRIANGLES, DELETE_ALL = 1, 2, 3, 11, 3
"""Numbers of visualization_msgs/Marker."""

_GEOM = mujoco.mjtGeom


def marker_array(model: mujoco.MjModel, frames: Mapping[int, str], time: int) -> Any:
    """Return all drawn geoms; earlier ones are deleted.

    Args:
        model: the model.
        frames: body → name of its frame.
        time: ns.
    """
    clear = _marker(0, "", "", time, DELETE_ALL, Pose(), (1.0, 1.0, 1.0), (0.0,) * 4)
    clear.type, clear.action = 0, DELETE_ALL
    made = [clear]
    for geom in np.flatnonzero(np.isin(model.geom_group, DRAWN_GROUPS)).tolist():
        colour = geom_colour(model, geom)
        if colour[3] == 0:
            continue
        frame = frames[int(model.geom_bodyid[geom])]
        pose = Pose(model.geom_pos[geom].copy(), model.geom_quat[geom].copy())
        for number, (kind, X_GM, scale, points) in enumerate(_shapes(model, geom)):
            name = model.geom(geom).name.partition("/")[0]
            made.append(
                _marker(3 * geom + number, name, frame, time, kind, pose @ X_GM, scale, colour)
            )
            if points is not None:
                point = message_type("geometry_msgs/msg/Point")
                made[-1].points = [point(*xyz) for xyz in points.reshape(-1, 3).tolist()]
    return message_type("visualization_msgs/msg/MarkerArray")(made)


_Shape = tuple[int, Pose, tuple[float, float, float], Array | None]
"""Kind of marker, its pose in the geom, its size, and the corners of its triangles."""


def _shapes(model: mujoco.MjModel, geom: int) -> Iterator[_Shape]:
    """Yield the markers that make up a geom."""
    a, b, c = (float(size) for size in model.geom_size[geom])
    one = (1.0, 1.0, 1.0)
    match _GEOM(model.geom_type[geom]):
        case _GEOM.mjGEOM_BOX:
            yield CUBE, Pose(), (2 * a, 2 * b, 2 * c), None
        case _GEOM.mjGEOM_SPHERE:
            yield SPHERE, Pose(), (2 * a, 2 * a, 2 * a), None
        case _GEOM.mjGEOM_ELLIPSOID:
            yield SPHERE, Pose(), (2 * a, 2 * b, 2 * c), None
        case _GEOM.mjGEOM_CYLINDER:
            yield CYLINDER, Pose(), (2 * a, 2 * a, 2 * b), None
        case _GEOM.mjGEOM_CAPSULE:
            yield CYLINDER, Pose(), (2 * a, 2 * a, 2 * b), None
            for end in (-b, b):
                yield SPHERE, Pose.at(z=end), (2 * a, 2 * a, 2 * a), None
        case _GEOM.mjGEOM_PLANE:
            sides = (2 * a or PLANE_SIZE, 2 * b or PLANE_SIZE, PLANE_HEIGHT)
            yield CUBE, Pose.at(z=-PLANE_HEIGHT / 2), sides, None
        case _GEOM.mjGEOM_HFIELD:
            yield TRIANGLES, Pose(), one, _height_field(model, int(model.geom_dataid[geom]))
        case _GEOM.mjGEOM_MESH if _faces(model, geom) <= MOST_TRIANGLES:
            yield TRIANGLES, Pose(), one, _mesh(model, int(model.geom_dataid[geom]))
        case _:
            centre, half = model.geom_aabb[geom].reshape(2, 3)
            x, y, z = (2 * half).tolist()
            yield CUBE, Pose(centre.copy()), (x, y, z), None


def _faces(model: mujoco.MjModel, geom: int) -> int:
    return int(model.mesh_facenum[model.geom_dataid[geom]])


def _mesh(model: mujoco.MjModel, mesh: int) -> Array:
    """Return the corners of a mesh's triangles, (n, 3, 3), m."""
    first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    start, faces = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
    vertices = model.mesh_vert[first : first + count].astype(float)
    return np.asarray(vertices[model.mesh_face[start : start + faces]])


def _height_field(model: mujoco.MjModel, field: int) -> Array:
    """Return the corners of the triangles of a height field, (n, 3, 3), m; coarser if too fine."""
    rows, columns = int(model.hfield_nrow[field]), int(model.hfield_ncol[field])
    start = int(model.hfield_adr[field])
    heights = model.hfield_data[start : start + rows * columns].reshape(rows, columns)
    half_x, half_y, top, _ = model.hfield_size[field].tolist()
    stride = max(1, int(np.ceil(np.sqrt(2 * rows * columns / MOST_TRIANGLES))))
    down, across = _every(rows, stride), _every(columns, stride)
    x, y = np.linspace(-half_x, half_x, columns)[across], np.linspace(-half_y, half_y, rows)[down]
    grid = np.stack([*np.meshgrid(x, y), heights[np.ix_(down, across)] * top], axis=-1)
    a, b, c, d = grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]
    both = np.stack([np.stack([a, b, c], axis=2), np.stack([a, c, d], axis=2)], axis=2)
    return np.asarray(both.reshape(-1, 3, 3), float)


def _every(count: int, stride: int) -> npt.NDArray[np.intp]:
    """Return every ``stride``-th index below ``count``, and the last one."""
    return np.unique(np.append(np.arange(0, count, stride), count - 1))


def geom_colour(model: mujoco.MjModel, geom: int) -> tuple[float, ...]:
    """Return red, green, blue and opacity of a geom, 0 to 1."""
    material = int(model.geom_matid[geom])
    rgba = model.geom_rgba[geom] if material < 0 else model.mat_rgba[material]
    return tuple(float(value) for value in rgba)


def _marker(
    number: int,
    name: str,
    frame: str,
    time: int,
    kind: int,
    pose: Pose,
    scale: tuple[float, float, float],
    colour: tuple[float, ...],
) -> Any:
    """Return a visualization_msgs/Marker that moves with its frame."""
    rgba = message_type("std_msgs/msg/ColorRGBA")(*colour)
    forever = message_type("builtin_interfaces/msg/Duration")(0, 0)
    texture = message_type("sensor_msgs/msg/CompressedImage")(header(0), "", np.zeros(0, np.uint8))
    mesh = message_type("visualization_msgs/msg/MeshFile")("", np.zeros(0, np.uint8))
    return message_type("visualization_msgs/msg/Marker")(
        *(header(time, frame), name, number, kind, 0, pose_message(pose), vector3(*scale), rgba),
        *(forever, True, [], [], "", texture, [], "", "", mesh, False),
    )
