"""Sensors as in a world file: laser, RFID reader, victim detector and odometry on a PackBot.

Each sensor has its own rate, delay and errors; a reading carries the time of the measurement.
"""

import numpy as np

import grouser
from grouser.world import STANDARD, Box, Flat, RobotEntry, Tag, Victim, World

packbot = RobotEntry(
    name="packbot",
    kind="packbot",
    position=(0.0, 0.0, 0.0),
    command={"forward": 0.4},
    sensors=(
        {"kind": "laser", "mount": "body", "at": [0.2, 0, 0.2], "noise": 0.01, "delay_s": 0.05},
        {"kind": "victims", "mount": "body", "at": [0.3, 0, 0.3]},
        {"kind": "rfid", "mount": "body", "far": 1.0},
        {"kind": "odometry", "left": ["left"], "right": ["right"], "gauge": 0.331},
    ),
)
objects = (
    Box(name="wall", friction=0.8, fixed=True, position=(4.1, 0, 0.5), size=(0.2, 6, 1)),
    Victim(name="anna", position=(3.0, 0.6, 0), posture="sitting", yaw_deg=180),
    Tag(name="door", number=1001, position=(1.5, -0.3, 0.2)),
)
world = World(
    name="search",
    physics=STANDARD,
    terrain=(Flat(friction=0.8),),
    robots=(packbot,),
    objects=objects,
)

sim = grouser.Simulation(world, seed=1)
for _ in range(4):
    sim.step(1.0)
    scan = sim.read("packbot", "laser")
    ahead = float(np.median(scan.array("ranges")[85:96]))
    tags = sim.read("packbot", "rfid").array("ids").tolist()
    found = sorted(set(sim.read("packbot", "victims").array("parts").tolist()))
    x = sim.read("packbot", "odometry")["x"]
    print(f"{sim.time:.0f} s: odometry {x:.2f} m, {ahead:.2f} m free ahead at {scan.time:.2f} s")
    print(f"     tags {tags}, visible parts of the victim: {', '.join(found) or 'none'}")
