"""Client process in lockstep: PORT NAME KIND X Y SEED TURNS EVERY THINK.

It drives by a generator with SEED, waits up to THINK wall seconds (unseeded) before each turn,
prints ``done`` after TURNS turns and stays connected until its input ends.
"""

import os
import random
import sys
import time

from grouser.client.connection import join


def drive(port, name, kind, x, y, seed, turns, every, think) -> None:
    rng, unseeded = random.Random(seed), random.Random()
    where = {"port": port, "token": os.environ.get("GROUSER_TOKEN"), "timeout": 600}
    time.sleep(unseeded.uniform(0, think))
    with join(kind, name, at=(x, y, 0), **where) as robot:
        robot.lockstep(every)
        print("joined", flush=True)
        robot.turn()
        for _ in range(turns):
            robot.drive(rng.uniform(-3, 5), rng.uniform(-3, 5))
            if think:
                time.sleep(unseeded.uniform(0, think))
            robot.step()
        print("done", flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    port, name, kind, x, y, seed, turns, every, think = sys.argv[1:]
    numbers = float(x), float(y), int(seed), int(turns), float(every), float(think)
    drive(int(port), name, kind, *numbers)
