"""Planning services over rosbridge: plan a path, drive it, read its energy.

``roslibpy`` implements the rosbridge protocol; no ROS installation is needed. The planner simulates
every candidate in a separate process; then the served robot drives the best one.

Starts a server on this machine.
"""

import json

import roslibpy

from grouser.client import serving

OPTIONS = ("--rosbridge", "0", "--goal", "0.5,0.1", "--images", "-1", "--speed", "max")
SMALL = ("--plan", "candidates=2", "--plan", "trials=1", "--plan", "rounds=1")

with serving("roach_circle", *OPTIONS, *SMALL) as ports:
    ros = roslibpy.Ros(ports.host, ports.rosbridge)
    ros.run()

    def call(service: str) -> dict[str, float]:
        """Call a service of the roach; return its result."""
        trigger = roslibpy.Service(ros, f"roach/{service}", "std_srvs/Trigger")
        answer = trigger.call(roslibpy.ServiceRequest())
        if not answer["success"]:
            raise SystemExit(f"{service}: {answer['message']}")
        return json.loads(answer["message"])

    planned = call("path_plan")
    print(f"{planned['trials']} trials; the best path is {planned['length']:.2f} m long")
    call("reset_pose")
    call("drive")
    print(f"driven in {call('drive_time')['seconds']:.1f} s")
    print(f"for {call('energy_used')['effort']:.2f} J")
    ros.terminate()
