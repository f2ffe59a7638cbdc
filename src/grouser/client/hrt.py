"""The robot library of Kenaf: the paper's calls, in millimetres and degrees (Kurose et al., II-C).

::

    from grouser.client.hrt import *

    hrt_kenaf_init()
    for _ in range(4):
        hrt_show_status()
        hrt_go_forward(100.0)
        hrt_turning(90.0)
    hrt_stop()

`clib/hrt.h` has the same in C. The program does not say whether its robot is real or simulated:
the environment variable HRT_LINK does (`grouser.client.links.link.open_link`). `Hrt` is the same
for programs that have several robots, or a link of their own (`grouser.client.hrt_robot`).

Nothing runs behind a program's back: belts are told again and again while a call waits, and stop
0.3 s after the last one has returned. `hrt_wait` keeps them running.
"""

from __future__ import annotations

from grouser.client.hrt_robot import Hrt, HrtCode, HrtError
from grouser.client.links.link import open_link

__all__ = [
    "hrt_aim_camera",
    "hrt_close",
    "hrt_get_battery",
    "hrt_get_encoders",
    "hrt_get_flippers",
    "hrt_get_posture",
    "hrt_get_slide",
    "hrt_get_speeds",
    "hrt_go_forward",
    "hrt_kenaf_init",
    "hrt_move_flippers",
    "hrt_set_flippers",
    "hrt_set_pace",
    "hrt_set_speeds",
    "hrt_show_status",
    "hrt_stop",
    "hrt_turning",
    "hrt_wait",
]


_robot: Hrt | None = None


def _opened() -> Hrt:
    if _robot is None:
        raise HrtError(HrtCode.NOT_OPEN)
    return _robot


def hrt_kenaf_init() -> None:
    """Open the link that HRT_LINK names, and wait until the robot has said how it is."""
    global _robot
    hrt_close()
    _robot = Hrt(open_link())


def hrt_close() -> None:
    """Leave the robot, if there is one."""
    global _robot
    if _robot is not None:
        _robot.close()
        _robot = None


def hrt_show_status() -> None:
    """Print how the robot is."""
    _opened().show_status()


def hrt_go_forward(distance_mm: float) -> float:
    """Drive straight, mm, by the encoders; below 0: backwards. Return how far it was."""
    return _opened().go_forward(distance_mm)


def hrt_turning(angle_deg: float) -> float:
    """Turn on the spot, deg, by posture; to the left positive. Return how far it was."""
    return _opened().turning(angle_deg)


def hrt_stop() -> None:
    """Let all six motors stand still."""
    _opened().stop()


def hrt_set_pace(mm_s: float) -> None:
    """Say how fast the belts run in hrt_go_forward and hrt_turning, mm/s."""
    _opened().set_pace(mm_s)


def hrt_set_speeds(left_mm_s: float, right_mm_s: float) -> None:
    """Let the belts run, mm/s, forwards positive, until 0.3 s after the last call."""
    _opened().set_speeds(left_mm_s, right_mm_s)


def hrt_set_flippers(
    front_left: float, front_right: float, rear_left: float, rear_right: float
) -> None:
    """Send the flippers to angles, deg, up positive."""
    _opened().set_flippers(front_left, front_right, rear_left, rear_right)


def hrt_move_flippers(
    front_left: float, front_right: float, rear_left: float, rear_right: float
) -> None:
    """Send the flippers to angles, deg, up positive, and wait until they are there."""
    _opened().move_flippers(front_left, front_right, rear_left, rear_right)


def hrt_aim_camera(pan_deg: float, tilt_deg: float) -> None:
    """Let the front camera look to the left (pan) and up (tilt), deg."""
    _opened().aim_camera(pan_deg, tilt_deg)


def hrt_wait(seconds: float) -> None:
    """Let time pass; belts that were told to run keep running."""
    _opened().wait(seconds)


def hrt_get_encoders() -> tuple[float, float]:
    """Return how far the belts have run, mm: left, right."""
    return _opened().encoders


def hrt_get_speeds() -> tuple[float, float]:
    """Return how fast the belts run, mm/s: left, right."""
    return _opened().speeds


def hrt_get_flippers() -> tuple[float, float, float, float]:
    """Return where the flippers are, deg, up positive: front left, right, rear left, right."""
    return _opened().flippers


def hrt_get_posture() -> tuple[float, float, float]:
    """Return roll, pitch (nose down positive), yaw (to the left positive), deg."""
    return _opened().posture


def hrt_get_battery() -> int | None:
    """Return how long the battery will last, s; None: nobody knows."""
    return _opened().battery


def hrt_get_slide() -> float | None:
    """Return what share of the belts' way was sliding in the last turn; None: no turn yet."""
    return _opened().slide
