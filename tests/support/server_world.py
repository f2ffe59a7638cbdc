"""World file of the server tests: a floor with start places."""

from support.solver_yaml import SOLVER

WORLD = f"""
name: yard
description: A floor with places to start from and a robot of its own.
physics:
  timestep: 0.002
{SOLVER}"""
WORLD += """\
  energy_limit: 20
terrain:
  - {kind: flat, friction: 0.8}
robots:
  - {name: own, kind: p2dx, position: [-5, 3]}
starts:
  - {name: West, position: [-2, 1], yaw_deg: 90}
  - {name: East, position: [2, -1]}
"""
