"""Worlds in which something happens: what tests of triggers and events share."""

from grouser.simulation.simulation import Simulation
from grouser.world.file import parse

PHYSICS = """
physics:
  {timestep: 0.002, integrator: implicitfast, cone: elliptic, solver: newton, iterations: 50,
   tolerance: 1e-10, impratio: 20000}
"""


GROUND = """
terrain:
  - {kind: flat, friction: 0.8}
"""


def world(text, ground=GROUND):
    """Read a world file of which only ``text`` matters."""
    return parse(f"name: test{PHYSICS}{ground}{text}", where="test.yaml")


def simulation(text, **options):
    """Let that world begin."""
    return Simulation(world(text), **options)


def happened(sim, *kinds):
    """Return time and name, or text, of what is in the log."""
    return [
        (round(one.time, 3), one.name or one.text) for one in sim.event_log if one.kind in kinds
    ]


FALLING = """
objects:
  - {name: ball, kind: ball, radius: 0.05, position: [0, 0, 2], mass: 0.1, friction: 0.5}
  - {name: crate, kind: box, size: [0.1, 0.1, 0.1], position: [3, 0, 0.05], mass: 1, friction: 0.5}
"""
