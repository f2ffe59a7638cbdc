"""Worlds and log queries for tests of triggers and events."""

from typing import Any

from grouser.simulation.simulation import Simulation
from grouser.world.file import World, parse

PHYSICS = """
physics:
  {timestep: 0.002, integrator: implicitfast, cone: elliptic, solver: newton, iterations: 50,
   tolerance: 1e-10, impratio: 20000}
"""


GROUND = """
terrain:
  - {kind: flat, friction: 0.8}
"""


def parse_world(text: str, ground: str = GROUND) -> World:
    """Parse a world file that consists of ``text``, a name, physics settings and ground."""
    return parse(f"name: test{PHYSICS}{ground}{text}", where="test.yaml")


def simulate(text: str, **options: Any) -> Simulation:
    """Return a simulation of the world of `parse_world`, at time 0."""
    return Simulation(parse_world(text), **options)


def log_of(sim: Simulation, *kinds: str) -> list[tuple[float, str]]:
    """Return the time (s) and the name, or text, of the log entries of some kinds."""
    return [
        (round(entry.time, 3), entry.name or entry.text)
        for entry in sim.event_log
        if entry.kind in kinds
    ]


FALLING = """
objects:
  - {name: ball, kind: ball, radius: 0.05, position: [0, 0, 2], mass: 0.1, friction: 0.5}
  - {name: crate, kind: box, size: [0.1, 0.1, 0.1], position: [3, 0, 0.05], mass: 1, friction: 0.5}
"""
