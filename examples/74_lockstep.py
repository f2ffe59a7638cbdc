"""Lockstep: the simulation waits for the client, so that two runs are bit-identical.

Starts servers on this machine; ``--server HOST:PORT`` uses a running one.
"""

import argparse

from grouser.client import join, serving


def run(server: str | None) -> list[str]:
    """Follow the wall on the right for five seconds; return the readings as text."""
    lines = []
    with (
        serving("pioneer_room", "--players", "1", "--speed", "max", at=server) as ports,
        join("P3AT", "R1", at=(-3, 2.1, 0), host=ports.host, port=ports.control) as robot,
    ):
        robot.lockstep(0.1)  # simulated seconds per turn
        for turn, _ in zip(robot.turns(), range(51), strict=False):  # each iteration advances time
            right = robot.newest("F8").readings[0][1]  # m, sonar on the right
            steer = max(-1.0, min(1.0, 2.0 * (right - 0.7)))
            robot.drive(3.0 + steer, 3.0 - steer)
            lines.append(f"{turn.time:.1f} s   wall {right:.2f} m   {robot.newest('INS').location}")
    return lines


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--server", metavar="HOST:PORT", help="a running server")
given = parser.parse_args()

first = run(given.server)
print(*first[::10], sep="\n")
second = run(given.server)
print(f"identical: {'yes' if first == second else 'NO'}")
