"""Robot data sheet for the terminal: masses, limits, ground contacts, defaulted values."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from grouser.cli.terminal import plain_table
from grouser.frames import degrees, millimetres
from grouser.rendering.image import write_png
from grouser.rendering.renderer import Renderer
from grouser.rendering.viewpoint import Viewpoint
from grouser.robots.custom.custom_robot import CustomRobot
from grouser.robots.custom.model_files import read_model
from grouser.robots.custom.robot_file import defaulted_values
from grouser.robots.kinds import default_name, describe, display_name
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.terrain.flat import Flat

if TYPE_CHECKING:
    from grouser.robots.robot import Robot

SIDES = ((90.0, -5.0), (180.0, -5.0), (135.0, -30.0))
"""Viewpoints (azimuth, elevation), deg: right side, front, from above."""
PIXELS = 480


def print_robot(kind: str, options: Mapping[str, Any], console: Console) -> Simulation:
    """Print the data sheet of a robot; return a simulation of it on level ground."""
    description = describe(kind, options, "show")
    name = default_name(kind)
    entry = RobotEntry(name=name, kind=kind, position=(0, 0, 0), options=dict(options))
    world = World(name=name, terrain=(Flat(friction=0.6),), robots=(entry,))
    simulation = Simulation(world)
    robot = simulation.scene.robots[name]
    console.print(Text(display_name(kind), "bold cyan"))
    grid = plain_table()
    x, y, z = (simulation.data.subtree_com[1] - simulation.data.xpos[1]).tolist()
    grid.add_row("mass", f"{robot.mass:.4g} kg")
    grid.add_row("centre of mass", f"{x:.3f}, {y:.3f}, {z:.3f} m in '{robot.root}', in posture")
    grid.add_row("stands", f"{millimetres(robot.standing):.0f} mm high (frame of its root)")
    grid.add_row("touches", _ground_contact(simulation))
    if robot.steering:
        drives = (*robot.steering.left, *robot.steering.right)
        grid.add_row("steers by", f"{', '.join(drives)}; gauge {robot.steering.gauge:.3f} m")
    for group, members in robot.groups.items():
        grid.add_row(f"group {group}", ", ".join(members))
    console.print(grid, "", sep="\n")
    console.print(_masses(simulation), "", _drives(robot), sep="\n")
    if isinstance(description, CustomRobot):
        _print_defaults(description, console)
    return simulation


def draw_robot(simulation: Simulation, path: Path) -> None:
    """Write a picture of the only robot from three sides."""
    model, data = simulation.model, simulation.data
    geoms = np.flatnonzero(model.geom_bodyid > 0)
    centres = data.geom_xpos[geoms]
    reach = np.linalg.norm(centres - data.xpos[1], axis=1) + model.geom_rbound[geoms]
    radius = float(reach.max())
    x, y, z = centres.mean(axis=0).tolist()
    renderer = Renderer(PIXELS, PIXELS)
    views = [
        renderer.picture(model, data, Viewpoint((x, y, z), 2.6 * radius, azimuth, elevation))
        for azimuth, elevation in SIDES
    ]
    write_png(path, np.concatenate(views, axis=1))


def defaulted_options(kind: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that a robot file leaves to defaults; empty for built-in robots."""
    description = describe(kind, options, "robot")
    return defaulted_values(description.spec) if isinstance(description, CustomRobot) else {}


def options_text(values: Mapping[str, Any]) -> str:
    """Return options in one line."""
    return ", ".join(f"{path} {_value_text(value)}" for path, value in values.items())


def _print_defaults(description: CustomRobot, console: Console) -> None:
    console.print()
    if values := defaulted_values(description.spec):
        console.print(Text("left to defaults (estimates):", "bold"))
        grid = plain_table()
        for path, value in values.items():
            grid.add_row(Text(path), Text(_value_text(value), "dim"))
        console.print(grid)
    if description.model_path is not None:
        for note in read_model(description.model_path, description.spec).notes:
            console.print(Text(f"note: {note}", "yellow"), soft_wrap=True)


def _value_text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _ground_contact(simulation: Simulation) -> str:
    """Return the parts in contact with the ground after 0.5 s, and the number of contacts."""
    settled = Simulation(simulation.world)
    settled.step(0.5)
    geoms = {
        settled.model.geom(int(geom)).name.partition("/")[2]
        for pair in settled.data.contact.geom
        for geom in pair
        if settled.model.geom_bodyid[geom] > 0
    }
    parts = sorted({name.partition("/")[0] for name in geoms})
    return f"the ground with {', '.join(parts) or 'nothing'} ({settled.data.ncon} points)"


def _masses(simulation: Simulation) -> Table:
    model = simulation.model
    table = plain_table("body", "mass [kg]", "centre [m]", "inertia [kg m²]")
    for body in range(1, model.nbody):
        if model.body_mass[body] > 0.002:
            centre = ", ".join(f"{v:.3f}" for v in model.body_ipos[body])
            inertia = ", ".join(f"{v:.3g}" for v in model.body_inertia[body])
            name = model.body(body).name.partition("/")[2]
            table.add_row(name, f"{model.body_mass[body]:.3g}", centre, inertia)
    return table


def _drives(robot: Robot) -> Table:
    table = plain_table("drive", "largest force or torque", "largest speed", "range")
    for name, drive in robot.drives.items():
        belt = name in {belt.drive for belt in robot.belts}
        units = ("N", "m/s") if belt else ("N m", "rad/s")
        limits = robot.limits.get(name)
        travel = "unlimited"
        if limits:
            travel = f"{degrees(limits[0]):.0f} to {degrees(limits[1]):.0f} deg"
        force, speed = f"{drive.force:g} {units[0]}", f"{drive.speed:.3g} {units[1]}"
        table.add_row(name, force, speed, travel)
    return table
