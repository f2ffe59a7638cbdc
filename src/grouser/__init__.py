"""Simulator for tracked and legged robots on rough ground, with planning and network control.

::

    import grouser

    sim = grouser.Simulation("quince_step")
    sim.robots["quince"].command(forward=0.1)
    sim.step(12.0)
    print(sim.robots["quince"].pose.position)

Public names are imported on first use; importing grouser loads no other module.
"""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
