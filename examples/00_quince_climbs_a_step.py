"""Quince climbs a step: load a world, simulate it, read a sensor, render a picture."""

from pathlib import Path

import grouser
from grouser.rendering import write_png

PICTURE = Path("demo.png")

simulation = grouser.Simulation(grouser.load("quince_step"))
step = simulation.world.terrain[1].height
print(f"Quince drives at 0.1 m/s against a step of {step * 1000:.0f} mm …")

while simulation.time < 15 and simulation.read("quince", "truth")["x"] < 1.15:
    simulation.step(0.5)
    truth = simulation.read("quince", "truth")
    print(f"{simulation.time:5.1f} s   x {truth['x']:6.3f} m   z {truth['z']:6.3f} m")

climbed = truth["z"] > step + 0.06
print(f"verdict: the step is {'climbed' if climbed else 'NOT climbed'}")
print(f"energy:  {sum(simulation.energy('quince').values()):.0f} J, work of the drives")

with grouser.Renderer(960, 640) as renderer:
    write_png(PICTURE, renderer.picture(simulation.model, simulation.data, simulation.view()))
print(f"picture: {PICTURE}")
