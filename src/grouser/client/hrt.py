"""Robot library hrt of Kenaf: functions in millimetres and degrees (Kurose et al., sec. II-C).

::

    from grouser.client.hrt import *

    hrt_kenaf_init()
    for _ in range(4):
        hrt_show_status()
        hrt_go_forward(100.0)
        hrt_turning(90.0)
    hrt_stop()

`clib/hrt.h` is the same interface in C. The environment variable HRT_LINK selects the real or a
simulated robot (`grouser.client.links.open_link`). `grouser.client.hrt_robot.Hrt` is the same
for several robots or another link.

There is no background thread: belt commands are repeated while a call waits, and belts stop 0.3 s
after the last call has returned. `hrt_wait` keeps them running.
"""

from __future__ import annotations

from grouser.client.hrt_robot import Hrt, HrtCode, HrtError
from grouser.client.links import open_link

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
    "hrt_zoom_camera",
]


_robot: Hrt | None = None


def _require_open() -> Hrt:
    if _robot is None:
        raise HrtError(HrtCode.NOT_OPEN)
    return _robot


def hrt_kenaf_init() -> None:
    """Open the link HRT_LINK and wait for the first status of the robot."""
    global _robot
    hrt_close()
    _robot = Hrt(open_link())


def hrt_close() -> None:
    """Close the link, if it is open."""
    global _robot
    if _robot is not None:
        _robot.close()
        _robot = None


def hrt_show_status() -> None:
    """Print the status of the robot."""
    _require_open().show_status()


def hrt_go_forward(distance_mm: float) -> float:
    """Drive straight by the encoders, mm, backwards negative; return the driven distance."""
    return _require_open().go_forward(distance_mm)


def hrt_turning(angle_deg: float) -> float:
    """Turn on the spot by the posture sensor, deg, left positive; return the angle."""
    return _require_open().turning(angle_deg)


def hrt_stop() -> None:
    """Stop all six motors."""
    _require_open().stop()


def hrt_set_pace(mm_s: float) -> None:
    """Set the belt speed of hrt_go_forward and hrt_turning, mm/s."""
    _require_open().set_pace(mm_s)


def hrt_set_speeds(left_mm_s: float, right_mm_s: float) -> None:
    """Set the belt speeds, mm/s, forwards positive; belts stop 0.3 s after the last call."""
    _require_open().set_speeds(left_mm_s, right_mm_s)


def hrt_set_flippers(
    front_left: float, front_right: float, rear_left: float, rear_right: float
) -> None:
    """Set the flipper angles, deg, up positive."""
    _require_open().set_flippers(front_left, front_right, rear_left, rear_right)


def hrt_move_flippers(
    front_left: float, front_right: float, rear_left: float, rear_right: float
) -> None:
    """Set the flipper angles, deg, up positive, and wait until they are reached."""
    _require_open().move_flippers(front_left, front_right, rear_left, rear_right)


def hrt_aim_camera(pan_deg: float, tilt_deg: float) -> None:
    """Aim the front camera: pan to the left and tilt up, deg."""
    _require_open().aim_camera(pan_deg, tilt_deg)


def hrt_zoom_camera(view_deg: float) -> None:
    """Set the horizontal field of view of the front camera, deg; 0: that of its lens."""
    _require_open().zoom_camera(view_deg)


def hrt_wait(seconds: float) -> None:
    """Wait; running belts keep running."""
    _require_open().wait(seconds)


def hrt_get_encoders() -> tuple[float, float]:
    """Return the travel of the left and right belt, mm."""
    return _require_open().encoders


def hrt_get_speeds() -> tuple[float, float]:
    """Return the speed of the left and right belt, mm/s."""
    return _require_open().speeds


def hrt_get_flippers() -> tuple[float, float, float, float]:
    """Return the flipper angles, deg, up positive: front left, right, rear left, right."""
    return _require_open().flippers


def hrt_get_posture() -> tuple[float, float, float]:
    """Return roll, pitch (nose down positive), yaw (to the left positive), deg."""
    return _require_open().posture


def hrt_get_battery() -> int | None:
    """Return the remaining battery time, s; None: unknown."""
    return _require_open().battery


def hrt_get_slide() -> float | None:
    """Return the slip of the belts in the last turn, 0 to 1; None: no turn yet."""
    return _require_open().slide
