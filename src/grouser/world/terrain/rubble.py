"""Random rubble: blocks of random sizes, tilted and partly buried, from a seed."""

from __future__ import annotations

from typing import Annotated, Literal

import mujoco
import numpy as np
from pydantic import Field, Strict, model_validator

from grouser.description import mistake
from grouser.frames import Array, Pose, axis_angle, multiply, radians, rotate
from grouser.world.field_types import Length, Rgb
from grouser.world.physics_settings import Contact
from grouser.world.terrain.terrain_piece import PlacedTerrain

CONCRETE: tuple[Rgb, ...] = ((0.62, 0.60, 0.57), (0.70, 0.67, 0.62), (0.55, 0.53, 0.51))
BRICK: Rgb = (0.64, 0.40, 0.32)

MOST_BLOCKS = 5000


class Rubble(PlacedTerrain):
    """Blocks of random sizes, tilted and partly buried; deterministic for a seed."""

    kind: Literal["rubble"] = "rubble"
    length: Length = 3.0
    """Size of the field along x, m; above 0."""
    width: Length = 2.0
    """Size of the field along y, m; above 0."""
    height: Length = 0.12
    """Largest height of a corner above the ground, m; above 0."""
    edges: Annotated[tuple[Length, Length], Strict(False)] = (0.1, 0.3)
    """Shortest and longest edge of a block, m; above 0."""
    cover: Annotated[float, Field(gt=0, le=4)] = 1.0
    """Ratio of the blocks' total area to that of the field, -; above 0, at most 4 (overlapping)."""
    tilt_deg: Annotated[float, Field(ge=0, le=90)] = 25.0
    """Largest tilt of a block, deg; 0 to 90."""
    seed: Annotated[int, Field(ge=0, le=2**32)] = 0
    """Seed of the random numbers."""

    @model_validator(mode="after")
    def _fits(self) -> Rubble:
        if self.edges[0] > self.edges[1]:
            raise mistake("must be the shortest edge, then the longest", "edges")
        if self.edges[1] > min(self.length, self.width):
            raise mistake("must have no edge longer than length or width", "edges")
        if self.count > MOST_BLOCKS:
            raise mistake(
                f"must give at most {MOST_BLOCKS} blocks, these are {self.count}", "cover"
            )
        return self

    @property
    def count(self) -> int:
        """Number of blocks."""
        mean = sum(self.edges) / 2
        return max(1, round(self.cover * self.length * self.width / mean**2))

    def blocks(self) -> tuple[Array, Array, Array]:
        """Return centres (n, 3; m), rotations (n, 4) and edges (n, 3; m) of the blocks."""
        rng, n = np.random.default_rng(self.seed), self.count
        edges = rng.uniform(*self.edges, (n, 3))
        yaw, lean = rng.uniform(-np.pi, np.pi, (2, n))
        tilt = rng.uniform(0.0, radians(self.tilt_deg), n)
        place, share = rng.uniform(0.0, 1.0, (n, 2)), rng.uniform(0.3, 1.0, n)
        turns = np.array(
            [
                multiply(axis_angle((np.cos(a), np.sin(a), 0.0), t), axis_angle((0.0, 0.0, 1.0), b))
                for a, t, b in zip(lean, tilt, yaw, strict=True)
            ]
        )
        axes = rotate(turns[:, None], np.eye(3))  # (n, 3, 3): every block's axes as rows
        reach = np.einsum("nij,ni->nj", np.abs(axes), edges / 2)  # half extents along x, y, z
        # At least a tenth of every block is buried, and none extends beyond the field.
        top = np.minimum(share * self.height, 1.8 * reach[:, 2])
        inside = np.minimum(reach[:, :2], np.array([self.length, self.width]) / 2)
        span = np.array([self.length, self.width]) - 2 * inside
        middle = inside + place * span - [0.0, self.width / 2]
        return np.column_stack([middle, top - reach[:, 2]]), turns, edges

    def add(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        """Add the blocks, ``{name}/block_{number}``."""
        shades = (*CONCRETE, BRICK)
        for i, (middle, turn, edges) in enumerate(zip(*self.blocks(), strict=True)):
            X_WG = self.frame @ Pose(middle, turn)
            spec.worldbody.add_geom(
                name=f"{name}/block_{i}",
                type=mujoco.mjtGeom.mjGEOM_BOX,
                size=edges / 2,
                pos=X_WG.position,
                quat=X_WG.wxyz,
                **self.geom(contact, shades[i % len(shades)]),
            )
