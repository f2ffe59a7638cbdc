"""Skin: the geoms of a robot that feel, and what presses on them from outside.

Contacts and their forces are those of the physics step that has just been made.
"""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.sensors.sensor import Moment


class Skin:
    """Some geoms of one robot; its other parts' touching them is not felt."""

    def __init__(self, model: mujoco.MjModel, geoms: npt.NDArray[np.bool_], body: int) -> None:
        """Let ``geoms`` (one truth value per geom) of the robot that has ``body`` feel."""
        self._feels = geoms
        self._own = model.body_rootid[model.geom_bodyid] == model.body_rootid[body]
        self._wrench = np.zeros(6)

    def presses(self, moment: Moment) -> Iterator[tuple[int, float]]:
        """Yield each contact with something that is not the robot, and its normal force, N."""
        pairs = moment.data.contact.geom
        if not len(pairs):
            return
        felt = self._feels[pairs].any(axis=1) & ~self._own[pairs].all(axis=1)
        for contact in np.flatnonzero(felt).tolist():
            mujoco.mj_contactForce(moment.model, moment.data, contact, self._wrench)
            yield contact, float(self._wrench[0])
