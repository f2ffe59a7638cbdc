"""What the main body of a robot from a file weighs, and how high the robot stands.

Both are read off a trial compilation, so they hold for whatever hangs on the body.
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
"""kg of the main body before it is known."""
EVEN = 12
"""Digits (m) to which sums of symmetric parts are taken as symmetric."""


class TrialBuild:
    """A robot compiled once, before its main body's weight is known."""

    def __init__(self, spec: mujoco.MjSpec, root: mujoco.MjsBody, plan: RobotFile) -> None:
        """Compile the robot of ``spec``, all of whose other parts are there."""
        self._root, self._plan = root, plan
        self._own = plan.model is not None
        if not self._own:
            set_box_mass(root, PROVISIONAL, (0.1, 0.1, 0.1))
        try:
            self._model = spec.copy().compile()
        except ValueError as error:
            reason = str(error).splitlines()[0]
            raise BadValue(f"MuJoCo cannot build it: {reason}") from None
        self._data = mujoco.MjData(self._model)

    def standing(self, posture: Mapping[str, float]) -> float:
        """Return how high (m) the root's frame is when the lowest point touches level ground."""
        self._take({})
        self._take(posture)
        touching = np.flatnonzero((self._model.geom_contype & ~(CHAIN | CHAIN_GUIDE)) != 0)
        if not len(touching):
            return 0.0
        return -float(extent(self._model, self._data, touching)[0][2])

    def weigh_root(self) -> float:
        """Give the main body the mass that is left and the centre that the file asks for.

        Returns:
            The mass of the whole robot, kg.
        """
        self._take({})
        model, data, plan, root = self._model, self._data, self._plan, self._root
        number = model.body(root.name).id
        others = np.flatnonzero(np.arange(model.nbody) != number)
        rest = float(model.body_mass[others].sum())
        mass = float(model.body_mass[number]) if plan.mass is None else plan.mass - rest
        if mass <= 0:
            raise BadValue(f"mass is {plan.mass} kg, but its parts weigh {rest:.3g} kg already")
        if plan.mass is None and not (plan.centre or plan.box or plan.inertia):
            return mass + rest
        given = self._own and not plan.box
        at = model.body_ipos[number].copy() if given else np.array(self._box()[1])
        if plan.centre is not None:
            moment = (model.body_mass[others, None] * data.xipos[others]).sum(axis=0).round(EVEN)
            at = (np.array(plan.centre) * (mass + rest) - moment) / mass
        place = _vector(at)
        if plan.inertia is not None:
            set_box_mass(root, mass, (0.1, 0.1, 0.1), at=place)
            root.inertia = list(plan.inertia)
        elif given:
            ratio = mass / float(model.body_mass[number])
            root.mass, root.ipos, root.iquat = mass, list(place), model.body_iquat[number]
            root.fullinertia = np.full(6, np.nan)
            root.inertia = model.body_inertia[number] * ratio
            root.explicitinertial = True
        else:
            set_box_mass(root, mass, self._box()[0], at=place)
        return mass + rest

    def _take(self, posture: Mapping[str, float]) -> None:
        """Put the robot into ``posture`` (joint angles by name), its root at the origin."""
        model, data = self._model, self._data
        if not posture:
            mujoco.mj_resetData(model, data)
        for joint, value in posture.items():
            data.qpos[model.joint(joint).qposadr[0]] = value
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)

    def _box(self) -> tuple[Vector, Vector]:
        """Return half edges and middle of the main body's even box."""
        model, plan = self._model, self._plan
        if plan.box:
            x, y, z = plan.box.size
            return (x / 2, y / 2, z / 2), plan.box.at
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
    """Return the lowest and the highest x, y, z of ``geoms`` in the world, m."""
    lows, highs = [], []
    for geom in geoms.tolist():
        turn = data.geom_xmat[geom].reshape(3, 3)
        reach = _reach(model, geom, turn)
        lows.append(data.geom_xpos[geom] + reach[0])
        highs.append(data.geom_xpos[geom] + reach[1])
    return np.min(lows, axis=0), np.max(highs, axis=0)


def _reach(model: mujoco.MjModel, geom: int, turn: Array) -> tuple[Array, Array]:
    """Return how far a geom reaches from its middle, against and along x, y and z."""
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
