"""``grouser check``: check a robot against the robot contract."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer
from rich.text import Text

from grouser.cli import preflight
from grouser.cli.commands.mobility import RobotOverrides, robot_options
from grouser.cli.terminal import counting_bar, plain_table, print_error, result_console
from grouser.errors import unknown

KINDS = ("robot",)
"""Kinds of objects that can be checked."""


def check(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND", show_default=False, help=f"Kind of object: {', '.join(KINDS)}."
        ),
    ],
    name: Annotated[
        str, typer.Argument(metavar="ROBOT", show_default=False, help="Robot kind or robot file.")
    ],
    overrides: RobotOverrides = None,
) -> None:
    """Check a robot file and the robot contract.

    Lists every fault of a referenced URDF or MJCF file. Exits with code 1 if a check fails.

    For example:

    [cyan]grouser check robot my_robot.yaml[/]

    [cyan]grouser check robot quince --set front_deg=30[/]
    """
    if kind not in KINDS:
        raise unknown("check", "kind", kind, KINDS)
    preflight.physics()
    from grouser.mobility.robot_contract import check_contract
    from grouser.robots.custom.custom_robot import CustomRobot
    from grouser.robots.custom.model_files import all_faults
    from grouser.robots.kinds import describe

    options = robot_options(overrides or ())
    description = describe(name, options, "check")
    if isinstance(description, CustomRobot) and description.model_path is not None:
        faults = all_faults(description.model_path, description.spec)
        for fault in faults:
            print_error(fault)
        if faults:
            raise typer.Exit(1)
    with counting_bar(name) as bar:
        points = check_contract(name, options, progress=partial(bar, "checking"))
    grid = plain_table()
    for point in points:
        word = Text("yes", "green") if point.kept else Text("no", "red")
        grid.add_row(Text(point.title), word, Text(point.finding, "dim"))
    result_console().print(grid)
    if not all(point.kept for point in points):
        raise typer.Exit(1)
