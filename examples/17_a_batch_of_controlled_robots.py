"""Batch: one controller drives eight robots up steps of eight heights.

All quantities are arrays with a row per simulation. Each simulation has the same bits as a
`grouser.Simulation` with the same seed and commands.
"""

import numpy as np

import grouser

HEIGHTS = np.linspace(0.10, 0.38, 8)  # m
RAISE, PRESS, LEVEL = range(3)
FRONT = np.radians([45.0, -20.0, 0.0])  # rad, of the front flippers in each stage
REAR = np.radians([0.0, -60.0, 0.0])

worlds = [grouser.load("quince_step", [f"terrain.1.height={height}"]) for height in HEIGHTS]
batch = grouser.Batch(worlds, seeds=1)
stage = np.full(len(batch), RAISE)
climbed = np.full(len(batch), np.nan)  # s

while batch.time[0] < 9.0 and np.isnan(climbed).any():
    pose = batch.poses("quince")  # x, y, z, qw, qx, qy, qz
    nose_up = -2.0 * np.degrees(np.arcsin(pose[:, 5] * pose[:, 3] - pose[:, 4] * pose[:, 6]))
    stage[(stage == RAISE) & (nose_up > 12)] = PRESS
    stage[(stage == PRESS) & (nose_up < 6)] = LEVEL
    batch.command("quince", forward=0.2, front=FRONT[stage], rear=REAR[stage])
    batch.step(0.1)
    arrived = np.isnan(climbed) & (batch.poses("quince")[:, 0] > 1.3)
    climbed[arrived] = batch.time[arrived]

effort = batch.effort("quince").sum(axis=1)  # J, over all drives
for row, height in enumerate(HEIGHTS):
    result = "not climbed" if np.isnan(climbed[row]) else f"climbed after {climbed[row]:.1f} s"
    print(f"{height * 1e3:.0f} mm: {result}, {effort[row]:.0f} J")

batch.reset(np.isnan(climbed), friction=1.5)  # these start again; all others keep their state
print(f"{np.count_nonzero(batch.time == 0.0)} simulations start again on ground of more friction")
