"""Tables of a recording: poses and joints of every robot as CSV or Parquet."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from grouser import files
from grouser.errors import BadValue, MissingDependency
from grouser.frames import Array, to_rpy
from grouser.recording.recording import Recording
from grouser.ros.definitions import EXTRA

Columns = dict[str, npt.NDArray[Any]]
"""Columns of a table, by name."""


def robot_tables(recording: Recording) -> dict[str, Columns]:
    """Return the table of every robot, with the column names of `RunLog` and the robot's frame.

    Raises:
        BadValue: the recording has no odometry.
    """
    robots = [
        topic.split("/")[1] for topic, count in recording.topics.items() if _is_odometry(topic)
    ]
    if not robots:
        raise BadValue(f"{recording.folder}: has no topic /ROBOT/odom")
    return {robot: _table(recording, robot) for robot in robots}


def _is_odometry(topic: str) -> bool:
    return topic.endswith("/odom") and topic.count("/") == 2


def _table(recording: Recording, robot: str) -> Columns:
    rows: list[list[float]] = []
    for one in recording.messages(f"/{robot}/odom"):
        pose, moving = one.content.pose.pose, one.content.twist.twist
        place, turn = pose.position, pose.orientation
        rows.append(
            [
                *(one.time / 10**9, place.x, place.y, place.z, turn.w, turn.x, turn.y, turn.z),
                *(moving.linear.x, moving.linear.y, moving.linear.z),
                *(moving.angular.x, moving.angular.y, moving.angular.z),
            ]
        )
    names = ["t_s", "x_m", "y_m", "z_m", "qw", "qx", "qy", "qz"]
    speeds = ["vx_m_s", "vy_m_s", "vz_m_s", "wx_rad_s", "wy_rad_s", "wz_rad_s"]
    array = np.array(rows, float).reshape(-1, len(names) + len(speeds))
    columns: Columns = dict(zip([*names, *speeds], array.T, strict=True))
    with np.errstate(over="ignore", invalid="ignore"):  # a damaged message has any numbers
        turns = to_rpy(array[:, 4:8])
    columns |= dict(zip(("roll_rad", "pitch_rad", "yaw_rad"), turns.T, strict=True))
    return columns | _joints(recording, robot, columns["t_s"])


def _joints(recording: Recording, robot: str, times: Array) -> Columns:
    """Return positions, speeds and forces of the drives, and the energy, at ``times``."""
    found: dict[str, dict[float, float]] = {}
    for one in recording.messages(f"/{robot}/joint_states", f"/{robot}/energy"):
        time, message = one.time / 10**9, one.content
        if one.topic.endswith("/energy"):
            found.setdefault("energy_j", {})[time] = message.data
            continue
        for part in ("position", "velocity", "effort"):
            values = getattr(message, part)
            if len(values) != len(message.name):
                raise BadValue(f"{recording.folder}: {one.topic} at {time:.3f} s is damaged")
            for name, value in zip(message.name, values, strict=True):
                found.setdefault(f"{part}_{name}", {})[time] = value
    return {
        name: np.array([values.get(time, np.nan) for time in times.tolist()])
        for name, values in found.items()
    }


def table_file(path: Path, robot: str, robots: int) -> Path:
    """Return the file of a robot's table: ``path``, or with several robots ``STEM_ROBOT``."""
    return path if robots == 1 else path.with_name(f"{path.stem}_{robot}{path.suffix}")


def write_tables(recording: Recording, path: Path) -> list[Path]:
    """Write a table of every robot, as CSV or Parquet by the suffix of ``path``; return the files.

    Raises:
        BadValue: the suffix is unknown, or there is no odometry.
        MissingDependency: pyarrow is not installed.
    """
    writers = {".csv": _write_csv, ".parquet": _write_parquet}
    if path.suffix.lower() not in writers:
        raise BadValue(f"{path}: the name of a table must end in {' or '.join(writers)}")
    tables = robot_tables(recording)
    written = []
    for robot, columns in tables.items():
        file = table_file(path, robot, len(tables))
        with files.replacing(file) as draft:
            writers[path.suffix.lower()](draft, columns)
        written.append(file)
    return written


def _write_csv(path: Path, columns: Columns) -> None:
    """Write a table; floats have nine digits, as in `RunLog`."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        for row in zip(*columns.values(), strict=True):
            writer.writerow([f"{value:.9g}" if np.isfinite(value) else "" for value in row])


def _write_parquet(path: Path, columns: Columns) -> None:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise MissingDependency(f"Parquet files need the package pyarrow: {EXTRA}") from error
    parquet.write_table(pa.table(dict(columns)), path)
