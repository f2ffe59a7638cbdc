"""Path following over the network: driver of the trials, motion capture, real sockets."""

import math
from pathlib import Path

import numpy as np
import pytest
from support.client_helpers import instance_of
from support.narrowing import not_none

from grouser.client import PathFollower, join, serving
from grouser.errors import BadValue
from grouser.frames import from_rpy
from grouser.planning import PathDriver
from grouser.planning.driver import SkidLaw
from grouser.protocol.usarsim.axes import Axes
from grouser.protocol.usarsim.sensor_messages import MotionCapture

WORLD = """
name: goal on level ground
physics: {timestep: 0.001, integrator: discrete, cone: elliptic, solver: newton, iterations: 50,
          tolerance: 1e-10, impratio: 20000}
terrain: [{kind: flat, friction: 0.6}]
robots:
  - {name: roach, kind: velociroach, position: [0.1, 0.2], yaw_deg: 90,
     sensors: [{kind: mocap, body: body}]}
"""


def motion_capture_message(
    x: float, y: float, yaw: float, *, axes: Axes = Axes.Z_DOWN, tracked: bool = True
) -> MotionCapture:
    """Return the message for a body at x, y (m) with yaw (rad) in the world frame."""
    if not tracked:
        return MotionCapture(1.0, "mocap", False)
    return MotionCapture(
        1.0, "mocap", True, axes.place((x, y, 0.05)), axes.angles((0.02, -0.1, yaw))
    )


@pytest.mark.parametrize("axes", list(Axes))
@pytest.mark.parametrize("law", [PathDriver(), PathDriver(law=SkidLaw(speed=0.2))])
def test_received_pose_gives_the_command_of_the_trial_driver(axes: Axes, law: PathDriver) -> None:
    path = [[1.0, 0.5], [2.0, 0.5]]
    follower, state = PathFollower(path, law, axes=axes), law.begin(1)
    law.enter(state, 0, path)
    for x, y, yaw in ((0.0, 0.0, 0.3), (0.95, 0.45, -2.0), (1.5, 0.6, 0.1)):
        command = follower.command(motion_capture_message(x, y, yaw, axes=axes))
        wxyz = from_rpy(0.02, -0.1, yaw)[None]
        row = law.act(state, [0], np.array([[x, y, 0.05]]), wxyz)[0]
        assert command is not None
        assert list(command.values()) == pytest.approx(row.tolist())
        assert tuple(command) == law.words


def test_missing_pose_gives_no_command_and_the_end_stops() -> None:
    follower = PathFollower([[0.5, 0.0]])
    assert follower.command(None) is None
    assert follower.command(motion_capture_message(0.0, 0.0, 0.0, tracked=False)) is None
    assert math.isinf(follower.to_go)
    assert follower.command(motion_capture_message(0.3, 0.0, 0.0))
    assert not follower.arrived
    assert follower.to_go == pytest.approx(0.2)
    assert follower.command(motion_capture_message(0.47, 0.0, 0.0)) == {
        "left_speed": 0.0,
        "right_speed": 0.0,
    }
    assert follower.arrived


def test_invalid_path_is_rejected() -> None:
    with pytest.raises(BadValue, match="path: "):
        PathFollower([[0.0, math.nan]])


def test_goal_is_reached_over_tcp(tmp_path: Path) -> None:
    """The initial yaw error is 90 deg; the only pose input is motion capture."""
    file = tmp_path / "goal.yaml"
    file.write_text(WORLD)
    follower = PathFollower([[0.1, 0.2], [0.3, 0.2], [0.5, 0.1]])
    with (
        serving(str(file), "--players", "1", "--speed", "max") as ports,
        join("Roach", "roach", host=ports.host, port=ports.control, timeout=60) as robot,
    ):
        robot.lockstep(0.1)
        for turn in robot.turns():
            command = follower.command(instance_of(MotionCapture, robot.newest("mocap")))
            if command:
                robot.drive(command["left_speed"], command["right_speed"])
            if follower.arrived or turn.time > 10.0:
                break
        x, y, _ = not_none(instance_of(MotionCapture, robot.newest("mocap")).location)
    assert follower.arrived
    assert math.hypot(x - 0.5, -y - 0.1) < 0.06, "5 cm, and the cameras' noise"
