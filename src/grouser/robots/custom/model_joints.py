"""Joints of a URDF or MJCF model and the drives that a robot file adds to them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property

import mujoco

from grouser.errors import BadValue, nearest, unknown
from grouser.frames import degrees, radians
from grouser.physics.drives import Drive
from grouser.robots.custom.robot_file import JointEntry

LEAD, SLIDE_LEAD = 0.05, 0.005
"""Default position error at which a drive saturates, rad and m; estimates."""
DAMPED = 0.02
"""s; default ratio of damping to stiffness; an estimate: legged robots have 0.02 to 0.05. Half the
speed limit alone would leave a fast joint undamped."""
SPEED, SLIDE_SPEED = 3.0, 0.1
"""Default speed limits of a drive, rad/s and m/s; estimates."""
ARMATURE, SLIDE_ARMATURE = 0.01, 0.1
"""Default rotor inertia of a motor, kg m² and kg; estimates."""
SIDEWAYS = 0.99
"""Smallest y component of a flipper's axis (unit vector)."""


@dataclass(frozen=True, kw_only=True)
class ModelJoint:
    """One joint of the model; rad or m."""

    name: str
    slides: bool = False
    limits: tuple[float, float] | None = None
    """None: unlimited."""
    torque: float | None = None
    """Torque or force limit, N m or N; None: not given by the model."""
    speed: float | None = None
    """Speed limit, rad/s or m/s; None: not given by the model."""


@dataclass(kw_only=True)
class ModelJoints:
    """Spec of a model, its joints, and warnings about it."""

    spec: mujoco.MjSpec
    joints: dict[str, ModelJoint] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    """Warnings, a sentence each."""
    claimed: set[str] = field(default_factory=set)
    """Joints that belong to flippers."""

    @staticmethod
    def empty() -> ModelJoints:
        """Return an instance for a robot without a model."""
        return ModelJoints(spec=mujoco.MjSpec())

    @property
    def limits(self) -> dict[str, tuple[float, float]]:
        """Limits of the limited joints."""
        return {name: joint.limits for name, joint in self.joints.items() if joint.limits}

    def claim(self, name: str) -> None:
        """Mark a joint as driven by a flipper."""
        self.claimed.add(name)

    @cached_property
    def _axis_y(self) -> dict[str, float]:
        """Y component of every joint's axis in the main body."""
        model = self.spec.copy().compile()
        data = mujoco.MjData(model)
        mujoco.mj_kinematics(model, data)
        return {name: float(data.xaxis[model.joint(name).id][1]) for name in self.joints}

    def arm(self, name: str, forward: int) -> tuple[mujoco.MjsBody, float]:
        """Return the link of a flipper's joint, and the sign that makes up positive."""
        if name not in self.joints:
            raise unknown("flippers", "joint", name, self.joints)
        across = self._axis_y[name]
        if abs(across) < SIDEWAYS:
            raise BadValue(f"flippers: joint '{name}' does not turn about y, as a flipper's must")
        return self.spec.joint(name).parent, -forward * math.copysign(1.0, across)


@dataclass(frozen=True, kw_only=True)
class DrivenJoint:
    """Joint with its drive and limits."""

    joint: ModelJoint
    drive: Drive | None
    """None: passive."""
    limits: tuple[float, float] | None
    start: float
    armature: float
    backlash_deg: float


def driven_joints(model: ModelJoints, entries: Mapping[str, JointEntry]) -> dict[str, DrivenJoint]:
    """Return the joints that belong to no flipper, with the drives of the robot file."""
    for pattern in entries:
        if not any(fnmatchcase(name, pattern) for name in model.joints):
            listing = ", ".join(model.joints) or "none"
            raise BadValue(
                f"drives: there is no joint '{pattern}' (there are: {listing})"
                f"{nearest(pattern, model.joints)}"
            )
    return {
        name: _driven_joint(joint, _entry(name, entries))
        for name, joint in model.joints.items()
        if name not in model.claimed
    }


def has_explicit_limits(name: str, entries: Mapping[str, JointEntry]) -> bool:
    """Return whether the robot file gives limits of a joint."""
    entry = _entry(name, entries)
    return entry.limits_deg is not None or entry.limits is not None


def _entry(name: str, entries: Mapping[str, JointEntry]) -> JointEntry:
    """Return the merged entry of a joint: patterns first, then its name; later entries win."""
    merged: dict[str, object] = {}
    for pattern in sorted(entries, key=lambda pattern: pattern == name):
        if fnmatchcase(name, pattern):
            entry = entries[pattern]
            merged |= {key: getattr(entry, key) for key in entry.model_fields_set}
    return JointEntry.model_construct(**merged)  # type: ignore[arg-type]  # each was checked


def _driven_joint(joint: ModelJoint, entry: JointEntry) -> DrivenJoint:
    limits = joint.limits
    if entry.limits_deg:
        limits = radians(entry.limits_deg[0]), radians(entry.limits_deg[1])
    elif entry.limits:
        limits = entry.limits
    if limits and not limits[0] < limits[1]:
        raise BadValue(f"drives: limits of '{joint.name}' are {limits}, must be increasing")
    start = radians(entry.start_deg) if entry.start_deg is not None else entry.start
    low, high = limits or (-math.inf, math.inf)
    if start is None:
        start = min(max(0.0, low), high)
    elif not low <= start <= high:
        shown = f"{start:g} m" if joint.slides else f"{degrees(start):g} deg"
        raise BadValue(f"drives: '{joint.name}' starts at {shown}, outside its limits")
    armature = entry.armature
    if armature is None:
        armature = SLIDE_ARMATURE if joint.slides else ARMATURE
    return DrivenJoint(
        joint=joint,
        drive=None if entry.passive else _drive(joint, entry),
        limits=limits,
        start=start,
        armature=0.0 if entry.passive else armature,
        backlash_deg=0.0 if entry.passive else entry.backlash_deg,
    )


def _drive(joint: ModelJoint, entry: JointEntry) -> Drive:
    torque = entry.torque or joint.torque
    if not torque:
        raise BadValue(
            f"joint '{joint.name}': the model gives no torque limit of its motor; give it under "
            f"drives: {{{joint.name}: {{torque: …}}}}, or passive: true for an undriven joint"
        )
    speed = entry.speed or joint.speed or (SLIDE_SPEED if joint.slides else SPEED)
    lead = entry.lead or (SLIDE_LEAD if joint.slides else LEAD)
    damping = entry.damping or min(speed / 2, lead / DAMPED)
    return Drive(
        force=torque,
        speed=speed,
        saturation_error=lead,
        damping=damping,
        losses=entry.losses,
        motor=entry.motor,
        command_delay=entry.command_delay,
    )
