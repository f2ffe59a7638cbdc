"""Speed of a Python controller over `Batch`, compared with a bare ``mujoco.batch``.

``packbot_over_bare``       physics steps per second of 32 PackBots on flat ground, over those of a
                            bare ``mujoco.batch`` of the same model from the same states, which
                            nothing controls; measured alternately
``packbot_steps``           physics steps of all PackBots per second
``packbot_encoders_over_bare``   as the first, with an encoder that is read 25 times per second
``roach_…``                 the same for 32 roaches on bumps

The controller reads poses, velocities and drives 50 times per simulated second, computes a command
for each robot and sends it. Both step on as many threads as there are cores, at most 2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mujoco
import mujoco.batch
import numpy as np

from grouser.benches.machine import wall_seconds
from grouser.cores import cores
from grouser.experiments.run_options import Progress
from grouser.frames import Array
from grouser.trials.batch import Batch
from grouser.world.file import RobotEntry, World, load
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat

COUNT, THREADS = 32, 2
RATE_HZ = 50.0
"""Commands per simulated second."""
PERIODS, STATES, TURNS = 5, 12, 5
"""Commands per interval, so few that the states of both stay alike; number of states from which an
interval begins; number of times that it is measured."""
SETTLED = 1.0
"""Simulated time before the measurement, s."""

Commands = dict[str, Array]


@dataclass(frozen=True)
class Controlled:
    """A batch and its controller."""

    batch: Batch
    robot: str
    steer: Callable[[Array, Array, Array], Commands]
    """Return a command for poses (n, 7), velocities (n, 6) and drive positions (n, drives)."""

    @property
    def steps(self) -> int:
        """Physics steps between two commands."""
        return round(1.0 / RATE_HZ / self.batch.timestep)

    def run(self, periods: int = PERIODS) -> None:
        """Control and step the batch."""
        batch, robot = self.batch, self.robot
        for _ in range(periods):
            drives = batch.angles(robot)
            if batch.sensors:
                drives = np.stack([*batch.readings(robot, "encoder").values()], axis=1)
            command = self.steer(batch.poses(robot), batch.velocities(robot), drives)
            batch.command(robot, command)
            batch.step(self.steps * batch.timestep)


def run(progress: Progress) -> dict[str, float]:
    """Measure both robots and return the figures."""
    figures: dict[str, float] = {}
    cases = {"packbot": packbots, "roach": roaches}
    for number, (name, make) in enumerate(cases.items()):
        progress(name, number, len(cases))
        over_bare, steps = compare(make([]))
        with_encoders, _ = compare(make(["encoder"]))
        figures |= {
            f"{name}_over_bare": over_bare,
            f"{name}_steps": steps,
            f"{name}_encoders_over_bare": with_encoders,
        }
    return figures


def packbots(sensors: list[str]) -> Controlled:
    """Return PackBots that drive towards the x axis."""
    robot = RobotEntry(name="packbot", kind="packbot", position=(0.0, 0.0, 0.0))
    ground = (Flat(friction=0.6),)
    world = World(name="flat", physics=STANDARD, terrain=ground, robots=(robot,))
    halves = np.linspace(-0.3, 0.3, COUNT)
    starts = np.zeros((COUNT, 7))
    starts[:, 3], starts[:, 6] = np.cos(halves) - 1.0, np.sin(halves)

    def steer(poses: Array, velocities: Array, drives: Array) -> Commands:
        heading = 2.0 * np.arctan2(poses[:, 6], poses[:, 3])
        turn = -1.5 * heading - 1.0 * poses[:, 1] - 0.1 * velocities[:, 5]
        return {"forward": np.full(len(poses), 0.3), "turn": np.clip(turn, -0.5, 0.5)}

    return _start("packbot", world, starts, sensors, steer)


def roaches(sensors: list[str]) -> Controlled:
    """Return roaches that cross the bumps along the x axis; they start on the first bumps."""
    world = load("bumps")
    starts = np.zeros((COUNT, 7))
    starts[:, 0], starts[:, 1], starts[:, 2] = 1.3, np.linspace(-0.1, 0.1, COUNT), 0.225

    def steer(poses: Array, velocities: Array, drives: Array) -> Commands:
        heading = 2.0 * np.arctan2(poses[:, 6], poses[:, 3])
        turn = np.clip(-8.0 * heading - 20.0 * (poses[:, 1] - 0.75), -8.0, 8.0)
        return {"left_speed": 24.0 - turn, "right_speed": 24.0 + turn}

    return _start("roach", world, starts, sensors, steer)


def _start(
    robot: str,
    world: World,
    starts: Array,
    sensors: list[str],
    steer: Callable[[Array, Array, Array], Commands],
) -> Controlled:
    """Return a controlled batch after its first steps; ``starts`` is added to the start poses."""
    batch = Batch(world, COUNT, threads=min(THREADS, cores()), sensors={robot: sensors})
    batch.reset(poses={robot: batch.poses(robot) + starts})
    controlled = Controlled(batch, robot, steer)
    controlled.run(round(SETTLED * RATE_HZ))
    return controlled


def compare(controlled: Controlled, states: int = STATES) -> tuple[float, float]:
    """Return the ratio of steps per second to those of a bare batch, and ours."""
    batch, steps = controlled.batch, controlled.steps
    model = batch.model
    asleep = bool(model.opt.enableflags & int(mujoco.mjtEnableBit.mjENBL_SLEEP))
    bare = mujoco.batch.Batch(model, len(batch), min(THREADS, cores()), persistent=asleep)

    def step_bare() -> None:
        for _ in range(PERIODS):
            bare.step(nstep=steps)

    pairs = []
    for _ in range(states):
        saved = batch.save()
        turns = []
        for _ in range(TURNS):
            batch.restore(saved)
            bare.state[:] = saved.state
            turns.append((wall_seconds(controlled.run), wall_seconds(step_bare)))
        # The fastest of each: other load on the machine affects many short calls more than few.
        pairs.append(np.min(turns, axis=0))
    ours, alone = np.array(pairs).T
    return float(np.median(alone / ours)), PERIODS * steps * len(batch) / float(np.median(ours))
