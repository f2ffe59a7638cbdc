"""``grouser sweep``: sweep one robot parameter against obstacle sizes."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from grouser.cli import preflight
from grouser.cli.commands.mobility import (
    RobotKind,
    RobotOverrides,
    RunSeed,
    Sizes,
    robot_options,
    test_sizes,
)
from grouser.cli.options import JsonFile, RunnerName, trial_runner
from grouser.cli.policy_options import PolicyRate, PolicyText, policy_factory
from grouser.cli.terminal import counting_bar, plain_table, result_console, write_json
from grouser.errors import BadValue

Over = Annotated[
    str,
    typer.Option(
        "--over",
        metavar="OPTION=V,V,…",
        show_default=False,
        help="Swept parameter and its values, such as tracks.0.oval.radius=0.06,0.08,0.10,0.12.",
    ),
]
TestName = Annotated[str, typer.Option("--test", metavar="NAME", help="Apparatus.")]


def sweep(
    robot: RobotKind,
    over: Over,
    test: TestName = "step",
    sizes: Sizes = None,
    overrides: RobotOverrides = None,
    json_file: JsonFile = None,
    policy: PolicyText = None,
    policy_rate: PolicyRate = None,
    seed: RunSeed = 0,
    runner: RunnerName = None,
) -> None:
    """Sweep one parameter of a robot against the sizes of an apparatus, on all cores.

    Every run equals the one of [cyan]grouser mobility --set[/].

    For example:

    [cyan]grouser sweep my_robot.yaml --over tracks.0.oval.radius=0.06,0.08,0.10,0.12[/]

    [cyan]grouser sweep kenaf --over centre_x=-0.05,0,0.05 --test stairs[/]
    """
    path, equals, text = over.partition("=")
    try:
        numbers = [float(word) for word in text.split(",")]
        values = [int(one) if one.is_integer() else one for one in numbers]  # counts are integers
    except ValueError:
        values = []
    if not (equals and path.strip() and values):
        raise BadValue(f"--over is '{over}', must be OPTION=NUMBER,NUMBER,…")
    preflight.physics()
    preflight.writable(json_file)
    from grouser.mobility import suite as sweeping

    source, chosen = policy_factory(policy, policy_rate), trial_runner(runner)
    listed, options = test_sizes(test, sizes, [test]), robot_options(overrides or ())
    with counting_bar(Path(robot).stem, chosen) as bar:
        runs = sweeping.sweep(
            robot,
            options,
            path.strip(),
            values,
            test,
            listed,
            policy=source,
            seed=seed,
            runner=chosen,
            progress=partial(bar, "driving"),
        )
    from grouser.mobility.suite import apparatus_named

    unit = apparatus_named(test).unit
    table = plain_table(path.strip(), *(f"{size:g} {unit}" for size in listed))
    for value in values:
        row = [run for run in runs if run.value == value]
        marks = [Text("passed", "green") if run.passed else Text("no", "red") for run in row]
        table.add_row(Text(f"{value:g}"), *marks)
    result_console().print(table)
    if json_file is not None:
        each = [{"value": r.value, "size": r.size, "passed": r.passed} for r in runs]
        write_json(json_file, {"robot": robot, "over": path, "test": test, "runs": each})
