"""Kenaf's robot library hrt (Kurose et al. 2008): a program for the real robot, simulated.

The robot drives forward, turns and raises its flippers through the bridge, over a link that loses
a tenth of all datagrams. Lockstep: the simulation waits for every step and runs at full speed.
Programs that use ``hrt_kenaf_init()`` need no link object; HRT_LINK selects the link.
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
    print(f"forward {robot.go_forward(100.0):.1f} mm, measured by encoders")
    print(f"turned {robot.turning(45.0):.1f} deg to the left, measured by the posture sensor")
    print(f"{100 * robot.slide:.0f} % of the belt travel was slip (skid steering)")
    robot.move_flippers(30.0, 30.0, 30.0, 30.0)
    robot.stop()
    robot.show_status()
    print("the bridge:", link.bridge.summary())
