"""Planning services, as a ROS program calls them: plan a path, drive it, ask what it cost.

``roslibpy`` speaks the rosbridge protocol; no ROS is installed. Planning drives every candidate in
physics in a process of its own, then the best one is driven by the robot that is served.

Starts a server of its own on this machine.
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
        """Call one of the roach's services; return what its message says."""
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
