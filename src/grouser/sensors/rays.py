"""Ray casting for sensors: hit geoms, distances and angles of incidence.

Rays hit the geoms that are drawn, except those of the sensor's own robot. The rays of sensors that
are read at the same time are cast in one batch, which shares the per-cast overhead.
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
from grouser.rendering.render_state import HIDDEN_GROUP
from grouser.sensors.sensor import SensorContext

_DRAWN_GROUPS = np.array([1, 1, 1, 0, 0, 0], np.uint8)


@dataclass(frozen=True)
class RayHits:
    """Hits of the rays of a bundle."""

    distances: Array
    """Distance along each ray, (n,), m; ``inf``: no hit in range."""
    cosines: Array
    """Cosine of the angle of incidence, (n,): 1 perpendicular, 0 grazing or no hit."""
    geoms: npt.NDArray[np.int32]
    """Geom ids, (n,); -1: no hit."""


class RayOrigin:
    """Origin of rays and the geoms they ignore."""

    def __init__(self, model: mujoco.MjModel, site: int, *, see_through: bool = False) -> None:
        """Look up the ignored geoms of a site; ``see_through``: rays pass opacities up to 0.5."""
        self.site = site
        own = model.body_rootid[model.site_bodyid[site]]
        self.ignored = model.body_rootid[model.geom_bodyid] == own
        """Mask of the geoms that rays pass through, (ngeom,)."""
        if see_through:
            self.ignored |= _opacity(model) <= 0.5
        self.bounds = np.where(model.geom_rbound > 0, model.geom_rbound, np.inf)
        """Bounding sphere radii of the geoms, (ngeom,), m; ``inf`` for planes."""

    def bundle(self, directions: Array, far: float) -> RayBundle:
        """Return rays along ``directions``, unit vectors (n, 3) in the site's frame, up to ``far``.

        A sensor that always casts the same bundle creates it once.
        """
        return RayBundle(self, directions, far)

    def cast(self, context: SensorContext, directions: Array, far: float) -> RayHits:
        """Cast a temporary bundle; see `bundle` and `RayBundle.cast`."""
        return self.bundle(directions, far).cast(context)


class RayBundle:
    """Rays that one sensor casts together."""

    def __init__(self, origin: RayOrigin, directions: Array, far: float) -> None:
        """Store rays from ``origin`` along ``directions`` (n, 3), up to ``far`` (m)."""
        self.origin, self.directions, self.far = origin, directions, far
        self._stored: tuple[SensorContext, RayHits] | None = None

    @cached_property
    def cone(self) -> tuple[Array, float, float]:
        """Axis, cosine and sine of the half angle of the bounding cone of the rays."""
        return _bounding_cone(self.directions)

    def cast(self, context: SensorContext) -> RayHits:
        """Return the hits: those stored by a batch, else cast this bundle alone (`Needs.POSES`)."""
        stored, self._stored = self._stored, None
        if stored is not None and stored[0] is context:
            return stored[1]
        return RayBatch([self]).compute(context)[0]

    def store(self, context: SensorContext, hits: RayHits) -> None:
        """Store the hits of a batch until the sensor is read."""
        self._stored = context, hits


@runtime_checkable
class RangingSensor(Protocol):
    """Bound sensor that always casts the same bundle."""

    @property
    def bundle(self) -> RayBundle:
        """Rays of the sensor."""
        ...


class RayBatch:
    """Bundles that are cast together; their hits are independent of each other."""

    def __init__(self, bundles: Iterable[RayBundle]) -> None:
        """Precompute the arrays that are the same for every cast."""
        self._bundles = list(bundles)
        origins = [bundle.origin for bundle in self._bundles]
        counts = [len(bundle.directions) for bundle in self._bundles]
        self._parts = [slice(*ends) for ends in pairwise(accumulate(counts, initial=0))]
        self._directions = np.concatenate([bundle.directions for bundle in self._bundles])
        self._bundle_of_ray = np.repeat(np.arange(len(origins)), counts)
        self._sites = np.array([origin.site for origin in origins])
        self._ignored = np.stack([origin.ignored for origin in origins])
        self._reach = _Reach(self._bundles)

    def cast(self, context: SensorContext) -> None:
        """Store in every bundle its hits of this instant (`Needs.POSES`)."""
        for bundle, hits in zip(self._bundles, self.compute(context), strict=True):
            bundle.store(context, hits)

    def compute(self, context: SensorContext) -> list[RayHits]:
        """Return the hits of every bundle (`Needs.POSES`)."""
        model, data, count = context.model, context.data, len(self._directions)
        R_WS = data.site_xmat[self._sites].reshape(-1, 3, 3)
        starts = data.site_xpos[self._sites]
        towards = _rotate_each(R_WS[self._bundle_of_ray], self._directions)
        hidden = self._ignored | self._reach.out_of_reach(data.geom_xpos, starts, R_WS)
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
                    True,  # include static geoms
                    -1,  # exclude no body
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
        cosines = -_row_dots(towards, normals)
        cosines[missed] = 0.0
        return [RayHits(distances[part], cosines[part], geoms[part]) for part in self._parts]


class _Reach:
    """Broad phase: geoms that a bundle cannot hit."""

    # MuJoCo tests every geom for every bundle, which dominates the cost with many robots.

    def __init__(self, bundles: list[RayBundle]) -> None:
        bounds = np.stack([bundle.origin.bounds for bundle in bundles])
        far = np.array([[bundle.far] for bundle in bundles])
        cones = [bundle.cone for bundle in bundles]
        self._furthest = (bounds + far) ** 2
        self._squares = bounds**2
        self._middles = np.array([middle for middle, _, _ in cones])
        self._cosines = np.array([[cosine] for _, cosine, _ in cones])
        self._margins = np.array([[sine] for _, _, sine in cones]) * bounds

    def out_of_reach(self, places: Array, starts: Array, R_WS: Array) -> npt.NDArray[np.bool_]:
        """Return the mask of geoms beyond range or outside the bounding cone, (bundles, ngeom).

        ``places`` are the geoms' centres, ``starts`` and ``R_WS`` the bundles' sites, in
        the world.
        """
        offsets = places - starts[:, None]
        squares = np.einsum("bgi,bgi->bg", offsets, offsets)
        ahead = (offsets @ _rotate_each(R_WS, self._middles)[:, :, None])[:, :, 0]
        # A geom is outside the cone if the angle of its centre from the cone's axis exceeds the
        # half angle plus that of its sphere; compared as cosines times distance. A sphere that
        # contains the origin gives the root of a negative number (nan) and is kept.
        with np.errstate(invalid="ignore"):
            edge = self._cosines * np.sqrt(squares - self._squares) - self._margins
            return np.asarray((squares > self._furthest) | (ahead < edge))


def _bounding_cone(directions: Array) -> tuple[Array, float, float]:
    """Return axis, cosine and sine of the half angle of a cone around all rays.

    Rays that span half the sphere or more give a cone that contains everything.
    """
    middle = directions.sum(axis=0)
    length = math.sqrt(middle @ middle)
    if length > 1e-9:
        middle = middle / length
        cosine = min(1.0, float((directions @ middle).min())) - 1e-9  # safety margin
        if cosine > 0:
            return middle, cosine, math.sqrt(1.0 - cosine**2)
    return np.zeros(3), 0.0, math.inf


def _rotate_each(R: Array, vectors: Array) -> Array:
    """Return ``vectors`` (n, 3), each rotated by its own ``R`` (n, 3, 3)."""
    # Written out: the rounding of a matrix product may depend on the number of rows.
    x, y, z = vectors[:, 0, None], vectors[:, 1, None], vectors[:, 2, None]
    return np.asarray(R[:, :, 0] * x + R[:, :, 1] * y + R[:, :, 2] * z)


def _row_dots(a: Array, b: Array) -> Array:
    """Return the row-wise dot products of (n, 3) arrays, (n,)."""
    return np.asarray(a[:, 0] * b[:, 0] + a[:, 1] * b[:, 1] + a[:, 2] * b[:, 2])


def _opacity(model: mujoco.MjModel) -> Array:
    """Return the opacity of each geom, 0 to 1: that of its material, or its own."""
    drawn = model.geom_rgba[:, 3].astype(float)
    painted = model.geom_matid >= 0
    drawn[painted] = model.mat_rgba[model.geom_matid[painted], 3]
    return np.asarray(drawn)
