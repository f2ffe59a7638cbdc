"""``grouser view``: watch a world in a window, drive its robots with keys, push things."""

from __future__ import annotations

import math
from typing import Annotated

import typer

from grouser.cli import preflight
from grouser.cli.options import Overrides, Seed, WorldName, speed_factor
from grouser.cli.terminal import result_console
from grouser.errors import BadValue


def view(
    world: WorldName,
    speed: Annotated[
        str,
        typer.Option(
            metavar="FACTOR", help="Simulated seconds per second at first: 0.1 is slow motion."
        ),
    ] = "1.0",
    seconds: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            show_default="until the window is closed",
            help="How long, in simulated seconds.",
        ),
    ] = None,
    overrides: Overrides = None,
    seed: Seed = None,
) -> None:
    """Watch a world in a window: drive with the arrow keys, pause with Space, push with the mouse.

    Every press of an arrow is a notch more; Home stops. The keys are told when the window opens.
    When it is closed, it is said where the robots got to.

    For example:

    [cyan]grouser view stairs[/]

    [cyan]grouser view rubble --speed 0.25[/]
    """
    factor = speed_factor(speed)
    if factor is None:
        raise BadValue("--speed is 'max', a window wants a number, such as 1.0 for real time")
    limit = math.inf if seconds is None else seconds
    if not limit > 0:
        raise BadValue(f"--seconds is {seconds:g}, a number above 0 is needed")
    preflight.physics()
    from grouser.cli.run_table import print_run
    from grouser.cli.window import check_display, print_keys, watch
    from grouser.simulation.simulation import Simulation
    from grouser.world.file import load

    check_display()
    simulation = Simulation(load(world, overrides or ()), seed=seed)
    print_keys(result_console())
    print_run(simulation, watch(simulation, factor=factor, seconds=limit), result_console())
