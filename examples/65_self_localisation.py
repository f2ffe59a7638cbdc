"""Monte Carlo localisation: an ERS-210 turns its head and estimates its pose on the field.

The input of `grouser.perception` is the camera's pictures, the neck's angles and a map of the
field; the true pose is not used.
"""

import numpy as np

import grouser
from grouser.experiments import cmos_rig as rig
from grouser.frames import degrees, millimetres
from grouser.perception import Localiser

X, Y, HEADING_DEG = 1.0, 0.5, 135.0
sim = grouser.Simulation(rig.world(X, Y, HEADING_DEG), seed=1)
vision = rig.vision("with")  # camera with all characteristics
localiser = Localiser(rig.field_map(), np.random.default_rng(1))

print(f"true pose: {X:.2f} m, {Y:.2f} m, {HEADING_DEG:.0f} deg")
for second in range(4):
    sim.command(rig.ROBOT, pan=grouser.speed(1.5 if second % 3 == 0 else -1.5))
    names = set()
    for _ in range(25):
        sim.step(1 / 25)
        landmarks = rig.see(sim, "with", vision).landmarks
        localiser.see(landmarks)
        names |= {sighting.name for sighting in landmarks}
    estimate = localiser.estimate()
    x, y, turn = estimate.pose
    width = millimetres((estimate.high - estimate.low)[:2])
    print(f"{second + 1} s: landmarks {', '.join(sorted(names)) or 'none'}")
    print(f"     estimate {x:.2f} m, {y:.2f} m, {degrees(turn):.0f} deg", end="")
    print(f" (interval {width[0]:.0f} x {width[1]:.0f} mm)")
