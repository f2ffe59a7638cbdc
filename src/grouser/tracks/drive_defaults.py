"""Defaults of belt drives, and the largest damping that a time step can follow.

The links of a belt are tied to its sprocket by constraints. MuJoCo solves them for accelerations,
then applies the damping of the servo to the sprocket alone (integrator ``implicitfast``): of an
acceleration a the sprocket gets a/(1 + q), q = timestep x viscosity / (mass of the sprocket's
link), and lags behind its belt until the ties have pulled it along. From q = 7.5 on the lag excites
a buzz, whatever mass the belt drives; up to `LARGEST_STEP_DAMPING` all masses are stable
(docs/explanation/drives.md derives both).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import mujoco

from grouser.frames import milliseconds
from grouser.physics.drives import Drive
from grouser.tracks.geoms import TIE
from grouser.tracks.path import BeltPath
from grouser.tracks.track import Belt, Method

GRAVITY = 9.81
"""m/s²."""

LARGEST_STEP_DAMPING = 4.5
"""Largest q: stable with any load, and with any servo that is not stiffer than `least_lead`."""
DESIGN_STEP_DAMPING = 2.5
"""Largest q of the defaults, at `STANDARD_TIMESTEP`."""
LEAST_LEAD_TIES = 5.0
"""Smallest ratio of lead and damping (a time), in time constants of the ties."""
STANDARD_TIMESTEP = 0.001
"""s; the defaults do not depend on the world that a robot is in."""

INERTIA = 5.0
"""kg; smallest default inertia: a robot of 25 kg on two belts."""
INERTIA_OF_LOAD = 0.4
"""Default inertia over the mass that a belt moves. An estimate: 0.4 to 0.75 in shipped robots."""
LEAD = 0.005
"""m; smallest default lead."""
DAMPING = 0.1
"""m/s; smallest default damping."""
DAMPING_RATIO = 0.7
"""Smallest damping ratio of the load on the servo."""


def belt_drive(
    *,
    force: float,
    speed: float,
    links: int,
    load: float | None = None,
    inertia: float | None = None,
    lead: float | None = None,
    damping: float | None = None,
) -> tuple[Drive, float]:
    """Return the drive of a belt and its inertia (kg); values that are None follow from the others.

    Args:
        force: limit of the belt, N.
        speed: limit of the belt, m/s.
        links: number of moving links that share the inertia.
        load: mass that the belt moves, kg; None: unknown, its weight is taken as the force.
        inertia: mass of belt and motor that the drive accelerates, kg.
        lead: belt travel error at which the force saturates, m.
        damping: speed error at which the force saturates, m/s.
    """
    moved = force / GRAVITY if load is None else load
    if inertia is None:
        inertia = max(INERTIA, 0.0 if load is None else INERTIA_OF_LOAD * load)
    if damping is None:
        largest_viscosity = DESIGN_STEP_DAMPING * inertia / links / STANDARD_TIMESTEP
        damping = max(DAMPING, force / largest_viscosity)
    if lead is None:
        viscosity = force / damping
        largest_stiffness = viscosity**2 / (4 * DAMPING_RATIO**2 * (moved + inertia))
        least = least_lead(2 * STANDARD_TIMESTEP) * damping
        lead = max(LEAD, force / largest_stiffness, least)
    return Drive(force=force, speed=speed, saturation_error=lead, damping=damping), inertia


def least_lead(timestep: float) -> float:
    """Return the smallest lead over damping (s) that is stable at steps of ``timestep`` (s)."""
    return LEAST_LEAD_TIES * max(TIE, 2 * timestep)  # MuJoCo slows ties below two steps


def links_of(method: Method, path: BeltPath, wheels: int) -> int:
    """Return the number of tied links that share the inertia of a belt."""
    return {"segments": len(path.segments), "wheels": wheels}.get(method, 1)


def step_damping_errors(
    model: mujoco.MjModel, belts: Sequence[Belt], drives: Mapping[str, Drive]
) -> Iterator[str]:
    """Yield a sentence for every belt drive whose servo is too stiff for the time step."""
    timestep = float(model.opt.timestep)
    if model.opt.integrator == mujoco.mjtIntegrator.mjINT_DISCRETE:
        return  # solves servos and ties together
    ties = model.eq_type == mujoco.mjtEq.mjEQ_JOINT
    tied = set(model.eq_obj1id[ties].tolist()) | set(model.eq_obj2id[ties].tolist())
    for belt in belts:
        joint = model.joint(belt.sprocket)
        if belt.drive != belt.name or joint.id not in tied:
            continue
        drive = drives[belt.drive]
        inertia = float(model.dof_armature[joint.dofadr[0]]) / belt.gear**2
        ratio = timestep * drive.viscosity / inertia
        remedies = []
        if ratio > LARGEST_STEP_DAMPING:
            excess = ratio / LARGEST_STEP_DAMPING
            remedies = [
                f"damping of at least {_ceil(drive.damping * excess)} m/s",
                f"{_ceil(excess)} times its inertia",
                f"a timestep of at most {milliseconds(timestep / excess):.2g} ms",
            ]
        elif drive.lead < least_lead(timestep):
            remedies = [f"a lead of at least {_ceil(least_lead(timestep) * drive.damping)} m"]
        if remedies:
            yield (
                f"belt {belt.name}: its drive of {drive.force:g} N is too stiff for time steps of "
                f"{milliseconds(timestep):g} ms and may chatter; it needs {', or '.join(remedies)}"
            )


def _ceil(value: float) -> str:
    """Return ``value`` rounded up to two digits."""
    digits = 1 - math.floor(math.log10(value))
    return f"{math.ceil(round(value * 10**digits, 6)) / 10**digits:g}"
