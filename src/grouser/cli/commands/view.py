"""``grouser view``: interactive viewer with keyboard driving and mouse perturbation."""

from __future__ import annotations

import math
from typing import Annotated

import typer

from grouser.cli import preflight, record_options
from grouser.cli.options import Overrides, Seed, WorldName, speed_factor
from grouser.cli.policy_options import (
    PolicyRate,
    RobotPolicies,
    controlled_simulation,
    raise_failure,
)
from grouser.cli.terminal import result_console
from grouser.errors import BadValue


def view(
    world: WorldName,
    speed: Annotated[
        str,
        typer.Option(
            metavar="FACTOR", help="Initial real-time factor: 1.0 is real time, 0.1 is slow motion."
        ),
    ] = "1.0",
    seconds: Annotated[
        float | None,
        typer.Option(
            metavar="S", show_default="until the window is closed", help="Simulated duration."
        ),
    ] = None,
    overrides: Overrides = None,
    seed: Seed = None,
    policy: RobotPolicies = None,
    policy_rate: PolicyRate = None,
    record: record_options.RecordFolder = None,
    record_hz: record_options.RecordRate = 25.0,
    record_topics: record_options.RecordTopics = None,
    compress: record_options.Compression = "zstd",
) -> None:
    """Show a world in a window: drive with the arrow keys, pause with Space, push with the mouse.

    Every press of an arrow key changes the speed by one notch; Home stops. The keys are printed
    when the window opens, the final poses when it is closed.

    For example:

    [cyan]grouser view stairs[/]

    [cyan]grouser view rubble --speed 0.25[/]
    """
    factor = speed_factor(speed)
    if factor is None:
        raise BadValue(
            "--speed is 'max', must be a number with a window, such as 1.0 for real time"
        )
    limit = math.inf if seconds is None else seconds
    if not limit > 0:
        raise BadValue(f"--seconds is {seconds:g}, must be above 0")
    preflight.physics()
    from grouser.cli.paced_run import print_run
    from grouser.cli.window import check_display, print_keys, watch

    check_display()
    simulation, controls = controlled_simulation(world, overrides, seed, policy, policy_rate)
    print_keys(result_console())
    to = record, record_hz, record_topics, compress
    with record_options.recording(simulation, *to, paced=True):
        summary = watch(simulation, factor=factor, seconds=limit)
    print_run(simulation, summary, result_console())
    raise_failure(controls)
