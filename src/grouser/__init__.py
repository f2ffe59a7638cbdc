"""Simulator for tracked and legged robots on rough ground, with planning and network control.

::

    import grouser

    sim = grouser.Simulation(grouser.load("quince_step"))
    sim.command("quince", forward=0.1)
    sim.step(12.0)
    print(sim.read("quince", "truth")["z"])

Public names are imported on first use; importing grouser loads no other module.
"""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
