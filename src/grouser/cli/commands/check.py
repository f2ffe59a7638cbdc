"""``grouser check``: check a robot against the robot contract, and how it drives."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from grouser.cli import preflight
from grouser.cli.commands.mobility import RobotOverrides, robot_options
from grouser.cli.options import JsonFile
from grouser.cli.terminal import counting_bar, plain_table, print_error, result_console, write_json
from grouser.errors import unknown

if TYPE_CHECKING:
    from grouser.mobility.robot_contract import ContractPoint

KINDS = ("robot",)
"""Kinds of objects that can be checked."""

Drive = Annotated[
    bool, typer.Option("--drive/--no-drive", help="Drive, turn and park the robot as well.")
]


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
    drive: Drive = True,
    json_file: JsonFile = None,
) -> None:
    """Check a robot file, the robot contract, and how the robot drives.

    Lists every fault of a referenced URDF or MJCF file. Then the robot drives or walks 1 m, turns
    once each way and parks on a slope: vertical vibration, sign of the work, chatter, drift and
    the influence of the time step are reported, with a hint for what is wrong. Exits with code 1
    if a check fails.

    For example:

    [cyan]grouser check robot my_robot.yaml[/]

    [cyan]grouser check robot quince --set front_deg=30 --json quince.json[/]

    [cyan]grouser check robot my_robot.yaml --no-drive[/]
    """
    if kind not in KINDS:
        raise unknown("check", "kind", kind, KINDS)
    preflight.writable(json_file)
    preflight.physics()
    from grouser.mobility.drive_check import check_driving
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
        if drive:
            points += check_driving(name, options, progress=partial(bar, "driving"))
    grid = plain_table()
    for point in points:
        word = Text("yes", "green") if point.kept else Text("no", "red")
        finding = Text(point.finding, "dim")
        if point.hint:
            finding.append(f"\n{point.hint}", "yellow")
        grid.add_row(Text(point.title), word, finding)
    result_console().print(grid)
    if json_file:
        write_json(json_file, _json(name, points))
    if not all(point.kept for point in points):
        raise typer.Exit(1)


def _json(robot: str, points: Sequence[ContractPoint]) -> dict[str, Any]:
    checks = [
        {
            "check": point.title,
            "ok": point.kept,
            "finding": point.finding,
            "hint": point.hint,
            "values": dict(point.values),
        }
        for point in points
    ]
    return {"robot": robot, "ok": all(point.kept for point in points), "checks": checks}
