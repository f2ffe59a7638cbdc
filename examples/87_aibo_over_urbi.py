"""Program for an AIBO with URBI's server, run against the simulator.

It stands up from the robot's posture, nods, reads a distance sensor and takes a picture, over plain
text on one socket. ``--server HOST:PORT`` is another server: a simulated robot, or a real one with
URBI (port 54000).
"""

import argparse
import contextlib
import socket

from grouser.client import parse_host_port, start_command

parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
parser.add_argument("--server", metavar="HOST:PORT", help="a robot with URBI")
given = parser.parse_args()


def receive(stream, tag):
    """Return the text of the next message with a tag."""
    while True:
        head, _, text = stream.readline().decode().rstrip("\n").partition("] ")
        if head.endswith(f":{tag}"):
            return text


with contextlib.ExitStack() as stack:
    address = given.server
    if address is None:
        words = ("serve", "aibo_kick", "--port", "0", "--images", "0", "--truth", "-1")
        opened = stack.enter_context(start_command(*words, "--gateway", "urbi:port=0"))
        address = f"127.0.0.1:{opened['urbi']}"
    robot = stack.enter_context(
        socket.create_connection(parse_host_port(address, 54000, "--server"), 60)
    )
    stream = stack.enter_context(robot.makefile("rb"))

    def send(text):
        """Send commands."""
        robot.sendall(text.encode())

    send("motors on; headPan.val = 30 smooth:800; headPan.val = 0 smooth:800;")
    send("headTilt.val = 20 time:500 & neck.val = -10 time:500; nodded: headTilt.val;")
    print(f"the head is at {float(receive(stream, 'nodded')):.0f} deg")
    send("near << distanceNear.val;")
    print(f"the nearest thing ahead is {float(receive(stream, 'near')):.0f} cm away")
    send("seen << camera.val;")
    _, size, _, width, height = receive(stream, "seen").split()
    with open("aibo.jpg", "wb") as file:
        file.write(stream.read(int(size)))
    print(f"aibo.jpg: {width} x {height} pixels")
