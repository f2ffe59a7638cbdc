"""Drives: servo actuators of joints and belts, controlled by angle, speed or torque.

Every drive is one of MuJoCo's plain actuators, an integrated-velocity servo: gain kp, bias -kp and
-kv, integrator dynamics. Its input is the rate of the setpoint, so MuJoCo moves the setpoint at
every physics step; an input once per control interval would be a staircase. Its activation is
``setpoint + rate kv/kp``: the second term feeds the speed forward, so that damping does not brake a
wanted motion.

- angle: the setpoint goes to the target at the drive's speed limit and stays there;
- speed: the target lies out of reach, and the setpoint goes towards it at the commanded speed, so
  the drive keeps its speed under load and stands still, without creeping, at a command of 0;
- torque: the bias is zero and the activation is force/kp.

Targets and speeds are in `DriveTargets`; `Drives.settle` turns them into rates. The force never
exceeds the drive's limit. A setpoint cannot run further ahead of a stalled joint than the distance
at which the force saturates: anti-windup.

Units are the drive's own: m, m/s and N for a belt or a slide, rad, rad/s and N m for a hinge.
`apply_spring_timing` removes ``discrete``'s numerical damping.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue, unknown
from grouser.frames import Array
from grouser.physics.command_delay import LONGEST, CommandDelay, PendingCommands
from grouser.physics.drive_work import FEW, DriveWork
from grouser.physics.losses import Losses, Motor
from grouser.physics.state import ColumnIndex, StateArrays, Which, column_index

Mode = Literal["angle", "speed", "torque"]

Number = float | Array
"""Number for all simulations, or one per commanded simulation, (k,)."""

OUT_OF_REACH = 1e6
"""Target of a speed command, m or rad: no run gets there."""

NO_TARGET = math.inf
"""Target of a torque command."""

LEAST_DAMPING = 1e-6
"""Fraction of a drive's damping that `apply_spring_timing` keeps at least: a spring with less
damping than a step adds (c < k h) stays damped by the step, as in MuJoCo."""

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
    losses: Losses | None = None
    """Friction that it works against; None: none."""
    rim: float = 1.0
    """Travel of the rim (m) per unit: 1 for belts, the radius for wheels."""
    motor: Motor | None = None
    """None: ideal, without electric power and with a constant force limit."""
    command_delay: float = 0.0
    """Time from a command to its effect, s; see `grouser.physics.command_delay`."""

    def __post_init__(self) -> None:
        for name in ("force", "speed", "saturation_error", "damping"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise BadValue(f"drive: {name} is {value}, must be above 0")
        if not 0 <= self.command_delay <= LONGEST:
            raise BadValue(
                f"drive: command_delay is {self.command_delay}, must be 0 to {LONGEST:g} s"
            )

    @property
    def stiffness(self) -> float:
        """Position gain, N/m or N m/rad."""
        return self.force / self.saturation_error

    @property
    def viscosity(self) -> float:
        """Velocity gain, N s/m or N m s/rad."""
        return self.force / self.damping

    @property
    def lead(self) -> float:
        """Time by which the speed is fed forward, viscosity/stiffness, s."""
        return self.viscosity / self.stiffness

    def add(self, spec: mujoco.MjSpec, name: str, joint: str, *, gear: float = 1.0) -> None:
        """Add the actuator ``name`` on ``joint``; ``gear`` is drive metres per joint unit."""
        actuator = spec.add_actuator(name=name, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        actuator.set_to_intvelocity(kp=self.stiffness, kv=self.viscosity)
        actuator.actearly = True  # the force of a step belongs to the setpoint at its end
        actuator.forcelimited = True
        actuator.forcerange = [-self.force, self.force]
        actuator.gear = [gear, 0, 0, 0, 0, 0]


@dataclass(frozen=True, slots=True)
class Setpoint:
    """Command of one drive: control mode and value."""

    mode: Mode
    value: Number

    def __post_init__(self) -> None:
        if isinstance(self.value, str) or not is_finite(self.value):
            raise BadValue(f"command: {self.mode} is {self.value!r}, a finite number is needed")


def angle(value: Number) -> Setpoint:
    """Go to ``value`` (rad, or m) at the drive's speed limit and hold it."""
    return Setpoint("angle", value)


def speed(value: Number) -> Setpoint:
    """Move at ``value`` (rad/s, or m/s)."""
    return Setpoint("speed", value)


def torque(value: Number) -> Setpoint:
    """Push with ``value`` (N m, or N)."""
    return Setpoint("torque", value)


@dataclass(frozen=True)
class DriveTargets:
    """Present commands of drives, (n, drives); one row per simulation."""

    positions: Array
    """Final positions of the setpoints, m or rad; `NO_TARGET` in torque mode."""
    speeds: Array
    """Largest speed of setpoints on the way, m/s or rad/s."""
    pending: PendingCommands
    """Commands that are not yet in effect, of drives with a delay."""

    def take(self, which: npt.NDArray[np.integer]) -> DriveTargets:
        """Return a copy of the rows ``which``."""
        return DriveTargets(self.positions[which], self.speeds[which], self.pending.take(which))


@dataclass(frozen=True, slots=True)
class _DriveAddresses:
    """Addresses of a drive in a compiled scene, and its gains; Python scalars, which index fast."""

    drive: Drive
    place: int
    """Column in `DriveTargets`."""
    actuator: int
    qpos: int
    gear: float
    rate: int
    """Input."""
    state: int
    stiffness: float
    viscosity: float
    lead: float
    saturation: float


@dataclass(frozen=True, eq=False)
class TrackedDrives:
    """Drives (d,) that follow a trajectory together (`Drives.track`), by their addresses."""

    places: ColumnIndex
    rates: ColumnIndex
    states: ColumnIndex
    leads: Array
    """As `Drive.lead`, (d,)."""
    limits: Array
    """Largest speeds (d,), m/s or rad/s."""
    delayed: npt.NDArray[np.intp]
    """Those of them that have a delay, by index."""
    names: tuple[str, ...]
    """Full names of the delayed ones."""
    _tiles: dict[int, tuple[Array, Array, Array]] = field(default_factory=dict)

    def tiled(self, count: int) -> tuple[Array, Array, Array]:
        """Return ``leads``, ``limits`` and negative ``limits`` with a row per simulation."""
        if count not in self._tiles:
            leads, limits, least = (
                np.tile(row, (count, 1)) for row in (self.leads, self.limits, -self.limits)
            )
            self._tiles[count] = leads, limits, least
        return self._tiles[count]


class Drives:
    """All drives of a compiled scene, by name, for one simulation or many."""

    def __init__(self, model: mujoco.MjModel, drives: Mapping[str, Drive], every: float) -> None:
        """Look up every drive's actuator in ``model``.

        Args:
            model: the compiled scene.
            drives: by actuator name.
            every: time between two calls of `settle`, s.
        """
        self.names = tuple(drives)
        self._every = every
        self.delay = CommandDelay(drives, float(model.opt.timestep), every)
        """Commands on their way to drives with a delay."""
        self._has_delays = bool(self.delay)
        self._place = {name: place for place, name in enumerate(self.names)}
        ids = [model.actuator(name).id for name in self.names]
        joints = model.actuator_trnid[ids, 0]
        self._qpos = model.jnt_qposadr[joints]
        self._gears = model.actuator_gear[ids, 0]
        self._rates = column_index(model.actuator_ctrladr[ids])
        self._states = column_index(model.actuator_actadr[ids])
        self._leads = np.array([drive.lead for drive in drives.values()])
        self._saturation = np.array([drive.saturation_error for drive in drives.values()])
        self._speeds = np.array([drive.speed for drive in drives.values()])
        self.work = DriveWork(model, ids, [drive.force for drive in drives.values()])
        """Power, work and effort of the drives."""
        self._addresses = {
            name: _DriveAddresses(
                drive=drive,
                place=place,
                actuator=ids[place],
                qpos=int(self._qpos[place]),
                gear=float(self._gears[place]),
                rate=int(model.actuator_ctrladr[ids[place]]),
                state=int(model.actuator_actadr[ids[place]]),
                stiffness=drive.stiffness,
                viscosity=drive.viscosity,
                lead=drive.lead,
                saturation=drive.saturation_error,
            )
            for place, (name, drive) in enumerate(drives.items())
        }
        self._in_order = tuple(self._addresses.values())

    def targets(self, rows: StateArrays) -> DriveTargets:
        """Return targets for ``rows``; see `clear`."""
        shape = len(rows.qpos), len(self.names)
        pending = self.delay.pending(len(rows.qpos))
        targets = DriveTargets(np.empty(shape), np.empty(shape), pending)
        self.clear(rows, targets, slice(None))
        return targets

    def clear(self, rows: StateArrays, targets: DriveTargets, which: Which) -> None:
        """Set the targets of drives that were never commanded: the setpoints of the start."""
        targets.positions[which] = rows.act[which][..., self._states]
        targets.speeds[which] = self._speeds
        self.delay.clear(targets.pending, which)

    def command(
        self,
        rows: StateArrays,
        targets: DriveTargets,
        name: str,
        setpoint: Setpoint,
        which: Which = slice(None),
    ) -> None:
        """Command drive ``name`` of the simulations ``which``, within its limits.

        If the setpoint has a value per simulation, ``which`` selects as many. A drive with a delay
        follows it later (`release`).
        """
        if self._has_delays and name in self.delay:
            self.delay.put(targets.pending, name, setpoint.mode, setpoint.value, which)
        else:
            self._apply(rows, targets, name, setpoint, which)

    def _apply(
        self,
        rows: StateArrays,
        targets: DriveTargets,
        name: str,
        setpoint: Setpoint,
        which: Which = slice(None),
    ) -> None:
        at, value = self._address(name), setpoint.value
        drive, gains = at.drive, rows.actuator_biasprm
        if setpoint.mode == "torque":
            gains[which, at.actuator, 1] = gains[which, at.actuator, 2] = 0.0
            targets.positions[which, at.place] = NO_TARGET
            targets.speeds[which, at.place] = 0.0
            rows.act[which, at.state] = _clamp(value, drive.force) / at.stiffness
            rows.ctrl[which, at.rate] = 0.0
            return
        act: Any = rows.act[which, at.state]  # a number or (n,)
        was = rows.ctrl[which, at.rate]
        free = targets.positions[which, at.place] == NO_TARGET
        if np.count_nonzero(free):  # after torque mode the setpoint is where the joint is
            act = np.where(free, rows.qpos[which, at.qpos] * at.gear, act)
        before = act - at.lead * was
        gains[which, at.actuator, 1] = -at.stiffness
        gains[which, at.actuator, 2] = -at.viscosity
        limit: Any
        target: Any
        if setpoint.mode == "angle":
            limit, target = drive.speed, _clamp(value, OUT_OF_REACH)
        elif isinstance(value, np.ndarray):
            limit = np.minimum(np.abs(value), drive.speed)
            target = np.where(value, np.copysign(OUT_OF_REACH, value), before)
        elif value:
            limit, target = min(abs(value), drive.speed), math.copysign(OUT_OF_REACH, value)
        else:  # the setpoint stays; if the load overruns a weak drive, `settle` moves it along
            limit, target = 0.0, before
        targets.positions[which, at.place] = target
        targets.speeds[which, at.place] = limit
        rate = np.minimum(np.maximum((target - before) / self._every, -limit), limit)
        rows.act[which, at.state] = act + at.lead * (rate - was)  # no change at the same rate
        rows.ctrl[which, at.rate] = rate

    def hold(
        self,
        rows: StateArrays,
        targets: DriveTargets,
        name: str,
        value: float,
        which: Which = slice(None),
    ) -> None:
        """Hold drive ``name`` at ``value`` (m or rad), where it is now, without delay."""
        if self._has_delays and name in self.delay:
            self.delay.clear(targets.pending, which, name)
        self._apply(rows, targets, name, angle(value), which)
        at = self._address(name)
        rows.act[which, at.state] = value
        rows.ctrl[which, at.rate] = 0.0

    def shift(
        self,
        rows: StateArrays,
        targets: DriveTargets,
        name: str,
        distance: Array,
        which: npt.NDArray[np.intp],
    ) -> None:
        """Move target and setpoint of drive ``name`` with its joint, by ``distance`` (k,).

        ``which`` has the indices of the simulations, (k,).
        """
        at = self._address(name)
        held = targets.positions[which, at.place] != NO_TARGET
        which, distance = which[held], distance[held]
        targets.positions[which, at.place] += distance
        rows.act[which, at.state] += distance
        if self._has_delays and name in self.delay:
            self.delay.shift(targets.pending, name, distance, which)

    def release(self, rows: StateArrays, targets: DriveTargets, every: float) -> None:
        """Apply the delayed commands that are due; ``every``: time between targets of gaits, s."""
        for due in self.delay.due(targets.pending):
            if due.kind != "track":
                self._apply(rows, targets, due.name, Setpoint(due.kind, due.values), due.rows)
                continue
            these = np.zeros((len(rows.qpos), 1), bool)
            these[due.rows] = True
            positions = np.zeros(these.shape)
            positions[due.rows, 0] = due.values
            self._track(rows, targets, self.tracked([due.name]), positions, every, these)

    def _address(self, name: str) -> _DriveAddresses:
        if name not in self._addresses:
            raise unknown("command", "drive", name, self.names)
        return self._addresses[name]

    def tracked(self, names: Sequence[str]) -> TrackedDrives:
        """Return the drives ``names`` as `track` takes them."""
        chosen = [self._addresses[name] for name in names]
        late = [name for name in names if name in self.delay]
        return TrackedDrives(
            delayed=np.array([names.index(name) for name in late], np.intp),
            names=tuple(late),
            places=column_index(np.array([at.place for at in chosen], int)),
            rates=column_index(np.array([at.rate for at in chosen], int)),
            states=column_index(np.array([at.state for at in chosen], int)),
            leads=np.array([at.lead for at in chosen]),
            limits=np.array([at.drive.speed for at in chosen]),
        )

    def track(
        self,
        rows: StateArrays,
        targets: DriveTargets,
        tracked: TrackedDrives,
        positions: Array,
        every: float,
        these: npt.NDArray[Any] | None = None,
    ) -> None:
        """Move setpoints to ``positions`` in ``every`` seconds at constant speed, within limits.

        Args:
            rows: the simulations.
            targets: of all drives.
            tracked: the drives.
            positions: at the end of the interval (m or rad), (n, d).
            every: time until the next call, s.
            these: mask of the drives to move, bool (n, d); None: all of them.
        """
        if len(tracked.names):
            mask = np.ones(positions.shape, np.bool_)
            if these is not None:
                mask[:] = these
            late, pending = tracked.delayed, targets.pending
            self.delay.put_targets(pending, tracked.names, positions[:, late], mask[:, late], every)
            mask[:, late] = False
            these = mask
        self._track(rows, targets, tracked, positions, every, these)

    def _track(
        self,
        rows: StateArrays,
        targets: DriveTargets,
        tracked: TrackedDrives,
        positions: Array,
        every: float,
        these: npt.NDArray[Any] | None = None,
    ) -> None:
        # Called at every step: contiguous arrays of one shape take a third of the time of
        # broadcasts over views of the state rows, and arrays are reused.
        leads, limits, least = tracked.tiled(len(positions))
        act = np.ascontiguousarray(rows.act[:, tracked.states])
        was = np.ascontiguousarray(rows.ctrl[:, tracked.rates])
        rate = leads * was
        np.subtract(act, rate, out=rate)
        np.subtract(positions, rate, out=rate)
        np.divide(rate, every, out=rate)
        np.maximum(rate, least, out=rate)
        np.minimum(rate, limits, out=rate)
        speeds = np.abs(rate)
        if these is not None:
            rate = np.where(these, rate, was)
            positions = np.where(these, positions, targets.positions[:, tracked.places])
            speeds = np.where(these, speeds, targets.speeds[:, tracked.places])
        targets.positions[:, tracked.places] = positions
        targets.speeds[:, tracked.places] = speeds
        change = rate - was
        np.multiply(leads, change, out=change)
        rows.act[:, tracked.states] = np.add(act, change, out=change)
        rows.ctrl[:, tracked.rates] = rate

    def place(self, name: str) -> int:
        """Return the index of ``name`` in ``names``."""
        return self._place[name]

    def positions(self, rows: StateArrays) -> Array:
        """Return the position of each drive (m or rad), shape (n, drives)."""
        return self.geared(self.joints(rows))

    def setpoints(self, rows: StateArrays) -> Array:
        """Return the setpoint of each drive (m or rad), (n, drives); undefined in torque mode."""
        return np.asarray(rows.act[:, self._states] - self._leads * rows.ctrl[:, self._rates])

    def joints(self, rows: StateArrays) -> Array:
        """Return a copy of the drives' joints' positions (m or rad of the joint), (n, drives)."""
        return np.asarray(rows.qpos.take(self._qpos, 1))

    def geared(self, joints: Array) -> Array:
        """Return the drives' positions (m or rad) for positions of their joints, (n, drives)."""
        return np.asarray(joints * self._gears)

    def settle(self, rows: StateArrays, targets: DriveTargets) -> None:
        """Update the rates of all setpoints; called once per ``every`` seconds.

        A setpoint that reaches its target before the next call goes there at a lower speed. A
        setpoint stays within `Drive.saturation_error` of its joint, so that a stalled drive does
        not wind up.
        """
        if len(self._in_order) <= FEW and len(rows.qpos) == 1:
            self._settle_one(rows, targets)
            return
        act, was = rows.act[:, self._states], rows.ctrl[:, self._rates]
        setpoint = act - self._leads * was
        length = self.positions(rows)
        ahead = setpoint - length
        far = np.abs(ahead) > self._saturation
        # Hot path: `count_nonzero` costs a quarter of `any`.
        some = np.count_nonzero(far) and np.count_nonzero(far & (targets.positions != NO_TARGET))
        if some:
            far &= targets.positions != NO_TARGET
            clamped = length + np.minimum(np.maximum(ahead, -self._saturation), self._saturation)
            setpoint = np.where(far, clamped, setpoint)
        rate = (targets.positions - setpoint) / self._every
        rate = np.minimum(np.maximum(rate, -targets.speeds), targets.speeds)
        moved = act + self._leads * (rate - was)  # no change at all at constant speed
        if some:
            moved = np.where(far, setpoint + self._leads * rate, moved)
        rows.act[:, self._states] = moved
        rows.ctrl[:, self._rates] = rate

    def _settle_one(self, rows: StateArrays, targets: DriveTargets) -> None:
        """Update the rates of few drives of one simulation: scalars are faster; the same bits."""
        position, act, rates = rows.qpos.item, rows.act.item, rows.ctrl.item
        target, limit = targets.positions.item, targets.speeds.item
        for place, at in enumerate(self._in_order):
            was, goal, speed = rates(at.rate), target(place), limit(place)
            setpoint = act(at.state) - at.lead * was
            length = position(at.qpos) * at.gear
            ahead, reach = setpoint - length, at.saturation
            far = abs(ahead) > reach and goal != NO_TARGET
            if far:
                setpoint = length + min(max(ahead, -reach), reach)
            rate = min(max((goal - setpoint) / self._every, -speed), speed)
            if far:
                rows.act[0, at.state] = setpoint + at.lead * rate
            elif rate != was:
                rows.act[0, at.state] = act(at.state) + at.lead * (rate - was)
            if rate != was:
                rows.ctrl[0, at.rate] = rate


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


def is_finite(value: Number) -> bool:
    """Return True if all of ``value`` is finite."""
    if isinstance(value, np.ndarray):
        return bool(np.isfinite(value).all())
    return math.isfinite(value)


def _clamp(value: Number, limit: float) -> Number:
    """Return ``value`` limited to ±``limit``; NumPy's clip takes ten times as long."""
    if isinstance(value, np.ndarray):
        return np.minimum(np.maximum(value, -limit), limit)
    return min(max(float(value), -limit), limit)
