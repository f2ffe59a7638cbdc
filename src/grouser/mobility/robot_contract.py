"""Robot contract: consistency checks that every robot kind or robot file must pass.

The mass is as declared, for one and for two robots in a world; the robot stands still; joint limits
are as declared; random commands do not make it diverge; the halt command stops every drive.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from grouser.physics.drives import speed
from grouser.robots.kinds import default_name
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.terrain.flat import Flat

SETTLE, WATCH = 1.0, 3.0
"""Settling time and observation time, s."""
CREEP, QUIET = 1e-3, 5e-3
"""Largest displacement (m or rad) and speed (m/s or rad/s) of a standing robot."""
HEAVY = 0.01
"""Tolerance of the mass, as a part of the declared mass."""
ORDERS, ORDER_TIME = 20, 0.1
"""Number of random commands, and the duration of each, s."""


@dataclass(frozen=True)
class ContractPoint:
    """Result of one check of the contract."""

    title: str
    kept: bool
    finding: str
    """Measured values as text."""
    hint: str = ""
    """Advice if the check failed; empty: none."""
    values: Mapping[str, float] = field(default_factory=dict)
    """Measured values by name; units in the names."""


def check_contract(
    kind: str, options: Mapping[str, Any], *, progress: Callable[[int, int], None] | None = None
) -> list[ContractPoint]:
    """Run all checks of the contract.

    Raises:
        GrouserError: the robot cannot be built.
    """
    checks: dict[str, Callable[[str, Mapping[str, Any]], tuple[bool, str]]] = {
        "mass as declared": _weight,
        "stands still": _stands,
        "joint limits as declared": _limits,
        "survives random commands": _survives,
        "halts": _halts,
    }
    points = []
    for number, (title, check) in enumerate(checks.items()):
        try:
            points.append(ContractPoint(title, *check(kind, options)))
        except ArithmeticError as error:  # physics blew up
            points.append(ContractPoint(title, False, str(error)))
        if progress:
            progress(number + 1, len(checks))
    return points


def _simulation(kind: str, options: Mapping[str, Any], copies: int = 1) -> Simulation:
    robots = tuple(
        RobotEntry(
            name=f"{default_name(kind)}{number}",
            kind=kind,
            position=(0.0, 20.0 * number, 0.0),
            options=dict(options),
        )
        for number in range(copies)
    )
    world = World(name="contract", terrain=(Flat(friction=0.6),), robots=robots)
    return Simulation(world)


def _weight(kind: str, options: Mapping[str, Any]) -> tuple[bool, str]:
    alone, twice = _simulation(kind, options), _simulation(kind, options, copies=2)
    promised = next(iter(alone.scene.robots.values())).mass
    once, both = (float(s.model.body_mass.sum()) for s in (alone, twice))
    kept = abs(once - promised) <= HEAVY * promised and abs(both - 2 * once) <= HEAVY * promised
    return kept, f"{once:.3g} kg, declared {promised:.3g}"


def _stands(kind: str, options: Mapping[str, Any]) -> tuple[bool, str]:
    simulation = _simulation(kind, options)
    simulation.step(SETTLE)
    before = simulation.data.qpos.copy()
    simulation.step(WATCH)
    crept = float(np.abs(simulation.data.qpos - before).max(initial=0.0))
    moving = float(np.abs(simulation.data.qvel).max(initial=0.0))
    seen = f"moves by {crept:.2g} m or rad in {WATCH:g} s, at {moving:.2g} a second at the end"
    return crept < CREEP and moving < QUIET, seen


def _limits(kind: str, options: Mapping[str, Any]) -> tuple[bool, str]:
    simulation = _simulation(kind, options)
    model = simulation.model
    (name, robot), *_ = simulation.scene.robots.items()
    undriven = set(robot.limits) - set(robot.drives)
    if undriven:
        return False, f"limits of {', '.join(sorted(undriven))}, which have no drives"
    for drive in robot.drives:
        joint = int(model.actuator(f"{name}/{drive}").trnid[0])
        if bool(model.jnt_limited[joint]) != (drive in robot.limits):
            return False, f"{drive} has limits in the model or in the declaration, not in both"
        if drive in robot.limits and not np.allclose(model.jnt_range[joint], robot.limits[drive]):
            return False, f"{drive}: {model.jnt_range[joint]}, declared {robot.limits[drive]}"
    return True, f"{len(robot.limits)} of {len(robot.drives)} drives have limits"


def _survives(kind: str, options: Mapping[str, Any]) -> tuple[bool, str]:
    simulation = _simulation(kind, options)
    (name, robot), *_ = simulation.scene.robots.items()
    rng = np.random.default_rng(3)
    for _ in range(ORDERS):
        for drive, can in robot.drives.items():
            simulation.command(name, {drive: speed(float(rng.uniform(-1, 1) * can.speed))})
        simulation.step(ORDER_TIME)
    kept = bool(np.isfinite(simulation.data.qpos).all())
    return kept, f"{ORDERS} random speeds of all {len(robot.drives)} drives"


def _halts(kind: str, options: Mapping[str, Any]) -> tuple[bool, str]:
    robot = next(iter(_simulation(kind, options).scene.robots.values()))
    walking = robot.gait.drives if robot.gait else ()
    stopped = robot.setpoints(robot.halt())
    left = [name for name in robot.drives if name not in walking and name not in stopped]
    return not left, f"{', '.join(left)} not stopped" if left else "every drive is stopped"
