"""Run log: a table of samples per robot, as CSV or NumPy's .npz, written while the run goes on.

Columns name their units: ``t_s``; the root's pose X_WB as ``x_m y_m z_m``, the quaternion
``qw qx qy qz`` and ``roll_rad pitch_rad yaw_rad`` (pitch positive nose down); of every drive
``belt_<name>_m`` (travel) or ``joint_<name>_rad``, and its signed work
``work_<name>_j``; ``energy_j`` is the sum of work, ``electric_j`` the energy that motors took.
`grouser.evaluation.trajectory` reads such a file, and so do ``grouser compare`` and ``grouser
calibrate``.
"""

from __future__ import annotations

import math
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Self

import numpy as np

from grouser import files
from grouser.errors import BadValue
from grouser.frames import to_rpy
from grouser.simulation.observers import Observer
from grouser.simulation.scene import Scene
from grouser.simulation.simulation import Simulation

ENDINGS = (".csv", ".npz")
"""Allowed suffixes of a log file."""
LOG_RATE_HZ = 50.0
"""Default number of samples per simulated second."""


class RunLog(Observer):
    """Log of the robots of a simulation; a context manager that completes the files.

    The first sample is taken at once. Every robot has a file, ``<stem>_<robot>`` beside ``path``;
    the only robot of the start has ``path`` itself. Robots that join later are logged from then on,
    and robots that leave until then. A CSV file grows during the run; an .npz file is written at
    the end, from a temporary file.

    Args:
        simulation: the simulation.
        path: file that ends in .csv or .npz.
        rate_hz: samples per simulated second.
        by_robot: every file has a robot's name, also if there is only one.

    Raises:
        BadValue: the suffix is unknown, or the file cannot be written.
    """

    def __init__(
        self,
        simulation: Simulation,
        path: Path | str,
        *,
        rate_hz: float = LOG_RATE_HZ,
        by_robot: bool = False,
    ) -> None:
        self._path = Path(path)
        check_ending(self._path)
        self._simulation = simulation
        robots = tuple(simulation.scene.robots)
        self._alone = robots[0] if len(robots) == 1 and not by_robot else None
        self._tables: dict[Path, _Table] = {}
        self._of_robot: dict[str, _Table] = {}
        self._subscription = simulation.subscribe(self, rate_hz=rate_hz)
        self.on_scene(simulation.scene)
        self.on_step(simulation.time)

    @property
    def files(self) -> list[Path]:
        """All files of the log."""
        return list(self._tables)

    def on_scene(self, scene: Scene) -> None:
        """Begin tables for new robots."""
        self._of_robot = {name: self._table(name) for name in scene.robots}

    def on_step(self, time: float) -> None:
        """Add a sample of every robot."""
        for name, table in self._of_robot.items():
            table.add(_sample(self._simulation, name))

    def close(self) -> list[Path]:
        """End the log; return its files.

        Raises:
            BadValue: a file could not be written, now or during the run.
        """
        self._subscription.close()
        for table in self._tables.values():
            table.close()
        error = self._subscription.error
        if isinstance(error, OSError):
            raise BadValue(f"{self._path}: cannot be written ({error.strerror})") from error
        if error is not None:
            raise error
        return self.files

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _table(self, robot: str) -> _Table:
        """Return the table of a robot: that of its last presence, if the columns are equal."""
        columns = _columns(self._simulation, robot)
        for number in range(1, len(self._tables) + 2):
            file = log_file(self._path, None if robot == self._alone else robot, number)
            if file not in self._tables:
                self._tables[file] = _Table(file, columns)
            if self._tables[file].columns == columns:
                break
        return self._tables[file]


class _Table:
    """One file of a log."""

    def __init__(self, file: Path, columns: list[str]) -> None:
        self.file, self.columns = file, columns
        self._stack = ExitStack()
        self._count = 0
        self._text: IO[str] | None = None
        self._rows: IO[bytes] | None = None
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            if file.suffix.lower() == ".csv":
                stream = file.open("w", buffering=1, encoding="utf-8")  # a write per line
                self._text = self._stack.enter_context(stream)
                self._text.write(",".join(columns) + "\n")
            else:
                rows = tempfile.TemporaryFile(dir=file.parent, prefix=".")  # noqa: SIM115
                self._rows = self._stack.enter_context(rows)
        except OSError as error:
            raise BadValue(f"{file}: cannot be written ({error.strerror})") from error

    def add(self, row: list[float]) -> None:
        """Append a row; CSV has nine digits (resolution about 1 nm and 1 nrad)."""
        if self._rows is not None:
            self._rows.write(np.array(row).tobytes())
            self._count += 1
        elif self._text is not None:
            fields = (f"{value:.9g}" if math.isfinite(value) else "" for value in row)
            self._text.write(",".join(fields) + "\n")

    def close(self) -> None:
        """Complete the file; later calls do nothing."""
        rows, self._text, self._rows = self._rows, None, None
        with self._stack:
            if rows is not None:
                self._write_columns(rows)

    def _write_columns(self, rows: IO[bytes]) -> None:
        """Write an .npz file of all ``rows``."""
        rows.flush()
        shape = self._count, len(self.columns)
        table = np.memmap(rows, np.float64, "r", shape=shape) if self._count else np.zeros(shape)
        columns = {name: table[:, i] for i, name in enumerate(self.columns)}
        with files.replacing(self.file) as draft:
            np.savez(draft, allow_pickle=False, **columns)


def check_ending(path: Path) -> None:
    """Raise `BadValue` if the name of a log has an unknown suffix."""
    if path.suffix.lower() not in ENDINGS:
        raise BadValue(f"{path}: the name of a log must end in {' or '.join(ENDINGS)}")


def log_file(path: Path, robot: str | None, number: int = 1) -> Path:
    """Return the file of a robot's log; None: of the only one.

    ``number`` counts the robots of one name that have different columns.
    """
    parts = [path.stem, *([robot] if robot else []), *([str(number)] if number > 1 else [])]
    return path.with_name(f"{'_'.join(parts)}{path.suffix}")


def log_files(path: Path, robots: tuple[str, ...]) -> list[Path]:
    """Return the files of a log of these ``robots``.

    Raises:
        BadValue: the suffix is unknown, or there is no robot.
    """
    check_ending(path)
    if not robots:
        raise BadValue(f"{path}: there is no robot in this world to log")
    return [log_file(path, robot if len(robots) > 1 else None) for robot in robots]


def _columns(simulation: Simulation, robot: str) -> list[str]:
    pose = ["t_s", "x_m", "y_m", "z_m", "qw", "qx", "qy", "qz", "roll_rad", "pitch_rad", "yaw_rad"]
    belts = {belt.drive for belt in simulation.scene.robots[robot].belts}
    drives = list(simulation.angles(robot))
    places = [f"belt_{name}_m" if name in belts else f"joint_{name}_rad" for name in drives]
    return [*pose, *places, *(f"work_{name}_j" for name in drives), "energy_j", "electric_j"]


def _sample(simulation: Simulation, robot: str) -> list[float]:
    pose = simulation.pose(robot)
    work = list(simulation.energy(robot).values())
    turned = [*pose.wxyz.tolist(), *to_rpy(pose.wxyz).tolist()]
    places = simulation.angles(robot).values()
    energies = [*work, sum(work), sum(simulation.state.electric_energy(robot).values())]
    return [simulation.time, *pose.position.tolist(), *turned, *places, *energies]
