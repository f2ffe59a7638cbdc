"""How a world file says integrator, solver and contact: shared by the worlds that tests write."""

SOLVER = """\
  integrator: implicitfast
  cone: elliptic
  solver: newton
  iterations: 50
  tolerance: 1e-8
  impratio: 10
  contact:
    time_constant: 0.004
    damping_ratio: 1
    impedance_start: 0.95
    impedance_end: 0.99
    impedance_width: 0.001
"""
"""Goes behind ``physics:`` and its time step."""
