"""Record a run with ROS 2 messages, for Foxglove, PlotJuggler, Rerun, ROS 2 and pandas.

The folder is a rosbag2 bag; any reader of MCAP files opens it, without Grouser and without ROS.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import rosbags.highlevel

import grouser

WORLD = {
    "name": "yard",
    "terrain": [{"kind": "flat"}],
    "robots": [{"name": "rover", "kind": "p2dx", "position": [0, 0]}],
}

with TemporaryDirectory() as parent:
    folder = Path(parent) / "drive"
    sim = grouser.Simulation(WORLD)
    with sim.record(folder, hz=10.0):
        sim.command("rover", forward=0.2)
        sim.step(1.0)
    with rosbags.highlevel.AnyReader([folder]) as bag:
        for connection in sorted(bag.connections, key=lambda one: one.topic):
            print(f"{connection.topic:25} {connection.msgtype:35} {connection.msgcount:4}")
        odometry = [c for c in bag.connections if c.topic == "/rover/odom"]
        for connection, time, content in bag.messages(odometry):
            place = bag.deserialize(content, connection.msgtype).pose.pose.position
            print(f"{time / 1e9:.1f} s: x = {place.x:.3f} m, z = {place.z:.3f} m")
