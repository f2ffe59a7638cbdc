"""Rays that a sensor casts: what they hit, how far it is, and how its surface lies.

A ray hits what a picture shows, but not the sensor's own robot. The rays of sensors that are read
at the same time are cast in one batch: most of the work about rays is the same for one or many.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Protocol, runtime_checkable

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.frames import Array
from grouser.rendering.appearance import HIDDEN_GROUP
from grouser.sensors.sensor import SensorContext

_DRAWN_GROUPS = np.array([1, 1, 1, 0, 0, 0], np.uint8)


@dataclass(frozen=True)
class RayHits:
    """What the rays of a bundle hit."""

    distances: Array
    """Along each ray, (n,), m; ``inf``: nothing within reach."""
    cosines: Array
    """Of each angle of incidence, (n,): 1 straight on, 0 past or nothing."""
    geoms: npt.NDArray[np.int32]
    """Whose surface it is, (n,); -1: nothing."""


class RayOrigin:
    """Where rays start, and which geoms they ignore; looked up once."""

    def __init__(self, model: mujoco.MjModel, site: int, *, see_through: bool = False) -> None:
        """Look up what lies around a site.

        Args:
            model: the compiled scene.
            site: id of the site from whose middle they start.
            see_through: whether they pass through what is drawn half transparent or more so.
        """
        self.site = site
        own = model.body_rootid[model.site_bodyid[site]]
        self.ignored = model.body_rootid[model.geom_bodyid] == own
        """Which geoms rays pass through, (ngeom,)."""
        if see_through:
            self.ignored |= _opacity(model) <= 0.5
        self.bounds = np.where(model.geom_rbound > 0, model.geom_rbound, np.inf)
        """Radii of spheres about geoms' middles that hold them, (ngeom,), m; planes have none."""

    def bundle(self, directions: Array, far: float) -> RayBundle:
        """Return rays along ``directions``, unit vectors (n, 3) in the site's frame, up to ``far``.

        A sensor that always casts the same bundle makes it once.
        """
        return RayBundle(self, directions, far)

    def cast(self, context: SensorContext, directions: Array, far: float) -> RayHits:
        """Return what rays hit now; see `bundle` and `RayBundle.cast`."""
        return self.bundle(directions, far).cast(context)


class RayBundle:
    """Rays that one sensor casts together."""

    def __init__(self, origin: RayOrigin, directions: Array, far: float) -> None:
        """Make rays from ``origin`` along ``directions`` (n, 3), up to ``far`` (m)."""
        self.origin, self.directions, self.far = origin, directions, far
        self._stored: tuple[SensorContext, RayHits] | None = None

    @cached_property
    def cone(self) -> tuple[Array, float, float]:
        """Middle, cosine and sine of the half angle of a cone that holds all its rays."""
        return _cone(self.directions)

    def cast(self, context: SensorContext) -> RayHits:
        """Return what the rays hit: as a batch has stored it, else cast alone.

        Args:
            context: the instant; sites and geoms must be up to date (`Needs.POSES`).
        """
        if self._stored is None or self._stored[0] is not context:
            RayBatch([self]).cast(context)
        assert self._stored  # the batch has
        (_, hits), self._stored = self._stored, None
        return hits

    def store(self, context: SensorContext, hits: RayHits) -> None:
        """Keep what the rays hit in a batch until the sensor is read."""
        self._stored = context, hits


@runtime_checkable
class RangingSensor(Protocol):
    """A bound sensor that always casts the same bundle."""

    @property
    def bundle(self) -> RayBundle:
        """Its rays."""
        ...


class RayBatch:
    """Bundles that are cast at the same times; what a bundle hits depends on no other."""

    def __init__(self, bundles: Iterable[RayBundle]) -> None:
        """Work out once what is the same for every cast."""
        self._bundles = list(bundles)
        origins = [bundle.origin for bundle in self._bundles]
        counts = [len(bundle.directions) for bundle in self._bundles]
        self._parts = [slice(*ends) for ends in pairwise(accumulate(counts, initial=0))]
        self._directions = np.concatenate([bundle.directions for bundle in self._bundles])
        self._whose = np.repeat(np.arange(len(origins)), counts)
        self._sites = np.array([origin.site for origin in origins])
        self._ignored = np.stack([origin.ignored for origin in origins])
        self._reach = _Reach(self._bundles)

    def cast(self, context: SensorContext) -> None:
        """Store in every bundle what its rays hit now (`Needs.POSES`)."""
        model, data, count = context.model, context.data, len(self._directions)
        R_WS = data.site_xmat[self._sites].reshape(-1, 3, 3)
        starts = data.site_xpos[self._sites]
        towards = _turned(R_WS[self._whose], self._directions)
        hidden = self._ignored | self._reach.beyond(data.geom_xpos, starts, R_WS)
        geoms, distances = np.empty(count, np.int32), np.empty(count)
        normals = np.empty((count, 3))
        groups = model.geom_group
        drawn = groups.copy()
        seen = np.where(hidden, HIDDEN_GROUP, drawn)
        try:
            for number, part in enumerate(self._parts):
                groups[:] = seen[number]
                mujoco.mj_multiRay(
                    model,
                    data,
                    starts[number],
                    towards[part].ravel(),
                    _DRAWN_GROUPS,
                    True,  # what cannot move counts too
                    -1,  # no body is left out
                    geoms[part],
                    distances[part],
                    normals[part].ravel(),
                    part.stop - part.start,
                    self._bundles[number].far,
                )
        finally:
            groups[:] = drawn
        missed = distances < 0
        distances[missed], geoms[missed] = np.inf, -1
        cosines = -_dots(towards, normals)
        cosines[missed] = 0.0
        for bundle, part in zip(self._bundles, self._parts, strict=True):
            bundle.store(context, RayHits(distances[part], cosines[part], geoms[part]))


class _Reach:
    """Which geoms bundles can hit at all.

    MuJoCo looks at every geom for every bundle; in a crowd that is nearly all of the time.
    """

    def __init__(self, bundles: list[RayBundle]) -> None:
        bounds = np.stack([bundle.origin.bounds for bundle in bundles])
        far = np.array([[bundle.far] for bundle in bundles])
        cones = [bundle.cone for bundle in bundles]
        self._furthest = (bounds + far) ** 2
        self._squares = bounds**2
        self._middles = np.array([middle for middle, _, _ in cones])
        self._cosines = np.array([[cosine] for _, cosine, _ in cones])
        self._margins = np.array([[sine] for _, _, sine in cones]) * bounds

    def beyond(self, places: Array, starts: Array, R_WS: Array) -> npt.NDArray[np.bool_]:
        """Return which geoms no ray can hit, (bundles, ngeom): too far away, or to one side.

        Args:
            places: of the geoms' middles in the world frame, (ngeom, 3), m.
            starts: of the bundles in the world frame, (bundles, 3), m.
            R_WS: how the bundles' sites are turned, (bundles, 3, 3).
        """
        offsets = places - starts[:, None]
        squares = np.einsum("bgi,bgi->bg", offsets, offsets)
        ahead = (offsets @ _turned(R_WS, self._middles)[:, :, None])[:, :, 0]
        # A geom lies outside the cone if its middle is turned away from the cone's by more than
        # the cone opens and its sphere takes; as cosines, times its distance. What holds the start
        # itself has no such angle (the root of less than nothing), and is kept.
        with np.errstate(invalid="ignore"):
            edge = self._cosines * np.sqrt(squares - self._squares) - self._margins
            return np.asarray((squares > self._furthest) | (ahead < edge))


def _cone(directions: Array) -> tuple[Array, float, float]:
    """Return the middle, the cosine and the sine of the half angle of a cone that holds all rays.

    If they go all round, or half round and more, such that everything is within it.
    """
    middle = directions.sum(axis=0)
    length = math.sqrt(middle @ middle)
    if length > 1e-9:
        middle = middle / length
        cosine = min(1.0, float((directions @ middle).min())) - 1e-9  # opened a little wider
        if cosine > 0:
            return middle, cosine, math.sqrt(1.0 - cosine**2)
    return np.zeros(3), 0.0, math.inf


def _turned(R: Array, vectors: Array) -> Array:
    """Return ``vectors`` (n, 3), each turned by its own ``R`` (n, 3, 3).

    Written out: a product of matrices may round differently with how many there are.
    """
    x, y, z = vectors[:, 0, None], vectors[:, 1, None], vectors[:, 2, None]
    return np.asarray(R[:, :, 0] * x + R[:, :, 1] * y + R[:, :, 2] * z)


def _dots(a: Array, b: Array) -> Array:
    """Return the scalar products of vectors (n, 3), (n,)."""
    return np.asarray(a[:, 0] * b[:, 0] + a[:, 1] * b[:, 1] + a[:, 2] * b[:, 2])


def _opacity(model: mujoco.MjModel) -> Array:
    """Return how opaque each geom is drawn, 0 to 1: its material's opacity, or its own."""
    drawn = model.geom_rgba[:, 3].astype(float)
    painted = model.geom_matid >= 0
    drawn[painted] = model.mat_rgba[model.geom_matid[painted], 3]
    return np.asarray(drawn)
