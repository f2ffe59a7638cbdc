"""Open-loop trot of real ERS-7s, replayed joint by joint (sources.md B2, rUNSWift).

The joint angles are those of the real robots: diagonal pairs, paws on rectangles, computed with the
link lengths of the robots' own controller, one set every 8 ms. Nothing corrects the robot, so
its speed shows how the shape of the legs, contact, servos and mass carry it. Measured speeds are
those of four robots on carpet; single runs scatter by 1.5 to 4 %.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from grouser.experiments.run_options import RunOptions
from grouser.frames import Array, degrees, millimetres, to_rpy
from grouser.locomotion.quadruped_legs import END, JOINTS, LEGS, SIDE, Legs, Limb, to_pitched_frame
from grouser.reports.report import Report
from grouser.reports.rules import within
from grouser.reports.table import Row, Table
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat

PHYSICS = STANDARD.model_copy(update={"timestep": 0.002, "integrator": "discrete"})
FRICTION = 0.8  # estimate: carpet, as under the other walks of the AIBOs
TOLERANCE = 0.15
"""Largest relative deviation of a speed from the measured one."""

FRAME = 0.008  # s   between two sets of joint angles
HALF = 40
"""Frames of half a step: the time of a paw on the ground, and in the air."""
LIFT = 0.020  # m
HEIGHTS = (0.090, 0.110)  # m   fore and hind shoulders above the paws
AHEAD = (0.059, -0.050)  # m   paws from the shoulders, forwards
OUTWARDS = (0.010, 0.005)  # m   paws from the shoulders, outwards
TURN_AT = (0.065, 0.0672)  # m   the turn's strokes are tangents there: half of 130 and of 134.4

CONTROLLER = Legs(  # m   links in the controller of the real robots
    fore=Limb(
        shoulder=(0.065, 0.0625, 0.0), upper=(0.009, 0.0, -0.0695), lower=(-0.009, 0.0, -0.07736)
    ),
    hind=Limb(
        shoulder=(-0.065, 0.0625, 0.0), upper=(-0.009, 0.0, -0.0695), lower=(0.009, 0.0, -0.08314)
    ),
)

SETTLE = 0.6  # s   standing in the first frame


@dataclass(frozen=True, kw_only=True)
class Stroke:
    """Half strokes of the paws on the ground, m: from the middle to the end."""

    forward: float = 0.0
    left: float = 0.0
    turn: float = 0.0
    """Along the tangent at the shoulders, to the left."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One measured walk."""

    name: str
    stroke: Stroke
    measured: float
    """mm/s, deg/s for a turn."""
    axis: int
    """Index in `Speeds`."""


CASES = (
    Case(name="forward", stroke=Stroke(forward=0.020), measured=144.0, axis=0),
    Case(name="left", stroke=Stroke(left=0.025), measured=154.0, axis=1),
    Case(name="turn", stroke=Stroke(turn=0.025), measured=102.0, axis=2),
)


def joint_angles(stroke: Stroke) -> Array:
    """Return the joint angles of one step, rad, (frames, 12), in the order of a gait's drives."""
    heights, ahead, outwards = (np.where(END > 0, *pair) for pair in (HEIGHTS, AHEAD, OUTWARDS))
    home = np.column_stack([ahead, SIDE * outwards, -heights])
    pitch = math.asin((HEIGHTS[1] - HEIGHTS[0]) / (2 * TURN_AT[0]))
    moved = np.stack([_paw_path(stroke, leg) for leg in range(len(LEGS))], axis=1)
    paws = to_pitched_frame(home + moved, pitch) + CONTROLLER.shoulders
    return CONTROLLER.angles(paws).reshape(len(paws), -1)


def _paw_path(stroke: Stroke, leg: int) -> Array:
    """Return the path of a paw from its home in a level frame, m, (frames, 3)."""
    tangent = stroke.turn / math.hypot(*TURN_AT)
    first = np.array(
        [
            stroke.forward - SIDE[leg] * TURN_AT[1] * tangent,
            stroke.left + END[leg] * TURN_AT[0] * tangent,
        ]
    )
    across = int(HALF / (1.0 + LIFT / (2 * math.hypot(*first))))
    lifting = (HALF - across) // 2
    # A paw begins its ground stroke at frame 0, 1 ahead of its home, and leaves the ground at -1.
    frames = [0, HALF, HALF + lifting, HALF + lifting + across, HALF + 2 * lifting + across]
    times = (np.arange(2 * HALF) + HALF // 2 + (HALF if leg in (1, 2) else 0)) % (2 * HALF)
    along = np.interp(times, [*frames, 2 * HALF], [1.0, -1.0, -1.0, 1.0, 1.0, 1.0])
    height = np.interp(times, [*frames, 2 * HALF], [0.0, 0.0, LIFT, LIFT, 0.0, 0.0])
    return np.column_stack([along[:, None] * first, height])


def replay(angles: Array, *, friction: float = FRICTION, run_up: int = 3, steps: int = 5) -> Array:
    """Return mean speeds forward and to the left (mm/s) and of the turn (deg/s).

    Args:
        angles: joint angles of a step, rad, (frames, 12).
        friction: of the ground.
        run_up: steps before the measurement.
        steps: steps of the measurement.
    """
    robot = RobotEntry(name="rex", kind="ers7", position=(0, 0, 0), options={"sensors": False})
    terrain = (Flat(friction=friction),)
    simulation = Simulation(World(name="trot", physics=PHYSICS, terrain=terrain, robots=(robot,)))
    drives = [f"{leg}_{joint}" for leg in LEGS for joint in JOINTS]
    commands = [dict(zip(drives, row, strict=True)) for row in angles.tolist()]
    simulation.command("rex", commands[0])
    simulation.step(SETTLE)
    poses = []
    for step in range(run_up + steps):
        if step >= run_up:
            poses.append(simulation.pose("rex"))
        for command in commands:
            simulation.command("rex", command)
            simulation.step(FRAME)
    poses.append(simulation.pose("rex"))
    seconds = steps * len(commands) * FRAME
    yaw = np.unwrap([to_rpy(pose.wxyz)[2] for pose in poses])
    x, y = np.diff([pose.position[:2] for pose in poses], axis=0).T
    middle = (yaw[1:] + yaw[:-1]) / 2
    cos, sin = np.cos(middle), np.sin(middle)
    forward, left = (x * cos + y * sin).sum(), (y * cos - x * sin).sum()
    turn = float(yaw[-1] - yaw[0])
    return np.array([millimetres(forward), millimetres(left), degrees(turn)]) / seconds


def run(run_options: RunOptions) -> Report:
    """Replay the three measured walks."""
    rows = []
    for number, case in enumerate(CASES):
        run_options.progress("walking", number, len(CASES))
        steps = 2 if run_options.quick else 10
        speeds = replay(joint_angles(case.stroke), steps=steps)
        rows.append(speed_row(case, float(speeds[case.axis])))
    table = Table(
        "ers7-trot",
        "four real ERS-7s on carpet (sources.md B2)",
        "Speed of an open-loop trot, replayed joint by joint",
        tuple(rows),
        {"friction": FRICTION, "tolerance": TOLERANCE},
        (
            "The paws' stroke on the ground is 40 mm forwards, 50 mm to the left, 50 mm along the "
            "tangents at the shoulders; a step takes 0.64 s, half of it in the air.",
        ),
    )
    return Report(table)


def speed_row(case: Case, speed: float) -> Row:
    """Return the row of a walk for our speed, in the unit of the measured one."""
    return Row(
        {"walk": case.name, "unit": "deg/s" if case.axis == 2 else "mm/s"},
        {"speed": case.measured},
        {"speed": round(speed, 1), "ratio": round(speed / case.measured, 2)},
        within(TOLERANCE).judge(case.measured, speed),
    )
