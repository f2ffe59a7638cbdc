"""A world in which things happen: a door, a light and chance, by themselves and by hand.

An ERS-7 walks up to a door, which opens; the light goes out 3 s later; behind the door something
may happen, as the seed will have it. Then the same door is worked from a console.
"""

import grouser
from grouser.service import Console

for seed in (1, 2, 3):
    simulation = grouser.Simulation(grouser.load("gate"), seed=seed)
    simulation.step(9.0)
    print(f"seed {seed}:")
    for entry in simulation.drain_events():
        print(f"  {entry}")

print("by hand:")
console = Console(grouser.Simulation(grouser.load("gate")), steps=True)
for line in ("tell rex forward 0", "open gate", "after 3 light lamp off", "step 4", "where gate"):
    print(f"  > {line}")
    print("  " + console.execute(line).replace("\n", "\n  "))
