"""Decorative detail of smooth images: grain of the ground, round edges of hulls.

Texture and the light on edges help viewers to estimate size, speed and contact. The details are
added to the rendered scene only. The model, the physics, simulated cameras and fast videos do not
have them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.physics.contacts import HULL

GROUND = "ground"
"""Name of the texture of level ground: a checker of two by two squares."""

_LIGHT, _DARK, _LINE = (
    (0.72, 0.72, 0.70),
    (0.66, 0.66, 0.64),
    (0.80, 0.80, 0.78),
)  # red, green, blue
_GRAIN = 0.045  # standard deviation of the ground's brightness: visible without a pattern
_LINE_WIDTH = 0.012  # width of lines, as a share of a square's edge
_ROUND = 0.35  # radius of a hull's edges, as a share of its smallest half edge
_ROUNDEST = 0.015  # m   largest radius of a hull's edges
_SEED = 20  # seed of the grain, which is the same in every image


@contextmanager
def textured_ground(model: mujoco.MjModel) -> Iterator[None]:
    """Set the ground texture of ``model`` within the block, in which textures are uploaded."""
    number = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_TEXTURE, GROUND)
    if number < 0 or model.tex_nchannel[number] != 3:
        yield
        return
    height, width = int(model.tex_height[number]), int(model.tex_width[number])
    begin = int(model.tex_adr[number])
    part = model.tex_data[begin : begin + 3 * height * width]
    before = part.copy()
    part[:] = _ground_texture(height, width).reshape(-1)
    try:
        yield
    finally:
        part[:] = before


@cache
def _ground_texture(height: int, width: int) -> npt.NDArray[np.uint8]:
    """Return the ground texture (height, width, 3): a checker with lines and grain."""
    row, column = np.mgrid[:height, :width]
    down, along = 2 * row / height % 1, 2 * column / width % 1
    dark = (2 * row // height + 2 * column // width) % 2 == 1
    colour = np.where(dark[..., None], _DARK, _LIGHT)
    edge = np.minimum(np.minimum(down, 1 - down), np.minimum(along, 1 - along))
    colour[edge < _LINE_WIDTH / 2] = _LINE
    bright = colour * (1 + _GRAIN * _grain(height, width)[..., None])
    return np.rint(255 * np.clip(bright, 0, 1)).astype(np.uint8)


def _grain(height: int, width: int) -> npt.NDArray[np.float64]:
    """Return seamless noise with a power-law spectrum, mean 0 and standard deviation 1."""
    white = np.random.default_rng(_SEED).standard_normal((height, width))
    up, along = np.meshgrid(np.fft.fftfreq(height), np.fft.rfftfreq(width), indexing="ij")
    frequency = np.hypot(up, along)
    frequency[0, 0] = np.inf  # no mean
    noise = np.fft.irfft2(np.fft.rfft2(white) * frequency**-0.6, s=(height, width))
    return np.asarray(noise / noise.std())


def round_hulls(scene: mujoco.MjvScene, model: mujoco.MjModel) -> None:
    """Replace the boxes of robot hulls in a scene by boxes with round edges."""
    for number in range(scene.ngeom):
        geom = scene.geoms[number]
        if (
            geom.type == mujoco.mjtGeom.mjGEOM_BOX
            and geom.objtype == mujoco.mjtObj.mjOBJ_GEOM
            and model.geom_contype[geom.objid] & HULL
            and scene.ngeom + _PARTS < scene.maxgeom
        ):
            _round_box(scene, geom)


_PARTS = 14  # additional geoms of a round box: two boxes, twelve edges


def _round_box(scene: mujoco.MjvScene, box: mujoco.MjvGeom) -> None:
    half, middle, turn = box.size.copy(), box.pos.copy(), box.mat.copy()
    radius = min(_ROUND * half.min(), _ROUNDEST)
    inner = half - radius
    for axis in (1, 2):
        size = inner.copy()
        size[axis] = half[axis]
        _add(scene, box, mujoco.mjtGeom.mjGEOM_BOX, size, middle, turn)
    for axis in range(3):
        one, other = (axis + 1) % 3, (axis + 2) % 3
        order = [one, other, axis]  # the axis of a capsule is its z
        for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            offset = np.zeros(3)
            offset[one], offset[other] = signs[0] * inner[one], signs[1] * inner[other]
            size = np.array([radius, inner[axis], 0.0])
            place = middle + turn @ offset
            _add(scene, box, mujoco.mjtGeom.mjGEOM_CAPSULE, size, place, turn[:, order])
    box.size[1:] = inner[1:]  # the original box becomes the first of the three boxes


def _add(
    scene: mujoco.MjvScene,
    like: mujoco.MjvGeom,
    kind: mujoco.mjtGeom,
    size: Any,
    place: Any,
    turn: Any,
) -> None:
    """Add a geom with the appearance of another one to a scene."""
    geom = scene.geoms[scene.ngeom]
    mujoco.mjv_initGeom(geom, kind, size, place, turn.reshape(-1), like.rgba)
    for field in _APPEARANCE:
        setattr(geom, field, getattr(like, field))
    scene.ngeom += 1


_APPEARANCE = (
    "category",
    "emission",
    "matid",
    "objid",
    "objtype",
    "reflectance",
    "segid",
    "shininess",
    "specular",
    "transparent",
)
