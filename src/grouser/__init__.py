"""Tracked and legged robots on rough ground: find out what will happen before the machine does.

::

    import grouser

    sim = grouser.Simulation(grouser.load("quince_step"))
    sim.command("quince", forward=0.1)
    sim.step(12.0)
    print(sim.read("quince", "truth")["z"])

The public names below are imported when they are first used; importing grouser does no work.
"""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
