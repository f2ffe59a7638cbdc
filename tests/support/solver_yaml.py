"""Integrator, solver and contact settings of the world files that tests write."""

SOLVER = """\
  integrator: implicitfast
  cone: elliptic
  solver: newton
  iterations: 50
  tolerance: 1e-10
  impratio: 20000
  contact:
    frequency: 300
    damping_ratio: 0.05
    friction_rate: 900
    impact_damping: 8
  gravity: 9.81
"""
"""Lines that follow ``physics:`` and its time step."""
