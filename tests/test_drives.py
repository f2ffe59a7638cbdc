"""Drives: angle, speed and torque control, switching at run time, limits."""

import math
from typing import Any

import mujoco
import mujoco.batch
import numpy as np
import pytest

from grouser.errors import BadValue, UnknownName
from grouser.physics.drives import Drive, Drives, Setpoint, angle, speed, torque
from grouser.physics.state import StateArrays

DRIVE = Drive(force=5.0, speed=2.0, saturation_error=0.05, damping=1.0)


class Arm:
    """Hinged arm in the horizontal plane, 1 kg at 0.3 m."""

    def __init__(self, drive: Drive = DRIVE, gravity: float = 0.0) -> None:
        spec = mujoco.MjSpec()
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        spec.option.gravity = [0, 0, -gravity]
        spec.option.timestep = 0.001
        body = spec.worldbody.add_body(name="arm")
        body.add_joint(name="arm", type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 1, 0], armature=0.05)
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.05, 0, 0], pos=[0.3, 0, 0], mass=1.0
        )
        drive.add(spec, "arm", "arm")
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.rows = StateArrays.one(self.model, self.data)
        self.drives = Drives(self.model, {"arm": drive}, 0.02)
        self.targets = self.drives.targets(self.rows)

    def run(self, setpoint: Setpoint | None, seconds: float) -> float:
        if setpoint:
            self.drives.command(self.rows, self.targets, "arm", setpoint)
        fastest = strongest = 0.0
        for step in range(round(seconds / 0.001)):
            mujoco.mj_step(self.model, self.data)
            if step % 20 == 19:
                self.drives.settle(self.rows, self.targets)
            fastest = max(fastest, abs(self.data.qvel[0]))
            strongest = max(strongest, abs(self.data.actuator_force[0]))
        self.fastest, self.strongest = fastest, strongest
        return float(self.data.qpos[0])


def test_angle_is_reached_at_the_speed_of_the_drive_and_held() -> None:
    arm = Arm()
    halfway = arm.run(angle(2.0), 0.5)
    assert 0.6 < halfway < 1.1
    assert arm.run(None, 2.0) == pytest.approx(2.0, abs=math.radians(0.0055))
    assert arm.fastest < 2.1
    assert arm.run(None, 5.0) == pytest.approx(2.0, abs=math.radians(0.0055))


def test_speed_is_held_under_load() -> None:
    arm = Arm(gravity=9.81)
    arm.run(speed(0.5), 1.0)
    start = arm.data.qpos[0]
    # As the load reverses, the servo yields by at most its saturation error.
    assert arm.run(None, 2.0) - start == pytest.approx(1.0, abs=DRIVE.saturation_error)


def test_speed_zero_holds_without_creeping() -> None:
    arm = Arm(gravity=9.81)
    arm.run(speed(0.0), 1.0)
    start = arm.data.qpos[0]
    assert arm.run(None, 5.0) == pytest.approx(start, abs=1e-6)


def test_torque_gives_the_acceleration_of_newtons_law() -> None:
    arm = Arm()
    arm.run(torque(0.5), 1.0)
    inertia = arm.model.dof_M0[0]
    assert arm.data.qvel[0] == pytest.approx(0.5 / inertia, rel=1e-3)


def test_modes_switch_at_run_time() -> None:
    arm = Arm()
    arm.run(torque(1.0), 0.2)
    arm.run(speed(-1.0), 1.0)
    assert arm.data.qvel[0] == pytest.approx(-1.0, rel=0.01)
    assert arm.run(angle(0.25), 4.0) == pytest.approx(0.25, abs=1e-4)


def test_joint_and_torque_limits_are_respected() -> None:
    arm = Arm()
    arm.run(speed(99.0), 2.0)
    assert arm.data.qvel[0] == pytest.approx(2.0, rel=0.01)
    arm.run(torque(99.0), 0.1)
    assert arm.strongest <= 5.0


def test_stalled_drive_has_no_windup() -> None:
    """5 N m cannot lift 3.4 times as much; after a stop the drive must not continue to push."""
    heavy = Arm(gravity=60.0)
    heavy.run(speed(-1.0), 2.0)
    saturation_error = abs(float(heavy.drives.setpoints(heavy.rows)[0, 0] - heavy.data.qpos[0]))
    assert saturation_error <= DRIVE.saturation_error + DRIVE.speed * 0.02 + 1e-9


def test_power_is_force_times_speed() -> None:
    arm = Arm(gravity=9.81)
    arm.run(speed(-0.5), 1.0)
    power = arm.drives.work.power(arm.rows)[0, 0]
    assert power == pytest.approx(float(arm.data.actuator_force[0] * arm.data.qvel[0]))


@pytest.mark.parametrize("field", ["force", "speed", "saturation_error", "damping"])
def test_invalid_drives_are_rejected(field: str) -> None:
    numbers: dict[str, Any] = dict.fromkeys(("force", "speed", "saturation_error", "damping"), 1.0)
    numbers[field] = -1.0
    with pytest.raises(BadValue, match=f"{field} is -1.0, must be above 0"):
        Drive(**numbers)


def test_invalid_commands_are_rejected() -> None:
    arm = Arm()
    with pytest.raises(BadValue, match="speed is nan"):
        speed(math.nan)
    with pytest.raises(UnknownName, match="no drive 'amr'.*did you mean 'arm'"):
        arm.drives.command(arm.rows, arm.targets, "amr", speed(1.0))
    assert not np.any(arm.data.ctrl)


def test_stalled_drive_does_not_affect_another_simulation() -> None:
    arm = Arm()
    batch = mujoco.batch.Batch(arm.model, nsim=2, nthread=1)
    rows = StateArrays.many(batch)
    rows.qpos[:, 0] = 0.03
    rows.act[:, 0] = [10.0, 1e-3 / 3]  # far ahead of its joint; within reach
    was = rows.act[1, 0]
    arm.drives.settle(rows, arm.drives.targets(rows))
    assert rows.act[0, 0] < 5.0, "the setpoint of the stalled drive is clamped"
    assert rows.act[1, 0] == was
    assert rows.qpos[1, 0] + (was - rows.qpos[1, 0]) != was, (
        "the two simulations must differ elsewhere"
    )
