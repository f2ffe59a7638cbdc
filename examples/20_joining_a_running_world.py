"""Joining a running world: a second robot comes, pushes a box, and goes again.

Whoever was there before does not notice. Everything that changes a running world is an action,
done now or scheduled.
"""

import grouser
from grouser.simulation import Command, Join, Leave
from grouser.world import Box, RobotEntry

simulation = grouser.Simulation(grouser.load("quince_step"))
simulation.step(1.0)

box = Box(name="box", position=(-1.0, 1.5, 0.15), size=(0.3, 0.3, 0.3), mass=4.0, friction=0.5)
visitor = RobotEntry(name="visitor", kind="packbot", position=(-2.0, 1.5, 0.0))
simulation.apply(Join(box))
simulation.apply(Join(visitor))
simulation.schedule(1.5, Command("visitor", {"forward": 0.5}))
simulation.schedule(4.0, Leave("visitor"))
simulation.step(4.0)

print(f"the box is now at x = {simulation.pose('box').position[0]:.2f} m")
print(f"left in the world: {', '.join(simulation.scene.robots)}")
