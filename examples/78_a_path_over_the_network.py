"""Path following over the network: poses from motion capture, steering by `PathDriver`.

The path driver of simulated trials controls a robot behind a TCP port, simulated or real. The path
leads over the double bridge, up one ramp and down the other.

Starts a server on this machine; ``--server HOST:PORT`` uses a running one.
"""

import argparse

from grouser.client import PathFollower, join, serving
from grouser.planning import PathDriver

PATH = [(-1.6, 0.75), (-0.5, 0.75), (0.5, 0.75), (1.6, 0.75)]  # m, world frame
LIMIT = 60.0  # s, simulated

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--server", metavar="HOST:PORT", help="a running server")
given = parser.parse_args()

with (
    serving("double_bridge", "--players", "1", "--speed", "max", at=given.server) as ports,
    join("Roach", "roach", host=ports.host, port=ports.control) as robot,
):
    follower = PathFollower(PATH, PathDriver())
    robot.lockstep(0.1)  # simulated seconds between two commands, as in trials
    for turn in robot.turns():
        measured = robot.newest("mocap")
        command = follower.command(measured)
        if command:
            robot.drive(command["left_speed"], command["right_speed"])
        if round(10 * turn.time) % 50 == 0:
            print(f"{turn.time:5.1f} s   {follower.to_go:.2f} m to go")
        if follower.arrived or turn.time > LIMIT:
            break

    x, y, _ = measured.location  # axes of the protocol: y to the right
    result = "has arrived" if follower.arrived else "has not arrived"
    print(f"after {turn.time:.1f} s the roach {result}, at ({x:.2f}, {-y:.2f})")
