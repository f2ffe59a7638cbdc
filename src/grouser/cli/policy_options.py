"""Options of commands that let policies drive robots: ``--policy`` and ``--policy-rate``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from grouser.errors import BadValue, unknown

if TYPE_CHECKING:
    from grouser.simulation.observers import Subscription
    from grouser.simulation.policy_source import PolicySource
    from grouser.simulation.simulation import Simulation

_policy_option = partial(typer.Option, rich_help_panel="Policy", show_default=False)

PolicyText = Annotated[
    str | None,
    _policy_option(
        "--policy",
        metavar="FILE.py:CLASS",
        help="Controller of the robot, or package.module:CLASS (docs/tutorials/controller.md).",
    ),
]
"""For commands with one robot."""
RobotPolicies = Annotated[
    list[str] | None,
    _policy_option(
        "--policy",
        metavar="[ROBOT=]FILE.py:CLASS",
        help="Controller of a robot, or package.module:CLASS; may be repeated. ROBOT may be left "
        "out in a world with one robot (docs/tutorials/controller.md).",
    ),
]
"""For commands with a world."""
PolicyRate = Annotated[
    float | None,
    typer.Option(
        "--policy-rate",
        metavar="HZ",
        rich_help_panel="Policy",
        show_default="the policy's, or 10",
        help="Calls of a policy per simulated second.",
    ),
]


def policy_factory(text: str | None, rate: float | None) -> PolicySource | None:
    """Return the factory of ``--policy``; None: the option is not given."""
    if text is None:
        if rate is not None:
            raise BadValue("--policy-rate needs --policy FILE.py:CLASS")
        return None
    from grouser.simulation.policy_source import load_policy

    return load_policy(text, where="--policy", rate_hz=rate)


def controlled_simulation(
    name: str,
    overrides: Sequence[str] | None,
    seed: int | None,
    policies: Sequence[str] | None,
    rate: float | None,
) -> tuple[Simulation, list[Subscription]]:
    """Return the simulation of a world whose robots are driven by ``policies``, and their controls.

    Robots receive the sensors that their policies declare.
    """
    from grouser.simulation.policy_source import equip
    from grouser.simulation.simulation import Simulation
    from grouser.world.file import load

    world, sources = load(name, overrides or ()), {}
    names = [entry.name for entry in world.robots]
    if not policies:
        policy_factory(None, rate)
    for text in policies or ():
        robot, equals, place = text.rpartition("=")
        if not equals and len(names) != 1:
            there = ", ".join(names) or "none"
            raise BadValue(
                f"--policy is '{text}', must be ROBOT={text}: robots in world '{world.name}': "
                f"{there}"
            )
        robot = robot if equals else names[0]
        if robot not in names:
            raise unknown(f"--policy {text}", "robot", robot, names)
        if robot in sources:
            raise BadValue(f"--policy {text}: robot '{robot}' already has a policy")
        source = policy_factory(place, rate)
        if source is not None:
            sources[robot] = source
            world = equip(world, robot, source)
    simulation = Simulation(world, seed=seed)
    controls = [
        simulation.robots[robot].control(source(), rate_hz=source.rate_hz)
        for robot, source in sources.items()
    ]
    return simulation, controls


def raise_failure(controls: Sequence[Subscription]) -> None:
    """Raise the error of the first policy that failed during a run."""
    for control in controls:
        if control.error is not None:
            raise control.error
