"""Client process with a robot and its camera, ten pictures per second.

Usage: camera_client.py CLASS NAME START CONTROL_PORT IMAGE_PORT SECONDS. It prints ``in`` when it
has joined, waits for a line, drives for SECONDS of wall time, and prints a report as JSON.
"""

import json
import sys
import time

from grouser.client.connection import join
from grouser.client.pictures import watch
from grouser.protocol.usarsim.state import State

FPS = 10.0


def main() -> None:
    kind, name, start, control, images, seconds = sys.argv[1:]
    with (
        join(kind, name=name, start=start, port=int(control), timeout=60.0) as robot,
        watch(robot, port=int(images)) as pictures,
    ):
        picture = pictures.take(timeout=60.0)
        print("in", flush=True)
        sys.stdin.readline()
        robot.drive(left=1.5, right=1.0)
        started = due = time.monotonic()
        received: dict[str, int] = {}
        stamps: list[tuple[float | None, float]] = []
        changes, frames = 0, 0
        while time.monotonic() < started + float(seconds):
            if time.monotonic() >= due:
                due += 1 / FPS
                now = pictures.take(timeout=10.0)
                changes += not (now == picture).all()
                picture, frames = now, frames + 1
            for message in robot.listen(seconds=max(0.0, due - time.monotonic())):
                sensor = getattr(message, "name", "") or type(message).__name__
                received[sensor] = received.get(sensor, 0) + 1
                if isinstance(message, State):
                    stamps.append((message.time, time.monotonic()))
        report = {
            "name": name,
            "shape": picture.shape,
            "frames": frames,
            "changes": changes,
            "seconds": time.monotonic() - started,
            "stamps": stamps,
            "received": received,
        }
        print(json.dumps(report), flush=True)


if __name__ == "__main__":
    main()
