"""Camera characteristics: a pinhole and the AIBO ERS-210's lens and CMOS chip, side by side.

PackBot turns in place with both cameras. The rolling shutter of the ERS-210 exposes row after row,
so that the pole is skewed.
"""

import numpy as np

from grouser import Simulation
from grouser.rendering import write_png
from grouser.sensors import ERS210_CAMERA
from grouser.world import STANDARD, Cylinder, Flat, RobotEntry, World

PLACE = {"kind": "camera", "mount": "body", "at": [0.2, 0.0, 0.3]}
cameras = {"pinhole": ERS210_CAMERA.imager.ideal(), "ers210": ERS210_CAMERA.imager}

robot = RobotEntry(
    name="packbot",
    kind="packbot",
    position=(0, 0, 0),
    sensors=[{**PLACE, "name": name, "camera": camera} for name, camera in cameras.items()],
    command={"turn": 3.0},
)
pole = Cylinder(
    name="pole", radius=0.04, length=1.2, position=(1.5, 0.2, 0.6), fixed=True, friction=1
)
world = World(
    name="camera", physics=STANDARD, terrain=(Flat(friction=0.6),), robots=(robot,), objects=(pole,)
)

simulation = Simulation(world, seed=1)
simulation.step(0.2)
pictures = []
for name in cameras:
    reading = simulation.read("packbot", name)
    pictures.append(reading.array("image"))
    print(f"{name:8} {reading.time:.3f} s   SHA-256 {reading.values.hash[:16]}…")

write_png("camera.png", np.concatenate(pictures, axis=1))
print("picture: camera.png")
