"""What a robot is, on a terminal: masses, limits, what it stands on, what nobody chose."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from grouser.frames import degrees, millimetres
from grouser.rendering.image import write_png
from grouser.rendering.renderer import Renderer
from grouser.rendering.viewpoint import Viewpoint
from grouser.robots.custom.custom_robot import CustomRobot
from grouser.robots.custom.defaults import defaulted_values
from grouser.robots.custom.model_files import read_model
from grouser.robots.kinds import describe, known_as, title
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.terrain.flat import Flat

if TYPE_CHECKING:
    from grouser.robots.robot import Robot

SIDES = ((90.0, -5.0), (180.0, -5.0), (135.0, -30.0))
"""From where it is drawn: azimuth and elevation, deg; its right side, its front, from above."""
PIXELS = 480


def print_robot(kind: str, options: Mapping[str, Any], console: Console) -> Simulation:
    """Print what a robot is; return it standing on level ground."""
    description = describe(kind, options, "show")
    name = known_as(kind)
    entry = RobotEntry(name=name, kind=kind, position=(0, 0, 0), options=dict(options))
    world = World(name=name, terrain=(Flat(friction=0.6),), robots=(entry,))
    simulation = Simulation(world)
    robot, model = simulation.scene.robots[name], simulation.model
    console.print(Text(title(kind), "bold cyan"))
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    x, y, z = (simulation.data.subtree_com[1] - simulation.data.xpos[1]).tolist()
    grid.add_row("mass", f"{robot.mass:.4g} kg")
    grid.add_row("centre of mass", f"{x:.3f}, {y:.3f}, {z:.3f} m in '{robot.root}', in posture")
    grid.add_row("stands", f"{millimetres(robot.standing):.0f} mm high (its root's frame)")
    grid.add_row("touches", _ground_contact(simulation))
    if robot.steering:
        drives = (*robot.steering.left, *robot.steering.right)
        grid.add_row("steers by", f"{', '.join(drives)}; gauge {robot.steering.gauge:.3f} m")
    for group, members in robot.groups.items():
        grid.add_row(f"group {group}", ", ".join(members))
    console.print(grid, "", sep="\n")
    console.print(_masses(simulation), "", _drives(robot), sep="\n")
    if isinstance(description, CustomRobot):
        _print_left_out(description, console)
    assert model.nbody > 1
    return simulation


def draw_robot(simulation: Simulation, path: Path) -> None:
    """Write a picture of the world's one robot from three sides."""
    model, data = simulation.model, simulation.data
    mine = np.flatnonzero(model.geom_bodyid > 0)
    places = data.geom_xpos[mine]
    radius = float((np.linalg.norm(places - data.xpos[1], axis=1) + model.geom_rbound[mine]).max())
    x, y, z = places.mean(axis=0).tolist()
    renderer = Renderer(PIXELS, PIXELS)
    views = [
        renderer.picture(model, data, Viewpoint((x, y, z), 2.6 * radius, azimuth, elevation))
        for azimuth, elevation in SIDES
    ]
    write_png(path, np.concatenate(views, axis=1))


def left_out(kind: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that a robot file leaves to defaults; none of a robot in Python."""
    description = describe(kind, options, "robot")
    return defaulted_values(description.plan) if isinstance(description, CustomRobot) else {}


def left_out_text(values: Mapping[str, Any]) -> str:
    """Return those values in one line."""
    return ", ".join(f"{path} {_shown(value)}" for path, value in values.items())


def _print_left_out(description: CustomRobot, console: Console) -> None:
    console.print()
    if values := defaulted_values(description.plan):
        console.print(Text("left to defaults, estimates of ours:", "bold"))
        grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
        for path, value in values.items():
            grid.add_row(Text(path), Text(_shown(value), "dim"))
        console.print(grid)
    if description.model_path is not None:
        for note in read_model(description.model_path, description.plan).notes:
            console.print(Text(f"odd: {note}", "yellow"), soft_wrap=True)


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _ground_contact(simulation: Simulation) -> str:
    """Return what the robot stands on after a moment, and how much of it."""
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
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("body", "mass [kg]", "centre [m]", "inertia [kg m²]"):
        table.add_column(Text(heading, "bold"))
    for body in range(1, model.nbody):
        if model.body_mass[body] > 0.002:
            centre = ", ".join(f"{v:.3f}" for v in model.body_ipos[body])
            inertia = ", ".join(f"{v:.3g}" for v in model.body_inertia[body])
            name = model.body(body).name.partition("/")[2]
            table.add_row(name, f"{model.body_mass[body]:.3g}", centre, inertia)
    return table


def _drives(robot: Robot) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("drive", "most force or torque", "most speed", "goes"):
        table.add_column(Text(heading, "bold"))
    for name, drive in robot.drives.items():
        belt = name in {belt.drive for belt in robot.belts}
        units = ("N", "m/s") if belt else ("N m", "rad/s")
        limits = robot.limits.get(name)
        goes = "without end"
        if limits:
            goes = f"{degrees(limits[0]):.0f} to {degrees(limits[1]):.0f} deg"
        force, speed = f"{drive.force:g} {units[0]}", f"{drive.speed:.3g} {units[1]}"
        table.add_row(name, force, speed, goes)
    return table
