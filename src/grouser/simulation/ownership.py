"""Everybody who can move, robots and objects, and what of MuJoCo's state is theirs."""

from __future__ import annotations

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.frames import Array
from grouser.simulation.scene import Scene


class Movers:
    """Who owns which body and which degree of freedom of a scene."""

    def __init__(self, scene: Scene) -> None:
        """Look everybody up once."""
        model = scene.model
        self._model = model
        known = [*scene.robots, *(thing.name for thing in scene.world.objects)]
        owners = [_owner(model.body(root).name, known) for root in model.body_rootid.tolist()]
        moving = {owners[body] for body in model.dof_bodyid.tolist()}
        self.names = tuple(name for name in known if name in moving)
        """Those with at least one joint; robots first."""
        number = {name: place for place, name in enumerate(self.names)}
        self._of_body = np.array([number.get(owner, -1) for owner in owners], np.intp)
        self._of_dof = self._of_body[model.dof_bodyid]
        ends = np.append(model.jnt_qposadr[1:], model.nq)
        self._of_position = np.repeat(
            self._of_body[model.jnt_bodyid], ends - model.jnt_qposadr[: model.njnt]
        )
        self._roots = [int(self.bodies(name)[0]) for name in self.names]
        self.masses = self._sums(model.body_mass, self._of_body)
        """In the order of ``names``, kg."""

    def bodies(self, name: str) -> npt.NDArray[np.intp]:
        """Return the ids of the bodies of ``name``; none, if it cannot move."""
        if name not in self.names:
            return np.zeros(0, np.intp)
        return np.flatnonzero(self._of_body == self.names.index(name))

    def energies(self, data: mujoco.MjData) -> Array:
        """Return everybody's kinetic energy, J/kg, (names,); infinite where it is no number."""
        momenta = np.empty(self._model.nv)
        mujoco.mj_mulM(self._model, data, momenta, data.qvel)
        joules = self._sums(0.5 * momenta * data.qvel, self._of_dof)
        return np.nan_to_num(joules / self.masses, nan=np.inf)

    def fastest(self, speeds: Array) -> Array:
        """Return everybody's largest of ``speeds``, one per degree of freedom, (names,)."""
        return self._peaks(speeds, self._of_dof)

    def farthest(self, positions: Array) -> Array:
        """Return everybody's largest of ``positions``, as ``qpos`` has them, (names,)."""
        return self._peaks(positions, self._of_position)

    def lost(self, data: mujoco.MjData, lowest: float, farthest: float) -> list[str]:
        """Return whose root is below ``lowest`` or ``farthest`` away from the origin (m)."""
        places = data.xpos[self._roots]
        inside = (places[:, 2] >= lowest) & (np.abs(places[:, :2]).max(axis=1) <= farthest)
        return [name for name, here in zip(self.names, inside, strict=True) if not here]

    def _peaks(self, values: Array, owners: npt.NDArray[np.intp]) -> Array:
        """Return everybody's largest of ``values`` without sign, (names,); NaN is infinite."""
        peaks = np.zeros(len(self.names) + 1)
        np.maximum.at(peaks, owners + 1, np.nan_to_num(np.abs(values), nan=np.inf))
        return peaks[1:]

    def _sums(self, values: Array, owners: npt.NDArray[np.intp]) -> Array:
        """Add ``values`` up by owner, (names,); nobody's do not count."""
        sums = np.bincount(owners + 1, values, len(self.names) + 1)[1:]
        return np.asarray(sums, float)


def _owner(body: str, known: list[str]) -> str:
    """Return whose the body is that hangs on the world itself; "": nobody's."""
    first = body.partition("/")[0]
    return body if body in known else first if first in known else ""
