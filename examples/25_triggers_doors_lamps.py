"""Triggers and the console: a door opens, a lamp goes off, an event happens at random.

An ERS-7 walks to a door, which opens; the lamp goes off 3 s later; a trigger behind the door fires
with a probability that depends on the seed. Then the same door is controlled from a console.
"""

import grouser
from grouser.service import Console

for seed in (1, 2, 3):
    simulation = grouser.Simulation(grouser.load("gate"), seed=seed)
    simulation.step(9.0)
    print(f"seed {seed}:")
    for entry in simulation.drain_events():
        print(f"  {entry}")

print("console:")
console = Console(grouser.Simulation(grouser.load("gate")), steps=True)
for line in ("tell rex forward 0", "open gate", "after 3 light lamp off", "step 4", "where gate"):
    print(f"  > {line}")
    print("  " + console.execute(line).replace("\n", "\n  "))
