"""A picture over the network: the camera of a remote robot as an array.

Starts a server on this machine; ``--server HOST:PORT`` uses a running one.
"""

import argparse

import numpy as np

from grouser.client import join, serving, watch
from grouser.rendering import write_png

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--server", metavar="HOST:PORT", help="a running server")
given = parser.parse_args()

with (
    serving("pioneer_room", "--picture-type", "raw", at=given.server) as ports,
    join("P3AT", name="R1", host=ports.host, port=ports.control) as robot,
    watch(robot, port=ports.images) as pictures,
):
    ahead = pictures.take(timeout=60)  # render workers may still be starting
    robot.package("CameraPanTilt", {0: 0.8})  # pan, rad, to the right
    while robot.packages["CameraPanTilt"].links[0].value < 0.75:
        robot.reading("Scanner1")
    pictures.take()  # skip the picture rendered during the motion
    right = pictures.take()

height, width, _ = ahead.shape
write_png("seen.png", np.concatenate([ahead, right], axis=1))
print(f"seen.png: two pictures of {width} x {height} pixels, ahead and to the right")
