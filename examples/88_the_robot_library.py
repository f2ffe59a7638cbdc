"""The robot library of Kenaf (Kurose et al. 2008): a program for the real robot drives ours.

It goes forward, turns and lifts its flippers through the bridge, over a link that loses a tenth of
all datagrams. The simulator waits for every step here, so this is as fast as the machine is.
A program that uses ``hrt_kenaf_init()`` and the others needs no link: HRT_LINK names it.
"""

from pathlib import Path

from grouser.client import Hrt, LockstepLink, join, serving
from grouser.protocol import LinkFaults

Path("yard.yaml").write_text("name: yard\nterrain:\n  - {kind: flat, friction: 0.65}\n")

with (
    serving("yard.yaml", "--images", "-1", "--players", "1", "--speed", "max") as ports,
    join("Kenaf", "kenaf", host=ports.host, port=ports.control, timeout=60) as kenaf,
):
    link = LockstepLink(kenaf, LinkFaults(loss=0.1, delay=0.02, jitter=0.01, seed=1))
    robot = Hrt(link)
    print(f"forward {robot.go_forward(100.0):.1f} mm, by its encoders")
    print(f"turned {robot.turning(45.0):.1f} deg to the left, by its posture sensor")
    print(f"{100 * robot.slide:.0f} % of the belts' way was sliding: skid steering")
    robot.move_flippers(30.0, 30.0, 30.0, 30.0)
    robot.stop()
    robot.show_status()
    print("the bridge:", link.bridge.summary())
