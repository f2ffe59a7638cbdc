"""Add and remove robots and objects in a running simulation: a second robot pushes a box.

Every change of a running world is an action, applied now or scheduled. The state of all other
bodies is unchanged.
"""

import grouser
from grouser.simulation import Command, Join, Leave
from grouser.world import Box, RobotEntry

simulation = grouser.Simulation(grouser.load("quince_step"))
simulation.step(1.0)

box = Box(name="box", position=(-1.0, 1.5, 0.15), size=(0.3, 0.3, 0.3), mass=4.0, friction=0.5)
pusher = RobotEntry(name="pusher", kind="packbot", position=(-2.0, 1.5, 0.0))
simulation.apply(Join(box))
simulation.apply(Join(pusher))
simulation.schedule(1.5, Command("pusher", {"forward": 0.5}))
simulation.schedule(4.0, Leave("pusher"))
simulation.step(4.0)

print(f"the box is now at x = {simulation.pose('box').position[0]:.2f} m")
print(f"robots in the world: {', '.join(simulation.scene.robots)}")
