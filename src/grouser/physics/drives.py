"""Drives: servo actuators of joints and belts, controlled by angle, speed or torque.

Every drive is one MuJoCo ``pid`` actuator with three inputs (position, velocity, force) and a
rate-limited position setpoint:

- angle: the setpoint goes to the target at the drive's speed limit and stays there;
- speed: the target lies out of reach, and the setpoint goes towards it at the commanded speed, so
  the drive keeps its speed under load and stands still, without creeping, at a command of 0;
- torque: both gains are zero and the force is the input.

The force never exceeds the drive's limit. A setpoint cannot run further ahead of a stalled joint
than the distance at which the force saturates (`Drives.settle`): anti-windup.

Units are the drive's own: m, m/s and N for a belt or a slide, rad, rad/s and N m for a hinge.
`DriveWork` integrates power into work; `apply_spring_timing` removes the numerical damping of
MuJoCo's ``discrete`` integrator.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import mujoco
import numpy as np

from grouser.errors import BadValue, unknown
from grouser.frames import Array
from grouser.physics.state import ColumnIndex, StateArrays, Which, column_index

Mode = Literal["angle", "speed", "torque"]

OUT_OF_REACH = 1e6
"""Target of a speed command, m or rad: no run gets there."""

STANDSTILL = 1e-9
"""Speed (m/s or rad/s) at which nothing moves in any run."""

FEW = 8
"""Number of drives up to which Python scalars are faster than NumPy arrays."""

WORK_SAMPLES = 16
"""Samples of `WorkSamples` per NumPy call; more save little."""

LEAST_DAMPING = 1e-6
"""Fraction of a drive's damping that `apply_spring_timing` keeps at least. A spring with less
damping than a step adds (c < k h) stays damped by the step, as in MuJoCo: steps could hardly follow
it."""

ALL_INPUTS = (
    mujoco.mjtCtrlInput.mjINPUT_POS
    | mujoco.mjtCtrlInput.mjINPUT_VEL
    | mujoco.mjtCtrlInput.mjINPUT_FF
)

_SCALAR_JOINTS = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))


@dataclass(frozen=True, kw_only=True)
class Drive:
    """Description of a drive; becomes one actuator."""

    force: float
    """Largest force (N) or torque (N m), > 0."""
    speed: float
    """Largest speed (m/s or rad/s), > 0."""
    saturation_error: float
    """Position error (m or rad) at which the force limit is reached: the servo's stiffness."""
    damping: float
    """Speed error (m/s or rad/s) at which the force limit is reached."""

    def __post_init__(self) -> None:
        for name in ("force", "speed", "saturation_error", "damping"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise BadValue(f"drive: {name} is {value}, must be above 0")

    @property
    def stiffness(self) -> float:
        """Position gain, N/m or N m/rad."""
        return self.force / self.saturation_error

    @property
    def viscosity(self) -> float:
        """Velocity gain, N s/m or N m s/rad."""
        return self.force / self.damping

    def add(self, spec: mujoco.MjSpec, name: str, joint: str, *, gear: float = 1.0) -> None:
        """Add the actuator ``name`` on ``joint``; ``gear`` is drive metres per joint unit."""
        actuator = spec.add_actuator(name=name, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        actuator.set_to_pid(
            kp=self.stiffness, kv=self.viscosity, slewmax=self.speed, ctrlspec=int(ALL_INPUTS)
        )
        actuator.forcelimited = True
        actuator.forcerange = [-self.force, self.force]
        actuator.gear = [gear, 0, 0, 0, 0, 0]


@dataclass(frozen=True, slots=True)
class Setpoint:
    """Command of one drive: control mode and value."""

    mode: Mode
    value: float

    def __post_init__(self) -> None:
        if not math.isfinite(self.value):
            raise BadValue(f"command: {self.mode} is {self.value}, a finite number is needed")


def angle(value: float) -> Setpoint:
    """Go to ``value`` (rad, or m) at the drive's speed limit and hold it."""
    return Setpoint("angle", value)


def speed(value: float) -> Setpoint:
    """Move at ``value`` (rad/s, or m/s)."""
    return Setpoint("speed", value)


def torque(value: float) -> Setpoint:
    """Push with ``value`` (N m, or N)."""
    return Setpoint("torque", value)


@dataclass(frozen=True, slots=True)
class _DriveAddresses:
    """Addresses of a drive in a compiled scene, and its gains; Python scalars, which index fast."""

    drive: Drive
    actuator: int
    qpos: int
    gear: float
    first: int
    """First input; those of speed and force are the next two."""
    state: int
    stiffness: float
    viscosity: float


@dataclass(frozen=True, eq=False)
class TrackedDrives:
    """Drives (d,) that follow a trajectory together (`Drives.track`), by their addresses."""

    targets: ColumnIndex
    """Position inputs."""
    rates: ColumnIndex
    """Speed inputs."""
    actuators: ColumnIndex
    states: ColumnIndex
    limits: Array
    """Largest speeds (d,), m/s or rad/s."""


class Drives:
    """All drives of a compiled scene, by name, for one simulation or many."""

    def __init__(
        self, model: mujoco.MjModel, drives: Mapping[str, Drive], belts: Collection[str] = ()
    ) -> None:
        """Look up every drive's actuator in ``model``.

        Args:
            model: the compiled scene.
            drives: by actuator name.
            belts: names of drives that are commanded by speed: `settle` leaves their speed input
                alone. (A belt that is commanded to a position goes there more slowly.)
        """
        self.names = tuple(drives)
        self._descriptions = tuple(drives.values())
        self._place = {name: place for place, name in enumerate(self.names)}
        ids = [model.actuator(name).id for name in self.names]
        self.actuators = np.array(ids, int)
        joints = model.actuator_trnid[self.actuators, 0]
        self._qpos = model.jnt_qposadr[joints]
        self._gears = model.actuator_gear[self.actuators, 0]
        self._inputs = model.actuator_ctrladr[self.actuators]
        self._states = model.actuator_actadr[self.actuators]
        self._saturation = np.array([drive.saturation_error for drive in self._descriptions])
        self.work = DriveWork(model, ids, [drive.force for drive in self._descriptions])
        """Power, work and effort of the drives."""
        self._speeds = np.array([drive.speed for drive in self._descriptions])
        followed = [place for place, name in enumerate(self.names) if name not in belts]
        self._followed = np.array(followed, int)
        self._followed_actuators = self.actuators[self._followed]
        self._followed_inputs = self._inputs[self._followed]
        self._addresses = {name: self._look_up(name) for name in self.names}
        self._scalar_addresses = _rows(self._qpos, self._gears, self._states, self._saturation)
        followed_states = self._states[self._followed]
        self._followed_addresses = _rows(
            self._followed_actuators, followed_states, self._followed_inputs
        )

    def _is_small(self, rows: StateArrays) -> bool:
        """Return True if Python scalars are faster than arrays; both give the same bits."""
        return len(self._scalar_addresses) <= FEW and len(rows.qpos) == 1

    def _look_up(self, name: str) -> _DriveAddresses:
        place = self._place[name]
        drive = self._descriptions[place]
        return _DriveAddresses(
            drive=drive,
            actuator=int(self.actuators[place]),
            qpos=int(self._qpos[place]),
            gear=float(self._gears[place]),
            first=int(self._inputs[place]),
            state=int(self._states[place]),
            stiffness=drive.stiffness,
            viscosity=drive.viscosity,
        )

    def command(
        self, rows: StateArrays, name: str, setpoint: Setpoint, which: Which = slice(None)
    ) -> None:
        """Command drive ``name`` of the simulations ``which``, within its limits."""
        if name not in self._addresses:
            raise unknown("command", "drive", name, self.names)
        wired, value = self._addresses[name], setpoint.value
        drive, actuator, first = wired.drive, wired.actuator, wired.first
        ctrl, gains, slews = rows.ctrl, rows.actuator_biasprm, rows.actuator_dynprm
        if setpoint.mode == "torque":
            length = rows.qpos[which, wired.qpos] * wired.gear
            gains[which, actuator, 1] = 0.0
            gains[which, actuator, 2] = 0.0
            rows.act[which, wired.state] = length
            ctrl[which, first] = length
            ctrl[which, first + 1] = 0.0
            ctrl[which, first + 2] = _clamp(value, drive.force)
            return
        gains[which, actuator, 1] = -wired.stiffness
        gains[which, actuator, 2] = -wired.viscosity
        ctrl[which, first + 2] = 0.0
        if setpoint.mode == "angle":
            slews[which, actuator, 1] = drive.speed
            # An input beyond 1e10 would make MuJoCo set the inputs of all actuators to zero.
            ctrl[which, first] = _clamp(value, OUT_OF_REACH)
            ctrl[which, first + 1] = 0.0
            return
        rate = _clamp(value, drive.speed)
        ctrl[which, first + 1] = rate
        if rate == 0.0:
            # The setpoint stays; if the load overruns a weak drive, `settle` moves it along.
            slews[which, actuator, 1] = STANDSTILL
            ctrl[which, first] = rows.act[which, wired.state]
        else:
            slews[which, actuator, 1] = abs(rate)
            ctrl[which, first] = math.copysign(OUT_OF_REACH, rate)

    def hold(self, rows: StateArrays, name: str, value: float, which: Which = slice(None)) -> None:
        """Hold drive ``name`` at ``value`` (m or rad), where it is now."""
        rows.act[which, self._states[self._place[name]]] = value
        self.command(rows, name, angle(value), which)

    def tracked(self, names: Sequence[str]) -> TrackedDrives:
        """Return the drives ``names`` as `track` takes them."""
        places = np.array([self._place[name] for name in names], int)
        inputs = self._inputs[places]
        return TrackedDrives(
            targets=column_index(inputs),
            rates=column_index(inputs + 1),
            actuators=column_index(self.actuators[places]),
            states=column_index(self._states[places]),
            limits=self._speeds[places],
        )

    def track(
        self,
        rows: StateArrays,
        tracked: TrackedDrives,
        targets: Array,
        every: float,
        these: Array | None = None,
    ) -> None:
        """Move setpoints to ``targets`` in ``every`` seconds at constant speed, within limits.

        Args:
            rows: the simulations.
            tracked: the drives.
            targets: positions at the end of the interval (m or rad), (n, d).
            every: time until the next call, s.
            these: mask of the drives to move, bool (n, d); None: all of them.
        """
        rate = (targets - rows.act[:, tracked.states]) / every
        rate = np.minimum(np.maximum(rate, -tracked.limits), tracked.limits)
        # MuJoCo reads a slew of 0 as no limit.
        slew = np.maximum(np.abs(rate), STANDSTILL)
        if these is not None:
            targets = np.where(these, targets, rows.ctrl[:, tracked.targets])
            rate = np.where(these, rate, rows.ctrl[:, tracked.rates])
            slew = np.where(these, slew, rows.actuator_dynprm[:, tracked.actuators, 1])
        rows.ctrl[:, tracked.targets] = targets
        rows.ctrl[:, tracked.rates] = rate
        rows.actuator_dynprm[:, tracked.actuators, 1] = slew

    def place(self, name: str) -> int:
        """Return the index of ``name`` in ``names``."""
        return self._place[name]

    def positions(self, rows: StateArrays) -> Array:
        """Return the position of each drive (m or rad), shape (n, drives)."""
        return self.geared(self.joints(rows))

    def joints(self, rows: StateArrays) -> Array:
        """Return a copy of the drives' joints' positions (m or rad of the joint), (n, drives)."""
        return np.asarray(rows.qpos.take(self._qpos, 1))

    def geared(self, joints: Array) -> Array:
        """Return the drives' positions (m or rad) for positions of their joints, (n, drives)."""
        return np.asarray(joints * self._gears)

    def settle(self, rows: StateArrays, every: float) -> None:
        """Limit and feed forward all setpoints; called once per ``every`` seconds.

        A setpoint stays within `Drive.saturation_error` of its joint, so that a stalled drive does
        not wind up. The speed input follows the setpoint, so that damping does not brake a wanted
        motion.
        """
        if self._is_small(rows) and not self._any_saturated(rows):
            setpoint, slews, inputs = rows.act.item, rows.actuator_dynprm, rows.ctrl
            for actuator, state, place in self._followed_addresses:
                rate, slew = (inputs.item(place) - setpoint(state)) / every, slews[0, actuator, 1]
                inputs[0, place + 1] = min(max(rate, -slew), slew)
            return
        act = self._clamped_setpoints(rows)
        if len(self._followed):
            slew = rows.actuator_dynprm[:, self._followed_actuators, 1]
            wanted = (rows.ctrl[:, self._followed_inputs] - act[:, self._followed]) / every
            rows.ctrl[:, self._followed_inputs + 1] = np.minimum(np.maximum(wanted, -slew), slew)

    def _any_saturated(self, rows: StateArrays) -> bool:
        """Return True if a setpoint of the only simulation is too far from its joint."""
        position, setpoint = rows.qpos.item, rows.act.item
        for qpos, gear, state, saturation in self._scalar_addresses:
            if abs(setpoint(state) - position(qpos) * gear) > saturation:
                return True
        return False

    def _clamped_setpoints(self, rows: StateArrays) -> Array:
        """Clamp setpoints to the saturation error around their joints; return them, (n, drives)."""
        # Hot path: `take` and `count_nonzero` cost a quarter of indexing and `any`.
        length = self.positions(rows)
        act = rows.act.take(self._states, 1)
        ahead = act - length
        far = np.abs(ahead) > self._saturation
        if np.count_nonzero(far):
            clamped = length + np.minimum(np.maximum(ahead, -self._saturation), self._saturation)
            # Only simulations with such a drive: adding again would change the last bit of others.
            act = np.where(far.any(axis=1, keepdims=True), clamped, act)
            rows.act[:, self._states] = act
        return np.asarray(act)


class DriveWork:
    """Power, work and effort of all drives of a compiled scene, for one simulation or many."""

    def __init__(
        self, model: mujoco.MjModel, actuators: Sequence[int], strongest: Sequence[float]
    ) -> None:
        """Look up the drives' ``actuators`` in ``model``; ``strongest``: their force limits."""
        ids = np.array(actuators, int)
        self._dofs = model.jnt_dofadr[model.actuator_trnid[ids, 0]]
        self._gears = model.actuator_gear[ids, 0]
        self._outputs = column_index(model.actuator_outadr[ids])
        self._gains = column_index(ids)
        self._strongest = np.array(strongest)
        self._timestep = float(model.opt.timestep)
        self._discrete = model.opt.integrator == mujoco.mjtIntegrator.mjINT_DISCRETE
        self._scalar_addresses = _rows(self._dofs, self._gears, model.actuator_outadr[ids])

    def power(self, rows: StateArrays) -> Array:
        """Return each drive's mechanical power in the last step, W, shape (n, drives)."""
        return self.power_at(rows, rows.qvel, rows.qacc, rows.actuator_force)

    def add(self, rows: StateArrays, seconds: float, work: Array, effort: Array) -> None:
        """Add each drive's work in the last ``seconds``, from its power in the last step.

        Args:
            rows: the simulations.
            seconds: length of the interval.
            work: signed, J, (n, drives); added to in place.
            effort: absolute value, J, (n, drives); added to in place.
        """
        if len(self._scalar_addresses) <= FEW and len(rows.qpos) == 1 and not self._discrete:
            speed, force = rows.qvel.item, rows.actuator_force.item
            for place, (dof, gear, output) in enumerate(self._scalar_addresses):
                joules = force(output) * (speed(dof) * gear) * seconds
                work[0, place] += joules
                effort[0, place] += abs(joules)
            return
        joules = self.power(rows)
        joules *= seconds
        np.add(work, joules, out=work)
        np.add(effort, np.abs(joules, out=joules), out=effort)

    def samples(self, rows: StateArrays, every: float) -> WorkSamples:
        """Return an accumulator of samples, one per ``every`` seconds; same bits as `add`."""
        return WorkSamples(self, rows, every)

    def power_at(self, rows: StateArrays, qvel: Array, qacc: Array, force: Array) -> Array:
        """Return the power at one or more instants, W, from MuJoCo's arrays of them, (…, n, ·)."""
        speeds = qvel.take(self._dofs, -1) * self._gears
        force = force[..., self._outputs]
        if self._discrete:
            force = force + self._force_change(rows, force, speeds, qacc)
        return np.asarray(force * speeds)

    def _force_change(self, rows: StateArrays, force: Array, speeds: Array, qacc: Array) -> Array:
        """Return the change of the servos' forces within the last step, shape of ``force``.

        MuJoCo stores the force at the step's beginning, but its ``discrete`` integrator applies the
        one at the end, when the joint has moved. Without this term the work of the light legs of a
        roach is 40 to 110 % too large (1 ms).
        """
        gains = rows.actuator_biasprm[:, self._gains]
        stiffness, viscosity = gains[..., 1], gains[..., 2]
        accelerations = qacc.take(self._dofs, -1) * self._gears
        change = self._timestep * (stiffness * speeds + viscosity * accelerations)
        return np.where(np.abs(force) < self._strongest, change, 0.0)


class WorkSamples:
    """Batched accumulator of work samples, while no drive is commanded; saves NumPy calls."""

    def __init__(self, work: DriveWork, rows: StateArrays, every: float) -> None:
        """Sample ``rows``; each sample stands for ``every`` seconds."""
        self._of, self._rows, self._every = work, rows, every
        self._watched = rows.qvel, rows.qacc, rows.actuator_force
        self._kept = [np.empty((WORK_SAMPLES, *array.shape)) for array in self._watched]
        self._taken = 0

    @property
    def full(self) -> bool:
        """True if the buffer is full: call `add` before the next `take`."""
        return self._taken == WORK_SAMPLES

    def take(self) -> None:
        """Store a sample."""
        for kept, array in zip(self._kept, self._watched, strict=True):
            kept[self._taken] = array
        self._taken += 1

    def add(self, work: Array, effort: Array) -> None:
        """Add the samples to ``work`` and ``effort``, as `DriveWork.add` does; clear the buffer."""
        if not self._taken:
            return
        kept = (array[: self._taken] for array in self._kept)
        joules = self._of.power_at(self._rows, *kept) * self._every
        self._taken = 0
        for total, each in ((work, joules), (effort, np.abs(joules))):
            # One after another, as single samples are: another order changes the last bit.
            total[...] = np.add.accumulate(np.concatenate([total[None], each]))[-1]


def apply_spring_timing(model: mujoco.MjModel, drives: Mapping[str, Drive]) -> dict[str, Drive]:
    """Evaluate springs and servos at the start of a step; return the drives as they are then.

    MuJoCo's ``discrete`` integrator evaluates a spring at the end of a step, so that no spring is
    too stiff for it. That adds a damper of k h to a spring k at a step h: a bounce of w rad/s gets
    an additional damping ratio of w h/2. At 2 ms the servos of a roach had a quarter more damping
    than specified, and the cost of a crossing depended on the step.

    With k h subtracted from the damper, -k (x + h v) - (c - k h) v is -k x - c v: the spring at the
    step's start, the damper at its end, both still solved together with contacts. That is the
    semi-implicit Euler rule, which neither damps nor excites a bounce that steps can follow.

    Args:
        model: just compiled, with the ``discrete`` integrator; joints' dampers and servos' gains
            are written. Springs of tendons are unchanged.
        drives: its servos, by actuator name.
    """
    timestep = float(model.opt.timestep)
    joints = np.flatnonzero(np.isin(model.jnt_type, _SCALAR_JOINTS))
    dofs = model.jnt_dofadr[joints]
    left = model.dof_damping[dofs] - timestep * model.jnt_stiffness[joints]
    model.dof_damping[dofs] = np.maximum(left, 0.0)
    changed = {name: _evaluated_at_start(drive, timestep) for name, drive in drives.items()}
    for name, drive in changed.items():
        model.actuator_biasprm[model.actuator(name).id, 2] = -drive.viscosity
    return changed


def _evaluated_at_start(drive: Drive, timestep: float) -> Drive:
    """Return ``drive`` with a ``timestep`` (s) of its stiffness subtracted from its viscosity."""
    viscosity = max(drive.viscosity - timestep * drive.stiffness, LEAST_DAMPING * drive.viscosity)
    return dataclasses.replace(drive, damping=drive.force / viscosity)


def _rows(*columns: Array) -> tuple[tuple[Any, ...], ...]:
    """Return columns as rows of Python scalars."""
    return tuple(zip(*(column.tolist() for column in columns), strict=True))


def _clamp(value: float, limit: float) -> float:
    """Return ``value`` limited to ±``limit``; NumPy's clip takes ten times as long."""
    return min(max(float(value), -limit), limit)
