"""Several robots in one asyncio program: each drives its own way, all at the same time.

Starts a server of its own on this machine; ``--server HOST:PORT`` takes one that runs already.
"""

import argparse
import asyncio

from grouser.client import Ports, async_join, serving


async def drive(name: str, y: float, spin: float, ports: Ports) -> None:
    """Drive ahead at ``spin`` rad/s for 0.3 m, then tell the others by radio."""
    robot = await async_join("P2DX", name, at=(0, y, 0), host=ports.host, port=ports.control)
    async with robot:
        robot.drive(spin, spin)
        while (await robot.reading("Odometry")).pose[0] < 0.3:
            pass
        robot.stop()
        robot.transmit(b"I have arrived")
        for _ in range(2):  # there are two others
            heard = await robot.receive(timeout=60)
            print(f"{name} hears {heard.sender}: {heard.data.decode()} ({heard.strength:.0f} dBm)")


async def main(ports: Ports) -> None:
    """Let three robots drive side by side."""
    await asyncio.gather(
        drive("slow", -1.0, 2.0, ports),
        drive("quick", 0.0, 6.0, ports),
        drive("steady", 1.0, 4.0, ports),
    )


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--server", metavar="HOST:PORT", help="a server that runs already")
given = parser.parse_args()
with serving("pioneer_room", at=given.server) as ports:
    asyncio.run(main(ports))
