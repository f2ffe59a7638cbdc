"""The joints of a model underneath a robot file: what the model says of them, what drives them."""

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
from grouser.robots.custom.part_entries import JointEntry

LEAD, SLIDE_LEAD = 0.05, 0.005
"""Error at which a drive uses all its force where nobody says it, rad and m; estimates."""
DAMPED = 0.02
"""s; how far a drive looks ahead, damping over stiffness, where nobody says it; an estimate: those
of legged robots are 0.02 to 0.05. A fast joint's speed alone would leave it undamped."""
SPEED, SLIDE_SPEED = 3.0, 0.1
"""Of a drive where neither the model nor the file says it, rad/s and m/s; estimates."""
ARMATURE, SLIDE_ARMATURE = 0.01, 0.1
"""Of a motor where nobody says it, kg m² and kg; estimates."""
SIDEWAYS = 0.99
"""How much of a flipper's axis must lie along y."""


@dataclass(frozen=True, kw_only=True)
class ModelJoint:
    """One joint as the model has it; rad or m."""

    name: str
    slides: bool = False
    limits: tuple[float, float] | None = None
    """None: without end."""
    torque: float | None = None
    """N m or N; None: the model does not say it."""
    speed: float | None = None
    """rad/s or m/s."""


@dataclass(kw_only=True)
class ModelJoints:
    """A model's bodies, its joints, and what was odd in it."""

    spec: mujoco.MjSpec
    joints: dict[str, ModelJoint] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    """What is odd, a sentence each."""
    taken: set[str] = field(default_factory=set)
    """Joints that flippers have."""

    @staticmethod
    def none() -> ModelJoints:
        """Return those of a robot that has no model."""
        return ModelJoints(spec=mujoco.MjSpec())

    @property
    def limits(self) -> dict[str, tuple[float, float]]:
        """How far joints go, where they end."""
        return {name: joint.limits for name, joint in self.joints.items() if joint.limits}

    def take(self, name: str) -> None:
        """Note that a joint is driven as a flipper's."""
        self.taken.add(name)

    @cached_property
    def _across(self) -> dict[str, float]:
        """How much of every joint's axis lies along y in the main body."""
        model = self.spec.copy().compile()
        data = mujoco.MjData(model)
        mujoco.mj_kinematics(model, data)
        return {name: float(data.xaxis[model.joint(name).id][1]) for name in self.joints}

    def arm(self, name: str, forward: int) -> tuple[mujoco.MjsBody, float]:
        """Return the link that a flipper's joint moves, and the sign that makes up positive."""
        if name not in self.joints:
            raise unknown("flippers", "joint", name, self.joints)
        across = self._across[name]
        if abs(across) < SIDEWAYS:
            raise BadValue(f"flippers: joint '{name}' does not turn about y, a flipper's must")
        return self.spec.joint(name).parent, -forward * math.copysign(1.0, across)


@dataclass(frozen=True, kw_only=True)
class DrivenJoint:
    """A joint and what moves it."""

    joint: ModelJoint
    drive: Drive | None
    """None: nothing does."""
    limits: tuple[float, float] | None
    start: float
    armature: float


def driven_joints(model: ModelJoints, entries: Mapping[str, JointEntry]) -> dict[str, DrivenJoint]:
    """Return all joints of the model that are no flipper's, as the file has them driven."""
    for pattern in entries:
        if not any(fnmatchcase(name, pattern) for name in model.joints):
            listing = ", ".join(model.joints) or "none"
            raise BadValue(
                f"drives: there is no joint '{pattern}' (there are: {listing})"
                f"{nearest(pattern, model.joints)}"
            )
    return {
        name: _driven(joint, _entry(name, entries))
        for name, joint in model.joints.items()
        if name not in model.taken
    }


def said_limits(name: str, entries: Mapping[str, JointEntry]) -> bool:
    """Return whether the robot file says how far a joint goes, or that it has no need to."""
    entry = _entry(name, entries)
    return entry.limits_deg is not None or entry.limits is not None


def _entry(name: str, entries: Mapping[str, JointEntry]) -> JointEntry:
    """Return what the file says of a joint: patterns first, then its own name, later ones win."""
    said: dict[str, object] = {}
    for pattern in sorted(entries, key=lambda pattern: pattern == name):
        if fnmatchcase(name, pattern):
            entry = entries[pattern]
            said |= {key: getattr(entry, key) for key in entry.model_fields_set}
    return JointEntry.model_construct(**said)  # type: ignore[arg-type]  # each was checked


def _driven(joint: ModelJoint, entry: JointEntry) -> DrivenJoint:
    limits = joint.limits
    if entry.limits_deg:
        limits = radians(entry.limits_deg[0]), radians(entry.limits_deg[1])
    elif entry.limits:
        limits = entry.limits
    if limits and not limits[0] < limits[1]:
        raise BadValue(f"drives: limits of '{joint.name}' are {limits}, they must rise")
    start = radians(entry.start_deg) if entry.start_deg is not None else entry.start
    low, high = limits or (-math.inf, math.inf)
    if start is None:
        start = min(max(0.0, low), high)
    elif not low <= start <= high:
        shown = f"{start:g} m" if joint.slides else f"{degrees(start):g} deg"
        raise BadValue(f"drives: '{joint.name}' starts at {shown}, which is beyond its limits")
    armature = entry.armature
    if armature is None:
        armature = SLIDE_ARMATURE if joint.slides else ARMATURE
    return DrivenJoint(
        joint=joint,
        drive=None if entry.passive else _drive(joint, entry),
        limits=limits,
        start=start,
        armature=0.0 if entry.passive else armature,
    )


def _drive(joint: ModelJoint, entry: JointEntry) -> Drive:
    torque = entry.torque or joint.torque
    if not torque:
        raise BadValue(
            f"joint '{joint.name}': the model does not say how strong its motor is; say it under "
            f"drives: {{{joint.name}: {{torque: …}}}}, or passive: true if nothing drives it"
        )
    speed = entry.speed or joint.speed or (SLIDE_SPEED if joint.slides else SPEED)
    lead = entry.lead or (SLIDE_LEAD if joint.slides else LEAD)
    damping = entry.damping or min(speed / 2, lead / DAMPED)
    return Drive(force=torque, speed=speed, lead=lead, damping=damping)
