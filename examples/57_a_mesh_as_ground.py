"""A mesh file as ground: a gate becomes convex pieces, with free space below it."""

from pathlib import Path

import numpy as np

import grouser
from grouser.simulation import Ground
from grouser.world import MeshGround, decompose

# A block of 1.2 m x 0.5 m x 0.5 m with an opening of 0.8 m x 0.4 m: 16 corners, one body.
outline = [
    (-0.6, 0),
    (-0.4, 0),
    (-0.4, 0.4),
    (0.4, 0.4),
    (0.4, 0),
    (0.6, 0),
    (0.6, 0.5),
    (-0.6, 0.5),
]
corners = np.array([(x, y, z) for y in (-0.25, 0.25) for x, z in outline])
front = [(0, 1, 2), (0, 2, 7), (2, 3, 6), (2, 6, 7), (3, 4, 5), (3, 5, 6)]
back = [(c + 8, b + 8, a + 8) for a, b, c in front]
sides = [(i, i + 8, (i + 1) % 8) for i in range(8)]
sides += [((i + 1) % 8, i + 8, (i + 1) % 8 + 8) for i in range(8)]
faces = np.array([*front, *back, *sides])

cut = decompose(corners, faces)  # convex pieces and their measured error
print(f"{len(cut.pieces)} convex pieces: {cut.fit}")

lines = [f"v {x} {y} {z}" for x, y, z in corners]
lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces]
Path("gate.obj").write_text("\n".join(lines) + "\n")

gate = MeshGround(file=Path("gate.obj"), x=1.0, yaw_deg=90, friction=0.6)
print(f"gate.obj collides as {gate.choice().taken}: {gate.choice().why}")

world = grouser.load("roach_circle")
world = world.changed(terrain=(*world.terrain, gate))
ground = Ground(grouser.Simulation(world).scene)
over, under = ground.below([[1.0, 0.0, 2.0], [1.0, 0.0, 0.2]]).height
print(f"ground above the gate at {over:.2f} m, below it at {under:.2f} m")
