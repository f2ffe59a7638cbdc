"""A program that drives a robot over the websocket of the browser page."""

import json
import subprocess
import sys
import time

from websockets.sync.client import connect

from grouser.protocol import page


def drive(url: str, seconds: float = 1.5) -> None:
    """Drive the first robot of the world; print where it goes."""
    with connect(url, max_size=None) as socket:

        def send(op: str, **content: object) -> None:
            socket.send(json.dumps({"op": op, **content}))

        send("hello", version=page.VERSION, role="trainer")
        robot, body, quantum, shown = "", 0, 0.0, -1.0
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            data = socket.recv()
            if isinstance(data, str):
                message = json.loads(data)
                if message["op"] == "scene":
                    first, quantum = message["robots"][0], message["quantum"]
                    robot, body = first["name"], first["body"]
                    send("take", robot=robot)
                elif message["op"] == "state" and robot in message["holders"]:
                    send("drive", robot=robot, throttle=0.5, rudder=0.0)  # for 0.3 s at most
                continue
            frame = page.decode(data)
            if isinstance(frame, page.PoseFrame):
                send("ack", frame=frame.number)
                if body in frame.moved and frame.time > shown + 0.25:
                    shown = frame.time
                    x, y, z = page.unpack_pose(frame.moved[body], quantum).position
                    print(f"{frame.time:6.2f} s  {robot} at {x:.3f}, {y:.3f}, {z:.3f} m")
        send("release", robot=robot)


words = ["open", "pioneer_room", "--no-browser", "--no-pictures", "--page-port", "0"]
command = [sys.executable, "-m", "grouser", *words]
with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
    listening = next(iter(server.stdout or ()))  # listening page=8080
    drive(f"ws://127.0.0.1:{listening.strip().rpartition('=')[2]}/socket")
    server.terminate()
