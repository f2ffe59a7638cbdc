"""Rays that a sensor sends out: to what they come, how far it is, and how its surface lies.

A sensor sees what a picture shows, but not its own robot.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.frames import Array
from grouser.sensors.sensor import Moment

HIDDEN = mujoco.mjNGROUP - 1
"""The geom group in which a sensor's own robot is while the sensor looks."""
_MET = np.array([1, 1, 1, 0, 0, 0], np.uint8)  # the groups that are drawn


@dataclass(frozen=True)
class Hits:
    """What a bundle of rays came to."""

    distances: Array
    """Along each ray, (n,), m; ``inf``: nothing within reach."""
    normals: Array
    """Of the surfaces in the world frame, outwards, (n, 3); 0 where there is nothing."""
    geoms: npt.NDArray[np.int32]
    """Whose surface it is, (n,); -1: nothing."""
    directions: Array
    """Of the rays in the world frame, unit vectors, (n, 3)."""

    def cosines(self) -> Array:
        """Return the cosine of each angle of incidence, (n,): 1 straight on, 0 past or nothing."""
        return np.asarray(-np.einsum("ij,ij->i", self.directions, self.normals))


class Rays:
    """Where rays start, and what they pass through; looked up once."""

    def __init__(self, model: mujoco.MjModel, site: int, *, see_through: bool = False) -> None:
        """Let rays start at ``site``.

        Args:
            model: the compiled scene.
            site: id of the site from whose middle they start.
            see_through: whether they pass through what is drawn half transparent or more so.
        """
        self._site = site
        own = model.body_rootid[model.site_bodyid[site]]
        passed = model.body_rootid[model.geom_bodyid] == own
        if see_through:
            passed |= _opacity(model) <= 0.5
        self._passed = passed
        self._groups = model.geom_group.copy()
        # A sphere about each geom's middle holds it; planes have none.
        self._bounds = np.where(model.geom_rbound > 0, model.geom_rbound, np.inf)
        self._squares = self._bounds**2
        self._cone = _Cone(np.zeros((1, 3)))

    def cast(self, moment: Moment, directions: Array, far: float) -> Hits:
        """Return what the rays meet now.

        Args:
            moment: sites and geoms must be up to date (`Needs.PLACES`).
            directions: unit vectors in the site's frame, (n, 3).
            far: how far they reach, m.
        """
        model, data, count = moment.model, moment.data, len(directions)
        R_SW = data.site_xmat[self._site].reshape(3, 3).T
        towards = directions @ R_SW
        if directions is not self._cone.directions:
            self._cone = _Cone(directions)  # most sensors always send out the same bundle
        geoms, distances = np.empty(count, np.int32), np.empty(count)
        normals = np.empty(3 * count)
        groups = model.geom_group
        groups[self._passed | self._beyond(data, self._cone.middle @ R_SW, far)] = HIDDEN
        try:
            mujoco.mj_multiRay(
                model,
                data,
                pnt=data.site_xpos[self._site],
                vec=towards.ravel(),
                geomgroup=_MET,
                flg_static=True,
                bodyexclude=-1,
                geomid=geoms,
                dist=distances,
                normal=normals,
                nray=count,
                cutoff=far,
            )
        finally:
            groups[:] = self._groups
        missed = distances < 0
        distances[missed], geoms[missed] = np.inf, -1
        facing = np.where(missed[:, None], 0.0, normals.reshape(count, 3))
        return Hits(distances, facing, geoms, towards)

    def _beyond(self, data: mujoco.MjData, middle: Array, far: float) -> npt.NDArray[np.bool_]:
        """Return which geoms no ray can meet, (ngeom,): they are too far away, or to one side.

        MuJoCo looks at every geom for every bundle; in a crowd that is nearly all of the time.

        Args:
            data: where everything is.
            middle: of the cone that holds all rays, a unit vector in the world frame.
            far: how far rays reach, m.
        """
        offsets = data.geom_xpos - data.site_xpos[self._site]
        squares = np.einsum("ij,ij->i", offsets, offsets)
        reach = self._bounds + far
        beyond = squares > reach * reach
        if self._cone.cosine > 0:
            # A geom lies outside the cone if its middle is turned away from the cone's by more than
            # the cone opens and its sphere takes; as cosines, times its distance. What holds the
            # start itself has no such angle, and is kept.
            with np.errstate(invalid="ignore"):
                edge = self._cone.cosine * np.sqrt(squares - self._squares)
                beyond |= offsets @ middle < edge - self._cone.sine * self._bounds
        return np.asarray(beyond)


class _Cone:
    """A cone about a bundle of rays, in the sensor's frame."""

    def __init__(self, directions: Array) -> None:
        self.directions = directions
        middle = directions.sum(axis=0)
        length = math.sqrt(middle @ middle)
        self.middle = middle / length if length > 1e-9 else middle
        self.cosine = min(1.0, float((directions @ self.middle).min())) - 1e-9
        """Of its half angle, a little less; 0 or below: all round, or half round and more."""
        self.sine = math.sqrt(max(0.0, 1.0 - self.cosine**2))


def _opacity(model: mujoco.MjModel) -> Array:
    """Return how opaque each geom is drawn, 0 to 1: its material's opacity, or its own."""
    drawn = model.geom_rgba[:, 3].astype(float)
    painted = model.geom_matid >= 0
    drawn[painted] = model.mat_rgba[model.geom_matid[painted], 3]
    return np.asarray(drawn)
