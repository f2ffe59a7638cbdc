"""State vector of a scene, its fingerprint, and hashes of its parts per robot and quantity.

The vector has everything that decides the future of physics, drives and gaits: MuJoCo's state, the
step memory, the fields of the model that are written at run time, and gravity.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.frames import Array
from grouser.simulation.scene_state import RUN_FIELDS, STATE, SceneState

WORLD = "world"
"""Owner of the ground and of all quantities that do not belong to one robot or object."""

STATE_PARTS = {
    "QPOS": "positions",
    "QVEL": "velocities",
    "ACT": "drive states",
    "WARMSTART": "solver warm start",
    "CTRL": "drive inputs",
    "QFRC_APPLIED": "applied forces",
    "XFRC_APPLIED": "applied forces",
    "TIME": "time",
    "EQ_ACTIVE": "equality constraints",
    "MOCAP_POS": "moved bodies",
    "MOCAP_QUAT": "moved bodies",
}
"""MuJoCo's components of the state → names of the quantities; others: the component's name."""

FIELD_PARTS = {
    "geom_friction": "friction",
    "geom_surfacevel": "surface velocities",
    "light_active": "lights",
    "mat_emission": "lights",
    "actuator_biasprm": "drive settings",
    "actuator_acc0": "drive settings",
}
"""Fields of the model → names of the quantities; others: masses."""

Columns = npt.NDArray[np.intp]


@dataclass(frozen=True)
class LayoutNames:
    """Names that decide, beside the model, the layout of a scene's state vector."""

    members: tuple[str, ...]
    """Robots and objects."""
    belts: tuple[str, ...]
    """As `Stepper.belts`."""
    drives: tuple[str, ...]
    """As `Drives.names`."""
    memory: tuple[tuple[int, str], ...]
    """Length and type of each array of the step memory."""

    @staticmethod
    def of(state: SceneState) -> LayoutNames:
        """Return the names of a scene."""
        scene, stepper = state.scene, state.stepper
        return LayoutNames(
            (*scene.robots, *(thing.name for thing in scene.world.objects)),
            tuple(stepper.belts),
            tuple(stepper.drives.names),
            tuple((array.size, array.dtype.str) for array in state.memory.arrays()),
        )


@dataclass(frozen=True)
class StateLayout:
    """Order of the numbers in the state vector of a scene, and the part that each belongs to."""

    state: int
    """Length of MuJoCo's state, at the beginning."""
    memory: tuple[tuple[int, str], ...]
    """Length and type of each array of the step memory, which follow."""
    parts: dict[str, Columns]
    """``OWNER/quantity`` → columns of the vector."""

    @staticmethod
    def of(model: mujoco.MjModel, names: LayoutNames) -> StateLayout:
        """Return the layout of a scene."""
        owners = _Owners(model, names)
        parts = [
            *owners.state_parts(),
            *owners.memory_parts(),
            *owners.field_parts(),
            *[f"{WORLD}/gravity"] * 3,
        ]
        columns: dict[str, list[int]] = defaultdict(list)
        for column, name in enumerate(parts):
            columns[name].append(column)
        return StateLayout(
            mujoco.mj_stateSize(model, STATE),
            names.memory,
            {name: np.array(columns[name], np.intp) for name in sorted(columns)},
        )

    def hashes(self, vector: Array) -> dict[str, int]:
        """Return a hash of 64 bits of every part."""
        return {name: _hash(vector[columns]) for name, columns in self.parts.items()}

    def fingerprint(self, vector: Array) -> str:
        """Return `Simulation.fingerprint` of the state."""
        digest, at = hashlib.sha256(vector[: self.state].tobytes()), self.state
        for size, kind in self.memory:
            digest.update(vector[at : at + size].astype(kind).tobytes())
            at += size
        return digest.hexdigest()


def _hash(values: Array) -> int:
    digest = hashlib.blake2b(values.tobytes(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def field_views(model: mujoco.MjModel) -> list[npt.NDArray[Any]]:
    """Return views of the fields of a model that the state vector has at its end."""
    return [*(getattr(model, name).ravel() for name in RUN_FIELDS), model.opt.gravity]


def state_vector(
    state: SceneState, fields: list[npt.NDArray[Any]] | None = None, out: Array | None = None
) -> Array:
    """Return a copy of the state as one vector, see `StateLayout`.

    Args:
        state: the state.
        fields: `field_views` of its model, if they are known.
        out: array for the result.
    """
    memory = (array.ravel() for array in state.memory.arrays())
    fields = field_views(state.model) if fields is None else fields
    return np.concatenate([state.integration_state(), *memory, *fields], out=out)


class StateChanges:
    """Successive state vectors of a simulation as differences, which are a tenth as long."""

    def __init__(self) -> None:
        self._last: Array | None = None
        self._spare: Array | None = None
        self._fields: list[npt.NDArray[Any]] = []
        """`field_views` of the present model."""

    def reset(self) -> None:
        """Let the next vector be a whole one: the layout has changed, or a difference was lost."""
        self._last = self._spare = None

    def next(self, state: SceneState) -> tuple[Columns | None, Array]:
        """Return the columns that changed since the last call, and their values.

        None instead of the columns: the whole vector.
        """
        if self._last is None:
            self._fields = field_views(state.model)
        vector = state_vector(state, self._fields, self._spare)
        last, self._last = self._last, vector
        self._spare = last
        if last is None:
            return None, vector.copy()
        changed = np.flatnonzero(vector.view(np.int64) != last.view(np.int64))  # also NaN and -0.0
        return changed, vector[changed]


class _Owners:
    """Names of the robots and objects to which the elements of a model belong."""

    def __init__(self, model: mujoco.MjModel, names: LayoutNames) -> None:
        known = set(names.members)
        self._names = names
        bodies = [_owner(model.body(root).name, known) for root in model.body_rootid.tolist()]
        self._model, self._known = model, known
        self._body = np.array(bodies)
        self._dof = self._body[model.dof_bodyid]
        ends = np.append(model.jnt_qposadr[1:], model.nq)
        counts = ends - model.jnt_qposadr[: model.njnt]
        self._position = np.repeat(self._body[model.jnt_bodyid], counts)
        self._geom = self._body[model.geom_bodyid]
        self._actuator = [self._named(model.actuator(i).name) for i in range(model.nu)]

    def state_parts(self) -> Iterable[str]:
        """Yield the part of every number of MuJoCo's state."""
        for bit in range(int(mujoco.mjtState.mjNSTATE)):
            if STATE & (1 << bit):
                name = mujoco.mjtState(1 << bit).name.removeprefix("mjSTATE_")
                size = mujoco.mj_stateSize(self._model, 1 << bit)
                quantity = STATE_PARTS.get(name, name.lower().replace("_", " "))
                yield from (f"{owner}/{quantity}" for owner in self._of_component(name, size))

    def _of_component(self, name: str, size: int) -> Iterable[str]:
        match name:
            case "QPOS":
                return list(self._position)
            case "QVEL" | "WARMSTART" | "QFRC_APPLIED":
                return list(self._dof)
            case "XFRC_APPLIED":
                return list(np.repeat(self._body, 6))
            case "CTRL" if size == len(self._actuator):
                return self._actuator
            case "ACT":
                numbers = zip(self._actuator, self._model.actuator_actnum.tolist(), strict=True)
                return [owner for owner, count in numbers for _ in range(count)]
            case _:
                return [WORLD] * size

    def memory_parts(self) -> Iterable[str]:
        """Yield the part of every number of the step memory."""
        names = self._names
        yield from (f"{self._named(name)}/belts" for name in names.belts)
        for quantity in ("work", "work", "drive targets", "drive targets"):
            yield from (f"{self._named(name)}/{quantity}" for name in names.drives)
        # Commands on their way, gaits and losses.
        rest = sum(size for size, _ in names.memory[5:])
        yield from [f"{WORLD}/gaits"] * rest

    def field_parts(self) -> Iterable[str]:
        """Yield the part of every number of the model's fields."""
        for field in RUN_FIELDS:
            values, group = getattr(self._model, field), field.partition("_")[0]
            of_rows = {"geom": self._geom, "body": self._body, "dof": self._dof}
            of_rows["actuator"] = np.array(self._actuator)
            width = values.size // max(1, len(values))
            owners = of_rows.get(group)
            if owners is None or len(owners) != len(values):
                owners = np.array([WORLD] * len(values))
            quantity = FIELD_PARTS.get(field, "masses")
            yield from (f"{owner}/{quantity}" for owner in np.repeat(owners, width))

    def _named(self, name: str) -> str:
        return _owner(name, self._known)


def _owner(name: str, known: set[str]) -> str:
    """Return the robot or object to which an element of this name belongs."""
    first = name.partition("/")[0]
    return name if name in known else first if first in known else WORLD
