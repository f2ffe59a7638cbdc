"""Mass properties of the main body of a custom robot, and its standing height.

Both are computed from a trial compilation that includes all other parts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.physics.contacts import CHAIN, CHAIN_GUIDE
from grouser.robots.custom.robot_file import RobotFile
from grouser.robots.parts.hull import Vector, set_box_mass
from grouser.tracks.geoms import LINK_MASS

PROVISIONAL = 1.0
"""Placeholder mass of the main body, kg."""
MOMENT_DIGITS = 12
"""Decimals to which moments are rounded, so that symmetric parts cancel exactly."""


class TrialBuild:
    """Trial compilation of a robot whose main body has a placeholder mass."""

    def __init__(self, spec: mujoco.MjSpec, root: mujoco.MjsBody, robot_file: RobotFile) -> None:
        """Compile ``spec``, which has all parts of the robot."""
        self._root, self._robot_file = root, robot_file
        self._own = robot_file.model is not None
        if not self._own:
            set_box_mass(root, PROVISIONAL, (0.1, 0.1, 0.1))
        try:
            self._model = spec.copy().compile()
        except ValueError as error:
            reason = str(error).splitlines()[0]
            raise BadValue(f"MuJoCo cannot build it: {reason}") from None
        self._data = mujoco.MjData(self._model)

    def standing(self, posture: Mapping[str, float]) -> float:
        """Return the height (m) of the root frame when the lowest point touches level ground."""
        self._set_posture({})
        self._set_posture(posture)
        touching = np.flatnonzero((self._model.geom_contype & ~(CHAIN | CHAIN_GUIDE)) != 0)
        if not len(touching):
            return 0.0
        return -float(extent(self._model, self._data, touching)[0][2])

    def set_root_mass(self) -> float:
        """Set mass, centre and inertia of the main body; return the robot's mass, kg."""
        self._set_posture({})
        model, data, root, given = self._model, self._data, self._root, self._robot_file
        number = model.body(root.name).id
        others = np.flatnonzero(np.arange(model.nbody) != number)
        rest = float(model.body_mass[others].sum())
        mass = float(model.body_mass[number]) if given.mass is None else given.mass - rest
        if mass <= 0:
            raise BadValue(f"mass is {given.mass} kg, but its parts weigh {rest:.3g} kg")
        if given.mass is None and not (given.centre or given.box or given.inertia):
            return mass + rest
        from_model = self._own and not given.box
        at = model.body_ipos[number].copy() if from_model else np.array(self._box()[1])
        if given.centre is not None:
            moment = (
                (model.body_mass[others, None] * data.xipos[others])
                .sum(axis=0)
                .round(MOMENT_DIGITS)
            )
            at = (np.array(given.centre) * (mass + rest) - moment) / mass
        place = _vector(at)
        if given.inertia is not None:
            set_box_mass(root, mass, (0.1, 0.1, 0.1), at=place)
            root.inertia = list(given.inertia)
        elif from_model:
            ratio = mass / float(model.body_mass[number])
            root.mass, root.ipos, root.iquat = mass, list(place), model.body_iquat[number]
            root.fullinertia = np.full(6, np.nan)
            root.inertia = model.body_inertia[number] * ratio
            root.explicitinertial = True
        else:
            set_box_mass(root, mass, self._box()[0], at=place)
        return mass + rest

    def _set_posture(self, posture: Mapping[str, float]) -> None:
        """Set joint positions by name, with the root at the origin; empty: reset all to 0."""
        model, data = self._model, self._data
        if not posture:
            mujoco.mj_resetData(model, data)
        for joint, value in posture.items():
            data.qpos[model.joint(joint).qposadr[0]] = value
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)

    def _box(self) -> tuple[Vector, Vector]:
        """Return half edges and centre of the main body's uniform box."""
        model, given = self._model, self._robot_file.box
        if given:
            x, y, z = given.size
            return (x / 2, y / 2, z / 2), given.at
        number = model.body(self._root.name).id
        on_root = model.body_parentid == number
        links = on_root & (model.body_mass <= LINK_MASS)
        fixed = (np.arange(model.nbody) == number) | links
        mine = np.flatnonzero(fixed[model.geom_bodyid])
        if not len(mine):
            raise BadValue("the main body has no shape; give its box or its inertia")
        low, high = extent(model, self._data, mine)
        return _vector((high - low) / 2), _vector((high + low) / 2)


def _vector(numbers: Array) -> Vector:
    x, y, z = numbers.tolist()
    return x, y, z


def extent(
    model: mujoco.MjModel, data: mujoco.MjData, geoms: npt.NDArray[np.integer[Any]]
) -> tuple[Array, Array]:
    """Return the bounding box of ``geoms`` in the world: lowest and highest x, y, z, m."""
    lows, highs = [], []
    for geom in geoms.tolist():
        turn = data.geom_xmat[geom].reshape(3, 3)
        reach = _reach(model, geom, turn)
        lows.append(data.geom_xpos[geom] + reach[0])
        highs.append(data.geom_xpos[geom] + reach[1])
    return np.min(lows, axis=0), np.max(highs, axis=0)


def _reach(model: mujoco.MjModel, geom: int, turn: Array) -> tuple[Array, Array]:
    """Return the extent of a geom from its centre along -x, -y, -z and x, y, z."""
    kinds, size = mujoco.mjtGeom, model.geom_size[geom]
    match model.geom_type[geom]:
        case kinds.mjGEOM_MESH:
            mesh = model.geom_dataid[geom]
            first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
            points = model.mesh_vert[first : first + count] @ turn.T
            return points.min(axis=0), points.max(axis=0)
        case kinds.mjGEOM_SPHERE:
            far = np.full(3, size[0])
        case kinds.mjGEOM_CAPSULE:
            far = size[0] + size[1] * np.abs(turn[:, 2])
        case kinds.mjGEOM_CYLINDER:
            across = np.sqrt(np.maximum(0.0, 1 - turn[:, 2] ** 2))
            far = size[0] * across + size[1] * np.abs(turn[:, 2])
        case kinds.mjGEOM_ELLIPSOID:
            far = np.sqrt(((turn * size) ** 2).sum(axis=1))
        case _:
            far = np.abs(turn) @ size
    return -far, far
