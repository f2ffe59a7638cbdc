"""Where am I?  An ERS-210 waves its head and finds itself, from pictures and joint angles alone.

The software (`grouser.perception`) sees nothing but the camera's pictures, the neck's angles and a
map of the field. It is told nothing of where the robot stands.
"""

import numpy as np

import grouser
from grouser.experiments import cmos_rig as rig
from grouser.frames import degrees, millimetres
from grouser.perception import Localiser

X, Y, HEADING_DEG = 1.0, 0.5, 135.0
sim = grouser.Simulation(rig.world(X, Y, HEADING_DEG), seed=1)
vision = rig.vision("with")  # the camera with all its characteristics
me = Localiser(rig.field_map(), np.random.default_rng(1))

print(f"true pose: {X:.2f} m, {Y:.2f} m, {HEADING_DEG:.0f} deg")
for second in range(4):
    sim.command(rig.ROBOT, pan=grouser.speed(1.5 if second % 3 == 0 else -1.5))
    names = set()
    for _ in range(25):
        sim.step(1 / 25)
        landmarks = rig.see(sim, "with", vision).landmarks
        me.see(landmarks)
        names |= {sighting.name for sighting in landmarks}
    believed = me.estimate()
    x, y, turn = believed.pose
    width = millimetres((believed.high - believed.low)[:2])
    print(f"{second + 1} s: saw {', '.join(sorted(names)) or 'nothing'}")
    print(f"     believes {x:.2f} m, {y:.2f} m, {degrees(turn):.0f} deg", end="")
    print(f" (within {width[0]:.0f} x {width[1]:.0f} mm)")
