"""A path over the network: motion capture says where the roach is, the trials' driver steers it.

The same driver that steers thousands of simulated robots in a trial steers one that it only knows
by its TCP port, simulated or real. Here it goes over the double bridge, up one ramp and down the
other.

Starts a server of its own on this machine; ``--server HOST:PORT`` takes one that runs already.
"""

import argparse

from grouser.client import PathFollower, join, serving
from grouser.planning import PathDriver

PATH = [(-1.6, 0.75), (-0.5, 0.75), (0.5, 0.75), (1.6, 0.75)]  # m, in the world
LIMIT = 60.0  # s, simulated

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--server", metavar="HOST:PORT", help="a server that runs already")
given = parser.parse_args()

with (
    serving("double_bridge", "--players", "1", "--speed", "max", at=given.server) as ports,
    join("Roach", "roach", host=ports.host, port=ports.control) as robot,
):
    follower = PathFollower(PATH, PathDriver())
    robot.lockstep(0.1)  # simulated seconds between two commands, as in trials
    for turn in robot.turns():
        seen = robot.newest("mocap")
        command = follower.command(seen)
        if command:
            robot.drive(command["left_speed"], command["right_speed"])
        if round(10 * turn.time) % 50 == 0:
            print(f"{turn.time:5.1f} s   {follower.to_go:.2f} m to go")
        if follower.arrived or turn.time > LIMIT:
            break

    x, y, _ = seen.location  # in the wire's axes: y to the right
    how = "has arrived" if follower.arrived else "has not arrived"
    print(f"after {turn.time:.1f} s the roach {how}: it is at ({x:.2f}, {-y:.2f})")
