"""Path following by motion capture: the poses come from another process, over VRPN or ROS.

The same lines steer a simulated and a physical robot: a motion capture system measures the pose,
the path driver of simulated trials computes the command. Here the system is the simulator's, a
process of its own with a VRPN port.

``--tracker NAME --vrpn HOST:PORT`` reads a real system instead, ``--topic NAME --ros HOST:PORT`` a
topic ``geometry_msgs/PoseStamped``; ``--server HOST:PORT`` drives a robot of a running server.
"""

import argparse

from grouser.client import PathFollower, RosPoses, VrpnPoses, join, parse_host_port, start_command
from grouser.errors import NoAnswer
from grouser.planning import PathDriver

PATH = [(-1.6, 0.75), (-1.3, 0.80), (-1.0, 0.75)]  # m, world frame: in front of the first ramp
LOST = 0.5  # s without a pose after which the robot stops
LIMIT = 20.0  # s, simulated

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--server", metavar="HOST:PORT", help="control port of a running server")
parser.add_argument("--tracker", default="roach", help="rigid body of the VRPN server")
parser.add_argument("--vrpn", metavar="HOST:PORT", help="VRPN server of a motion capture system")
parser.add_argument("--topic", default="/roach/mocap", help="topic with poses")
parser.add_argument("--ros", metavar="HOST:PORT", help="rosbridge with the topic, instead of VRPN")
given = parser.parse_args()

words = ("serve", "double_bridge", "--players", "1", "--speed", "max", "--port", "0")
ports = ("--images", "-1", "--truth", "-1", "--gateway", "vrpn:port=0")
with start_command(*words, *ports) as opened:
    if given.ros:
        host, port = parse_host_port(given.ros, 9090, "--ros")
        source = RosPoses(given.topic, host=host, port=port)
    else:
        host, port = parse_host_port(given.vrpn or f"127.0.0.1:{opened['vrpn']}", 3883, "--vrpn")
        source = VrpnPoses(given.tracker, host=host, port=port)
    host, port = parse_host_port(given.server or f"127.0.0.1:{opened['control']}", 3000, "--server")

    follower = PathFollower(PATH, PathDriver())
    with source, join("Roach", "roach", host=host, port=port) as robot:
        robot.lockstep(0.1)  # simulated seconds between two commands; a physical robot has none
        for turn in robot.turns():
            try:
                pose = source.newest(timeout=LOST)
            except NoAnswer:
                robot.drive(0.0, 0.0)  # the cameras have lost the robot
                continue
            command = follower.steer(pose.position, pose.wxyz)
            robot.drive(command["left_speed"], command["right_speed"])
            if follower.arrived or turn.time > LIMIT:
                break

result = "has arrived" if follower.arrived else "has not arrived"
x, y, _ = pose.position
print(f"after {turn.time:.1f} s the roach {result}, at ({x:.2f}, {y:.2f}), by the cameras")
