"""What good pictures show beyond what cameras see: grain on the ground, round edges of hulls.

People judge size, speed and contact by texture and by the light on edges. All of it is put into
what is drawn, never into the model: physics, sensors' cameras and fast videos have none of it.
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
"""The texture of level ground: a checker, two by two squares."""

_LIGHT, _DARK, _LINE = (
    (0.72, 0.72, 0.70),
    (0.66, 0.66, 0.64),
    (0.80, 0.80, 0.78),
)  # red, green, blue
_GRAIN = 0.045  # standard deviation of the ground's brightness: seen, but no pattern of its own
_LINE_WIDTH = 0.012  # of a square's edge
_ROUND = 0.35  # of a hull's smallest half edge: how round its edges are
_ROUNDEST = 0.015  # m
_SEED = 20  # of the grain, which is the same in every picture


@contextmanager
def dressed_ground(model: mujoco.MjModel) -> Iterator[None]:
    """Give the ground its grain inside the block, in which textures are read from ``model``."""
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
    """Return the ground's texture (height, width, 3): a checker, lines between, grain over all."""
    row, column = np.mgrid[:height, :width]
    down, along = 2 * row / height % 1, 2 * column / width % 1
    dark = (2 * row // height + 2 * column // width) % 2 == 1
    colour = np.where(dark[..., None], _DARK, _LIGHT)
    edge = np.minimum(np.minimum(down, 1 - down), np.minimum(along, 1 - along))
    colour[edge < _LINE_WIDTH / 2] = _LINE
    bright = colour * (1 + _GRAIN * _grain(height, width)[..., None])
    return np.rint(255 * np.clip(bright, 0, 1)).astype(np.uint8)


def _grain(height: int, width: int) -> npt.NDArray[np.float64]:
    """Return noise of mean 0 and deviation 1 that goes on seamlessly: fine, with some clouds."""
    white = np.random.default_rng(_SEED).standard_normal((height, width))
    up, along = np.meshgrid(np.fft.fftfreq(height), np.fft.rfftfreq(width), indexing="ij")
    frequency = np.hypot(up, along)
    frequency[0, 0] = np.inf  # no mean
    noise = np.fft.irfft2(np.fft.rfft2(white) * frequency**-0.6, s=(height, width))
    return np.asarray(noise / noise.std())


def round_hulls(scene: mujoco.MjvScene, model: mujoco.MjModel) -> None:
    """Draw the boxes of robots' bodies with round edges, as housings have."""
    for number in range(scene.ngeom):
        geom = scene.geoms[number]
        if (
            geom.type == mujoco.mjtGeom.mjGEOM_BOX
            and geom.objtype == mujoco.mjtObj.mjOBJ_GEOM
            and model.geom_contype[geom.objid] & HULL
            and scene.ngeom + _PARTS < scene.maxgeom
        ):
            _round_box(scene, geom)


_PARTS = 14  # that a round box has more than a plain one: two boxes, twelve edges


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
        order = [one, other, axis]  # a capsule lies along its own z
        for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            offset = np.zeros(3)
            offset[one], offset[other] = signs[0] * inner[one], signs[1] * inner[other]
            size = np.array([radius, inner[axis], 0.0])
            place = middle + turn @ offset
            _add(scene, box, mujoco.mjtGeom.mjGEOM_CAPSULE, size, place, turn[:, order])
    box.size[1:] = inner[1:]  # the first of the three boxes is the old one, made thinner


def _add(
    scene: mujoco.MjvScene,
    like: mujoco.MjvGeom,
    kind: mujoco.mjtGeom,
    size: Any,
    place: Any,
    turn: Any,
) -> None:
    """Add a shape that looks like another one."""
    geom = scene.geoms[scene.ngeom]
    mujoco.mjv_initGeom(geom, kind, size, place, turn.reshape(-1), like.rgba)
    for field in _LOOKS:
        setattr(geom, field, getattr(like, field))
    scene.ngeom += 1


_LOOKS = (
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
