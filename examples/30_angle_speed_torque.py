"""Command one joint by angle, speed and torque, switched while the simulation runs."""

import math

import grouser

simulation = grouser.Simulation(grouser.load("quince_step"))
simulation.command("quince", forward=0.0, front=grouser.angle(math.radians(60)))
simulation.step(2.0)
print("angle :", round(math.degrees(simulation.read("quince", "encoder")["front_left_arm"]), 2))

simulation.command("quince", front=grouser.speed(math.radians(-20)))
simulation.step(1.0)
print("speed :", round(math.degrees(simulation.read("quince", "encoder")["front_left_arm"]), 2))

simulation.command("quince", front=grouser.torque(0.0))
simulation.step(1.0)
print("torque:", round(math.degrees(simulation.read("quince", "encoder")["front_left_arm"]), 2))
