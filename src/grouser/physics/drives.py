"""Drives: how a joint or a belt is moved by angle, by speed or by torque.

Every drive is one MuJoCo ``pid`` actuator with three inputs (position, velocity, force) and a
rate-limited position setpoint:

- angle: the setpoint goes to the target at the drive's own speed limit and stays there;
- speed: the target lies out of reach, and the setpoint goes towards it at the commanded speed, so
  the drive keeps its speed under load and stands still, without creeping, when told 0;
- torque: both gains are zero and the force is the input.

The force never exceeds the drive's limit. A setpoint cannot run further ahead of a stalled joint
than the distance at which the force is at its limit (`Drives.settle`), so nothing winds up.

Units are the drive's own: m, m/s and N for a belt or a slide, rad, rad/s and N m for a hinge.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import mujoco
import numpy as np

from grouser.errors import BadValue, unknown
from grouser.frames import Array
from grouser.physics.drive_work import FEW, DriveWork
from grouser.physics.led_drives import LedDrives, columns_index
from grouser.physics.state import StateArrays, Which

Mode = Literal["angle", "speed", "torque"]

OUT_OF_REACH = 1e6
"""Where a speed command's target lies, m or rad: no run gets there."""

STANDSTILL = 1e-9
"""A speed (m/s or rad/s) at which nothing moves in any run."""

ALL_INPUTS = (
    mujoco.mjtCtrlInput.mjINPUT_POS
    | mujoco.mjtCtrlInput.mjINPUT_VEL
    | mujoco.mjtCtrlInput.mjINPUT_FF
)


@dataclass(frozen=True, kw_only=True)
class Drive:
    """What a drive can do; the description that becomes one actuator."""

    force: float
    """Largest force (N) or torque (N m), > 0."""
    speed: float
    """Largest speed (m/s or rad/s), > 0."""
    lead: float
    """Position error (m or rad) at which the force limit is reached: the servo's stiffness."""
    damping: float
    """Speed error (m/s or rad/s) at which the force limit is reached."""

    def __post_init__(self) -> None:
        for name in ("force", "speed", "lead", "damping"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise BadValue(f"drive: {name} is {value}, must be above 0")

    @property
    def stiffness(self) -> float:
        """Position gain, N/m or N m/rad."""
        return self.force / self.lead

    @property
    def viscosity(self) -> float:
        """Velocity gain, N s/m or N m s/rad."""
        return self.force / self.damping

    def add(self, spec: mujoco.MjSpec, name: str, joint: str, *, gear: float = 1.0) -> None:
        """Add the actuator ``name`` on ``joint``; ``gear`` is drive metres per joint unit."""
        actuator = spec.add_actuator(name=name, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        actuator.set_to_pid(
            kp=self.stiffness,
            kv=self.viscosity,
            slewmax=self.speed,
            ctrlspec=int(ALL_INPUTS),
        )
        actuator.forcelimited = True
        actuator.forcerange = [-self.force, self.force]
        actuator.gear = [gear, 0, 0, 0, 0, 0]


@dataclass(frozen=True, slots=True)
class Setpoint:
    """What a drive shall do from now on."""

    mode: Mode
    value: float

    def __post_init__(self) -> None:
        if not math.isfinite(self.value):
            raise BadValue(f"command: {self.mode} is {self.value}, a finite number is needed")


def angle(value: float) -> Setpoint:
    """Go to ``value`` (rad, or m) at the drive's own speed and hold it."""
    return Setpoint("angle", value)


def speed(value: float) -> Setpoint:
    """Move at ``value`` (rad/s, or m/s)."""
    return Setpoint("speed", value)


def torque(value: float) -> Setpoint:
    """Push with ``value`` (N m, or N)."""
    return Setpoint("torque", value)


@dataclass(frozen=True, slots=True)
class _DriveAddresses:
    """Where a drive is in a compiled scene, and its gains; plain numbers, which index fastest."""

    drive: Drive
    actuator: int
    qpos: int
    gear: float
    first: int
    """Its first input; the speed's and the force's are the next two."""
    state: int
    stiffness: float
    viscosity: float


class Drives:
    """All drives of a compiled scene, by name, for one simulation or many."""

    def __init__(
        self, model: mujoco.MjModel, drives: Mapping[str, Drive], belts: Collection[str] = ()
    ) -> None:
        """Look up every drive's actuator in ``model``.

        Args:
            model: the compiled scene.
            drives: by actuator name.
            belts: names of those that are told speeds all the time: nobody has to look after
                their speed input. (A belt that is sent to a position goes there more slowly.)
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
        self._leads = np.array([drive.lead for drive in self._descriptions])
        self.work = DriveWork(model, ids, [drive.force for drive in self._descriptions])
        """What they put into the world."""
        self._speeds = np.array([drive.speed for drive in self._descriptions])
        followed = [place for place, name in enumerate(self.names) if name not in belts]
        self._followed = np.array(followed, int)
        self._followed_actuators = self.actuators[self._followed]
        self._followed_inputs = self._inputs[self._followed]
        self._addresses = {name: self._look_up(name) for name in self.names}
        self._looks = _rows(self._qpos, self._gears, self._states, self._leads)
        followed_states = self._states[self._followed]
        self._follow_looks = _rows(self._followed_actuators, followed_states, self._followed_inputs)

    def _is_small(self, rows: StateArrays) -> bool:
        """Return whether plain numbers take less time than arrays, whose calls cost most.

        Both give the same bits.
        """
        return len(self._looks) <= FEW and len(rows.qpos) == 1

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
            ctrl[which, first + 2] = _within(value, drive.force)
            return
        gains[which, actuator, 1] = -wired.stiffness
        gains[which, actuator, 2] = -wired.viscosity
        ctrl[which, first + 2] = 0.0
        if setpoint.mode == "angle":
            slews[which, actuator, 1] = drive.speed
            # An input beyond 1e10 would make MuJoCo zero the inputs of everybody.
            ctrl[which, first] = _within(value, OUT_OF_REACH)
            ctrl[which, first + 1] = 0.0
            return
        rate = _within(value, drive.speed)
        ctrl[which, first + 1] = rate
        if rate == 0.0:
            # The setpoint stays; if a weak drive overruns it, `settle` takes it along for good.
            slews[which, actuator, 1] = STANDSTILL
            ctrl[which, first] = rows.act[which, wired.state]
        else:
            slews[which, actuator, 1] = abs(rate)
            ctrl[which, first] = math.copysign(OUT_OF_REACH, rate)

    def hold(self, rows: StateArrays, name: str, value: float, which: Which = slice(None)) -> None:
        """Let drive ``name``, which is at ``value`` (m or rad), stay there."""
        rows.act[which, self._states[self._place[name]]] = value
        self.command(rows, name, angle(value), which)

    def led(self, names: Sequence[str]) -> LedDrives:
        """Return the drives ``names`` as `lead` takes them."""
        places = np.array([self._place[name] for name in names], int)
        inputs = self._inputs[places]
        return LedDrives(
            targets=columns_index(inputs),
            rates=columns_index(inputs + 1),
            actuators=columns_index(self.actuators[places]),
            states=columns_index(self._states[places]),
            limits=self._speeds[places],
        )

    def lead(
        self,
        rows: StateArrays,
        led: LedDrives,
        targets: Array,
        every: float,
        these: Array | None = None,
    ) -> None:
        """Bring setpoints to ``targets`` in ``every`` seconds, evenly, as far as speed allows.

        Args:
            rows: the simulations.
            led: which drives.
            targets: where they shall be then (m or rad), (n, d).
            every: time until the next call, s.
            these: leave the others alone, bool (n, d); None: all of them.
        """
        rate = (targets - rows.act[:, led.states]) / every
        rate = np.minimum(np.maximum(rate, -led.limits), led.limits)
        # A slew of 0 would mean none at all.
        slew = np.maximum(np.abs(rate), STANDSTILL)
        if these is not None:
            targets = np.where(these, targets, rows.ctrl[:, led.targets])
            rate = np.where(these, rate, rows.ctrl[:, led.rates])
            slew = np.where(these, slew, rows.actuator_dynprm[:, led.actuators, 1])
        rows.ctrl[:, led.targets] = targets
        rows.ctrl[:, led.rates] = rate
        rows.actuator_dynprm[:, led.actuators, 1] = slew

    def place(self, name: str) -> int:
        """Return where ``name`` is in ``names``."""
        return self._place[name]

    def positions(self, rows: StateArrays) -> Array:
        """Return where each drive is (m or rad), shape (n, drives)."""
        return self.geared(self.joints(rows))

    def joints(self, rows: StateArrays) -> Array:
        """Return a copy of the drives' joints' positions (m or rad of the joint), (n, drives)."""
        return np.asarray(rows.qpos.take(self._qpos, 1))

    def geared(self, joints: Array) -> Array:
        """Return the drives' positions (m or rad) with their ``joints`` there, (n, drives)."""
        return np.asarray(joints * self._gears)

    def settle(self, rows: StateArrays, every: float) -> None:
        """Look after all setpoints; to be called ``every`` so many seconds.

        A setpoint stays within reach of its joint, so that a stalled drive does not wind up, and
        the speed input follows the setpoint, so that damping does not brake a wanted motion.
        """
        if self._is_small(rows) and not self._one_is_far(rows):
            setpoint, slews, inputs = rows.act.item, rows.actuator_dynprm, rows.ctrl
            for actuator, state, place in self._follow_looks:
                rate, slew = (inputs.item(place) - setpoint(state)) / every, slews[0, actuator, 1]
                inputs[0, place + 1] = min(max(rate, -slew), slew)
            return
        act = self._reined(rows)
        if len(self._followed):
            slew = rows.actuator_dynprm[:, self._followed_actuators, 1]
            wanted = (rows.ctrl[:, self._followed_inputs] - act[:, self._followed]) / every
            rows.ctrl[:, self._followed_inputs + 1] = np.minimum(np.maximum(wanted, -slew), slew)

    def _one_is_far(self, rows: StateArrays) -> bool:
        """Return whether a setpoint of the only simulation is out of reach of its joint."""
        position, setpoint = rows.qpos.item, rows.act.item
        for qpos, gear, state, lead in self._looks:
            if abs(setpoint(state) - position(qpos) * gear) > lead:
                return True
        return False

    def _reined(self, rows: StateArrays) -> Array:
        """Bring setpoints within reach of their joints and return them, (n, drives)."""
        # Called all the time: `take` and `count_nonzero` cost a quarter of indexing and `any`.
        length = self.positions(rows)
        act = rows.act.take(self._states, 1)
        ahead = act - length
        far = np.abs(ahead) > self._leads
        if np.count_nonzero(far):
            reined = length + np.minimum(np.maximum(ahead, -self._leads), self._leads)
            # Only simulations with such a drive: what is added up again is another last digit.
            act = np.where(far.any(axis=1, keepdims=True), reined, act)
            rows.act[:, self._states] = act
        return np.asarray(act)


def _rows(*columns: Array) -> tuple[tuple[Any, ...], ...]:
    """Return columns as rows of plain numbers."""
    return tuple(zip(*(column.tolist() for column in columns), strict=True))


def _within(value: float, most: float) -> float:
    """Return ``value``, cut to ``most`` either way; NumPy's clip takes ten times as long."""
    return min(max(float(value), -most), most)
