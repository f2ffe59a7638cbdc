"""A robot over the network: join a served world, drive until the laser measures an obstacle.

Starts a server on this machine; ``--server HOST:PORT`` uses a running one.
"""

import argparse

from grouser.client import join, serving

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--server", metavar="HOST:PORT", help="a running server")
given = parser.parse_args()

with (
    serving("pioneer_room", at=given.server) as ports,
    join("P3AT", name="R1", at=(2, 0, 0), host=ports.host, port=ports.control) as robot,
):
    length, width, _ = robot.geometry().dimensions
    print(f"{robot.level}: a robot of {length:.2f} x {width:.2f} m has joined")

    robot.reading("Odometry")  # waits for the first reading; newest() has one from now on
    robot.drive(left=5.0, right=5.0)  # rad/s of the wheels
    while (nearest := min(robot.reading("Scanner1").ranges)) > 0.6:
        x, _, _ = robot.newest("Odometry").pose
        print(f"{robot.time:5.1f} s   {x:5.2f} m travelled, obstacle at {nearest:.2f} m")
    robot.stop()

    print(f"stopped at {nearest:.2f} m; sonars:")
    print("  ".join(f"{name} {metres:.2f}" for name, metres in robot.newest("Sonar").readings))
