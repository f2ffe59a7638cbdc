"""Run log: a table of samples per robot, as CSV or NumPy's .npz.

Columns name their units: ``t_s``; the root's pose X_WB as ``x_m y_m z_m``, the quaternion
``qw qx qy qz`` and ``roll_rad pitch_rad yaw_rad`` (pitch positive nose down); of every drive
``belt_<name>_m`` (travel) or ``joint_<name>_rad``, and its signed work
``work_<name>_j``; ``energy_j`` is the sum of work. `grouser.evaluation.trajectory` reads
such a file, and so do ``grouser compare`` and ``grouser calibrate``.
"""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path

import numpy as np

from grouser import files
from grouser.errors import BadValue
from grouser.frames import Array, to_rpy
from grouser.simulation.simulation import Simulation

ENDINGS = (".csv", ".npz")
"""Allowed suffixes of a log file."""


class RunLog:
    """Samples of the robots of a simulation, one per call of `note`."""

    def __init__(self, simulation: Simulation) -> None:
        """Log the robots that are present now; a robot that is removed is nan from then on."""
        self._simulation = simulation
        self._names = {name: _columns(simulation, name) for name in simulation.scene.robots}
        self._rows: dict[str, list[list[float]]] = {name: [] for name in self._names}

    @property
    def robots(self) -> tuple[str, ...]:
        """Names of the logged robots."""
        return tuple(self._names)

    def note(self) -> None:
        """Add a sample of every robot."""
        for name, rows in self._rows.items():
            if name in self._simulation.scene.robots:
                rows.append(_sample(self._simulation, name))
            else:
                gone = [math.nan] * (len(self._names[name]) - 1)
                rows.append([self._simulation.time, *gone])

    def columns(self, robot: str) -> dict[str, Array]:
        """Return the samples of one robot: a column (k,) by name."""
        names = self._names[robot]
        table = np.array(self._rows[robot], float).reshape(-1, len(names))
        return {name: table[:, i] for i, name in enumerate(names)}

    def write(self, path: Path) -> list[Path]:
        """Write ``path``; with several robots one file each, ``<stem>_<robot>`` beside it.

        Returns:
            The written files.
        """
        written = log_files(path, self.robots)
        for robot, file in zip(self.robots, written, strict=True):
            columns = self.columns(robot)
            if file.suffix.lower() == ".npz":
                with files.replacing(file) as draft:
                    np.savez(draft, allow_pickle=False, **columns)
            else:
                files.write_text(file, _csv(columns))
        return written


def log_files(path: Path, robots: tuple[str, ...]) -> list[Path]:
    """Return the files of a log of these ``robots``.

    Raises:
        BadValue: the suffix is unknown, or there is no robot.
    """
    if path.suffix.lower() not in ENDINGS:
        raise BadValue(f"{path}: the name of a log must end in {' or '.join(ENDINGS)}")
    if not robots:
        raise BadValue(f"{path}: there is no robot in this world to log")
    if len(robots) == 1:
        return [path]
    return [path.with_name(f"{path.stem}_{robot}{path.suffix}") for robot in robots]


def _columns(simulation: Simulation, robot: str) -> list[str]:
    pose = ["t_s", "x_m", "y_m", "z_m", "qw", "qx", "qy", "qz", "roll_rad", "pitch_rad", "yaw_rad"]
    belts = {belt.drive for belt in simulation.scene.robots[robot].belts}
    drives = list(simulation.angles(robot))
    places = [f"belt_{name}_m" if name in belts else f"joint_{name}_rad" for name in drives]
    return [*pose, *places, *(f"work_{name}_j" for name in drives), "energy_j"]


def _sample(simulation: Simulation, robot: str) -> list[float]:
    pose = simulation.pose(robot)
    work = list(simulation.energy(robot).values())
    turned = [*pose.wxyz.tolist(), *to_rpy(pose.wxyz).tolist()]
    places = simulation.angles(robot).values()
    return [simulation.time, *pose.position.tolist(), *turned, *places, *work, sum(work)]


def _csv(columns: dict[str, Array]) -> str:
    """Return the table as CSV text with nine digits (resolution about 1 nm and 1 nrad)."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    rows = np.column_stack(list(columns.values())).tolist()
    writer.writerows([f"{value:.9g}" if math.isfinite(value) else "" for value in r] for r in rows)
    return text.getvalue()
