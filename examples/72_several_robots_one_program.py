"""Several robots in one asyncio program, driving concurrently and communicating by radio.

Starts a server on this machine; ``--server HOST:PORT`` uses a running one.
"""

import argparse
import asyncio

from grouser.client import Ports, async_join, serving


async def drive(name: str, y: float, spin: float, ports: Ports) -> None:
    """Drive forward for 0.3 m with wheels at ``spin`` rad/s, then send a radio message."""
    robot = await async_join("P2DX", name, at=(0, y, 0), host=ports.host, port=ports.control)
    async with robot:
        robot.drive(spin, spin)
        while (await robot.reading("Odometry")).pose[0] < 0.3:
            pass
        robot.stop()
        robot.transmit(b"I have arrived")
        for _ in range(2):  # one from each other robot
            message = await robot.receive(timeout=60)
            text = message.data.decode()
            print(f"{name} received from {message.sender}: {text} ({message.strength:.0f} dBm)")


async def main(ports: Ports) -> None:
    """Drive three robots concurrently."""
    await asyncio.gather(
        drive("slow", -1.0, 2.0, ports),
        drive("quick", 0.0, 6.0, ports),
        drive("steady", 1.0, 4.0, ports),
    )


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--server", metavar="HOST:PORT", help="a running server")
given = parser.parse_args()
with serving("pioneer_room", at=given.server) as ports:
    asyncio.run(main(ports))
