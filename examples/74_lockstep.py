"""Lockstep: the world waits for the program, so two runs are the same to the last digit.

Starts servers of its own on this machine; ``--server HOST:PORT`` takes one that runs already.
"""

import argparse

from grouser.client import join, serving


def run(server: str | None) -> list[str]:
    """Follow the wall on the right for five seconds; return what was felt."""
    said = []
    with (
        serving("pioneer_room", "--players", "1", "--speed", "max", at=server) as ports,
        join("P3AT", "R1", at=(-3, 2.1, 0), host=ports.host, port=ports.control) as robot,
    ):
        robot.lockstep(0.1)  # simulated seconds from one turn to the next
        for turn, _ in zip(robot.turns(), range(51), strict=False):  # time passes between rounds
            right = robot.newest("F8").readings[0][1]  # m, of the sonar that looks to the right
            steer = max(-1.0, min(1.0, 2.0 * (right - 0.7)))
            robot.drive(3.0 + steer, 3.0 - steer)
            said.append(f"{turn.time:.1f} s   wall {right:.2f} m   {robot.newest('INS').location}")
    return said


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--server", metavar="HOST:PORT", help="a server that runs already")
given = parser.parse_args()

first = run(given.server)
print(*first[::10], sep="\n")
second = run(given.server)
print(f"the same again: {'yes' if first == second else 'NO'}")
