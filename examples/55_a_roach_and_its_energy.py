"""VelociRoACH, driven by two motor speeds: energy of its twelve leg joints, from every step."""

import numpy as np

import grouser
from grouser.evaluation import joint_energy

simulation = grouser.Simulation(grouser.load("roach_circle"))
step = float(simulation.model.opt.timestep)

SPEEDS = ((15.7, 15.7), (15.7, 31.4))  # rad/s of the cranks: 2.5 and 5 strides per second

for left, right in SPEEDS:
    simulation.command("roach", left_speed=left, right_speed=right)
    simulation.step(1.0)
    start, power = simulation.pose("roach"), []
    for _ in range(round(0.8 / step)):
        simulation.step()
        power.append(list(simulation.power("roach").values()))  # torque x speed, W
    energy = joint_energy(np.array(power), step)
    moved = np.linalg.norm(simulation.pose("roach").position - start.position)
    print(f"{left} and {right} rad/s: moved {moved:.3f} m, effort {energy.effort * 1e3:.1f} mJ,")
    print(f"  work {energy.work * 1e3:.1f} mJ, the report's sum {energy.signed_sum:.1f}")
