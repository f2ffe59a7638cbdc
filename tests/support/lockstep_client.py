"""Client process in lockstep: PORT NAME KIND X Y SEED TURNS EVERY THINK.

It drives by a generator with SEED, waits up to THINK wall seconds (unseeded) before each turn,
prints ``done`` after TURNS turns and stays connected until its input ends.
"""

import os
import random
import sys
import time

from grouser.client.connection import join


def drive(
    port: int,
    name: str,
    kind: str,
    x: float,
    y: float,
    seed: int,
    turns: int,
    every: float,
    think: float,
) -> None:
    """Join, drive for some turns in lockstep, and wait for the end of the input."""
    rng, unseeded = random.Random(seed), random.Random()
    token = os.environ.get("GROUSER_TOKEN")
    time.sleep(unseeded.uniform(0, think))
    with join(kind, name, at=(x, y, 0), port=port, token=token, timeout=600) as robot:
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
    place = float(x), float(y)
    drive(int(port), name, kind, *place, int(seed), int(turns), float(every), float(think))
