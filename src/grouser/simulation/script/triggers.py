"""Trigger volumes: detection of bodies that enter, leave or stay, 50 times per simulated second.

Between two checks bodies are assumed to move straight, so that a fast body cannot pass a thin
volume unnoticed: it has entered and left. A body whose pose is set has not moved.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue, nearest, unknown
from grouser.frames import Array
from grouser.robots.kinds import robot_kinds
from grouser.simulation.scene import Scene
from grouser.simulation.schedule import NEVER, Clock
from grouser.world.file import World
from grouser.world.objects import OBJECTS
from grouser.world.triggers import GROUPS, Trigger

RATE_HZ = 50.0
"""Checks per simulated second."""
FINEST = 256
"""Most interpolated positions between two checks."""

CrossingKind = Literal["enter", "leave", "stay"]


@dataclass(frozen=True)
class Crossing:
    """A body entered, left or stayed in a volume."""

    trigger: str
    body: str
    """Name of the robot or object."""
    kind: CrossingKind


@dataclass(frozen=True)
class _Body:
    """Robot or object with a free joint."""

    name: str
    kind: str
    robot: bool
    position: int
    """Address of its free joint in ``qpos``."""
    geoms: npt.NDArray[np.intp]
    """Geoms of all its bodies that have a size."""


class Triggers:
    """All volumes of a run; their contents are kept when the scene is recompiled."""

    def __init__(self, world: World) -> None:
        """Start with empty volumes.

        Raises:
            BadValue: a trigger names a robot, object or kind that does not exist.
        """
        self._volumes = world.triggers
        check_triggers(world)
        self._centres = np.array([volume.position for volume in self._volumes])
        self._reaches = np.array([volume.reach for volume in self._volumes])
        self._bodily = any(volume.counts != "centre" for volume in self._volumes)
        self._inside: dict[str, dict[str, float]] = {volume.name: {} for volume in self._volumes}
        """Trigger -> bodies inside -> start of their stay, s."""
        self._fired: dict[str, float] = {}
        """Trigger -> time of its last firing, s."""
        self._last: dict[str, Array] = {}
        """Position of each body at the last check."""
        self.due = NEVER
        """The step of the next check."""

    def rebound(self, scene: Scene, step: int) -> Triggers:
        """Return these volumes bound to ``scene``; this object does not change."""
        after = copy.copy(self)
        if after._volumes:
            after._rebind(scene, step)
        return after

    def _rebind(self, scene: Scene, step: int) -> None:
        self._bodies = tuple(_bodies(scene))
        places = np.array([body.position for body in self._bodies], int)
        self._places = places[:, None] + np.arange(3)
        self._counted = np.array(
            [[_counts(volume, body) for body in self._bodies] for volume in self._volumes], bool
        ).reshape(len(self._volumes), len(self._bodies))
        present = {body.name for body in self._bodies}
        self._last = {name: last for name, last in self._last.items() if name in present}
        self._inside = {
            trigger: {name: since for name, since in inside.items() if name in present}
            for trigger, inside in self._inside.items()
        }
        self._clock = Clock(RATE_HZ, float(scene.model.opt.timestep))
        self._clock.start(step + 1)
        self.due = self._clock.due

    def inside(self, trigger: str) -> list[str]:
        """Return the bodies in a volume at the last check."""
        if trigger not in self._inside:
            raise unknown("inside", "trigger", trigger, self._inside)
        return list(self._inside[trigger])

    def forget_position(self, name: str) -> None:
        """Forget the last position of a body whose pose was set."""
        self._last.pop(name, None)

    def find_crossings(self, model: mujoco.MjModel, data: mujoco.MjData) -> list[Crossing]:
        """Return the crossings since the last check, in the world's order of triggers."""
        self._clock.tick()
        self.due = self._clock.due
        if self._bodily:
            mujoco.mj_kinematics(model, data)  # after a step, poses are those before it
        here = data.qpos[self._places]
        names = [body.name for body in self._bodies]
        there = np.array([self._last.get(*pair) for pair in zip(names, here, strict=True)])
        near = self._near(here, there.reshape(here.shape), model, data)
        crossings = []
        for volume, row in zip(self._volumes, near.tolist(), strict=True):
            inside = self._inside[volume.name]
            for number, body in enumerate(self._bodies):
                if row[number]:
                    way = _way(volume, here[number], there[number])
                    seen = _inside(volume, body, way, model, data).tolist()
                    crossings += self._compare(volume, body.name, seen, float(data.time))
                elif body.name in inside:
                    crossings += self._compare(volume, body.name, [False], float(data.time))
        self._last = dict(zip(names, here, strict=True))
        return crossings

    def _near(
        self, here: Array, there: Array, model: mujoco.MjModel, data: mujoco.MjData
    ) -> npt.NDArray[np.bool_]:
        """Return which bodies may have been in which volumes, (volumes, bodies): broad phase."""
        slack = np.linalg.norm(here - there, axis=1)
        if self._bodily:
            for number, body in enumerate(self._bodies):
                away = np.linalg.norm(data.geom_xpos[body.geoms] - here[number], axis=1)
                slack[number] += (away + model.geom_rbound[body.geoms]).max(initial=0.0)
        gaps = np.linalg.norm(self._centres[:, None] - here, axis=2)
        return np.asarray(self._counted & (gaps <= self._reaches[:, None] + slack))

    def _compare(self, volume: Trigger, name: str, seen: list[bool], now: float) -> list[Crossing]:
        """Return the crossings of a body that was inside or not at successive positions."""
        inside = self._inside[volume.name]
        was = name in inside
        kinds: list[CrossingKind] = []
        for here in seen:
            if here != was:
                kinds.append("enter" if here else "leave")
            was = here
        if kinds:
            inside.pop(name, None)
        if was:
            since = inside.setdefault(name, now)
            if volume.seconds is not None and now - since >= volume.seconds - 1e-9:
                inside[name] = since + volume.seconds
                kinds.append("stay")
        return [
            Crossing(volume.name, name, kind)
            for kind in kinds
            if kind == volume.on and self._may_fire(volume, now)
        ]

    def _may_fire(self, volume: Trigger, now: float) -> bool:
        last = self._fired.get(volume.name)
        if last is not None and (volume.once or now - last < volume.rearm - 1e-9):
            return False
        self._fired[volume.name] = now
        return True


def _way(volume: Trigger, here: Array, there: Array) -> Array:
    """Return interpolated positions between ``there`` and ``here``, as offsets from ``here``."""
    length = float(np.linalg.norm(here - there))
    parts = min(FINEST, max(1, math.ceil(length / (volume.smallest / 4))))
    return np.outer(np.arange(parts - 1, -1, -1) / parts, there - here)


def _inside(
    volume: Trigger, body: _Body, way: Array, model: mujoco.MjModel, data: mujoco.MjData
) -> npt.NDArray[np.bool_]:
    """Return for every offset of ``way`` (n, 3) whether ``body`` was inside."""
    if volume.counts == "centre":
        centre = data.qpos[body.position : body.position + 3]
        return np.asarray(volume.depth(centre + way) >= 0)
    places, radii = data.geom_xpos[body.geoms], model.geom_rbound[body.geoms]
    depths = volume.depth((places + way[:, None]).reshape(-1, 3)).reshape(len(way), -1)
    if volume.counts == "touch":
        return np.asarray((depths >= -radii).any(axis=1))
    return np.asarray((depths >= radii).all(axis=1))


def _bodies(scene: Scene) -> Iterator[_Body]:
    """Yield all robots and objects with a free joint, robots first."""
    model = scene.model
    roots = {name: f"{name}/{robot.root}" for name, robot in scene.robots.items()}
    kinds = {entry.name: entry.kind for entry in scene.world.robots}
    things = {thing.name: thing.name for thing in scene.world.objects}
    kinds |= {thing.name: str(getattr(thing, "kind", "")) for thing in scene.world.objects}
    for name, root in (roots | things).items():
        body = model.body(root).id
        joint = int(model.body_jntadr[body])
        if joint >= 0 and model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE:
            hanging = model.body_rootid[model.geom_bodyid] == body
            geoms = np.flatnonzero(hanging & (model.geom_rbound > 0))
            place = int(model.jnt_qposadr[joint])
            yield _Body(name, kinds[name], name in roots, place, geoms)


def _counts(volume: Trigger, body: _Body) -> bool:
    groups = ("any", "robots" if body.robot else "objects", body.kind)
    return any(word in groups or fnmatchcase(body.name, word) for word in volume.by)


def check_triggers(world: World) -> None:
    """Raise for triggers that name a robot, object or kind that does not exist."""
    names = [member.name for member in (*world.robots, *world.objects)]
    for i, volume in enumerate(world.triggers):
        for j, word in enumerate(volume.by):
            where = world.where("triggers", i, "by", j)
            check_name(word, [*names, *robot_kinds(), *OBJECTS, *GROUPS], names, where)


def check_name(word: str, allowed: Iterable[str], names: Iterable[str], where: str) -> None:
    """Raise for an unknown name; a pattern with ``*`` may match bodies that join later."""
    if "*" not in word and word not in allowed:
        listing = ", ".join(sorted(names)) or "none"
        raise BadValue(
            f"{where}: there is no robot or object '{word}' (there are: {listing}; also allowed: "
            f"kinds, robots, objects, any){nearest(word, allowed)}"
        )
