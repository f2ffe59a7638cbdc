"""Trajectories in the vertical plane (x, z and pitch over time) and their log files.

Kurose et al. 2008, sec. III-A, compares real and simulated robots by these three quantities. x is
forward, z up, and **pitch is positive nose down** (about +y, which points left), as everywhere in
Grouser.

Logs are read without changes. `Trajectory.faults` lists gaps and other defects of a log, and
`Trajectory.clean` prepares it for `grouser.evaluation.matching`. Columns of files are named ``t``
or ``time``, ``x``, ``z`` and either ``pitch`` or the quaternion ``qw qx qy qz``. Units are s, m and
rad without a suffix; suffixes select other units (``t_ms``, ``x_mm``, ``pitch_deg``). Grouser
contains sample logs (`shipped_logs`), which commands accept by name.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from grouser import files
from grouser.array_files import ArrayHead, read_npy, read_npz
from grouser.errors import BadValue, nearest
from grouser.evaluation.bags import ENDINGS, bag_columns, is_bag
from grouser.frames import Array, radians, to_rpy

MOST_BYTES = 1 << 28
"""Largest size of a log, and of one of its columns, bytes: months at 100 Hz."""
GAP = 5.0
"""A sampling interval is a gap if it exceeds the median interval by this factor."""

_TIME = {"": 1.0, "_s": 1.0, "_ms": 1e-3, "_us": 1e-6, "_ns": 1e-9}
_LENGTH = {"": 1.0, "_m": 1.0, "_cm": 1e-2, "_mm": 1e-3}
_ANGLE = {"": 1.0, "_rad": 1.0, "_deg": radians(1.0)}
QUATERNION = ("qw", "qx", "qy", "qz")
COLUMNS: dict[str, tuple[str, float]] = {
    **{f"{name}{unit}": ("t", by) for name in ("t", "time") for unit, by in _TIME.items()},
    **{f"{name}{unit}": (name, by) for name in "xz" for unit, by in _LENGTH.items()},
    **{f"pitch{unit}": ("pitch", by) for unit, by in _ANGLE.items()},
    **{name: (name, 1.0) for name in QUATERNION},
}
"""Column names of logs: name to quantity and factor to SI."""


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Samples of a robot's position and pitch; nan for unknown values."""

    times: Array
    """Times of the samples, s, (k,)."""
    x: Array
    """Position, positive forward, m, (k,)."""
    z: Array
    """Position, positive up, m, (k,)."""
    pitch: Array
    """Pitch, positive nose down, rad, (k,)."""

    def __post_init__(self) -> None:
        for field in fields(self):
            try:
                column = np.array(getattr(self, field.name), float)
            except (TypeError, ValueError):
                raise BadValue(f"trajectory: {field.name} must be numbers") from None
            if column.ndim != 1 or not len(column):
                raise BadValue(
                    f"trajectory: {field.name} has shape {column.shape}, "
                    "must be a list of at least 1 number"
                )
            if len(column) != len(self.times):
                raise BadValue(
                    f"trajectory: {field.name} has {len(column)} samples, "
                    f"times has {len(self.times)}; they must be as many"
                )
            column.flags.writeable = False
            object.__setattr__(self, field.name, column)

    def __len__(self) -> int:
        return len(self.times)

    @property
    def duration(self) -> float:
        """Time from the first sample to the last, s."""
        return float(self.times[-1] - self.times[0])

    @property
    def _finite(self) -> Any:
        return np.isfinite([self.times, self.x, self.z, self.pitch]).all(axis=0)

    def select(self, which: Any) -> Trajectory:
        """Return the samples at ``which``: bool (k,), indices or a slice."""
        return Trajectory(self.times[which], self.x[which], self.z[which], self.pitch[which])

    def shift(self, *, times: float = 0.0, x: float = 0.0, z: float = 0.0) -> Trajectory:
        """Return this trajectory shifted by ``times`` (s), ``x`` and ``z`` (m)."""
        return Trajectory(self.times + times, self.x + x, self.z + z, self.pitch)

    def faults(self) -> tuple[str, ...]:
        """Return one sentence for each defect that `clean` removes or leaves."""
        sentences = []
        good = self._finite
        if lost := int((~good).sum()):
            sentences.append(f"not finite, left out: {lost} of {len(self)} samples")
        times = self.times[good]
        if turns := int((np.diff(times) < 0).sum()):
            sentences.append(f"time runs backwards, samples are sorted by it: {turns} x")
        ordered, count = np.unique(times, return_counts=True)
        if repeats := int((count - 1).sum()):
            sentences.append(f"at the time of an earlier sample, left out: {repeats} samples")
        pauses = np.diff(ordered)
        if len(pauses) and pauses.max() > GAP * np.median(pauses):
            longest = int(pauses.argmax())
            gaps = int((pauses > GAP * np.median(pauses)).sum())
            sentences.append(
                f"gaps, left open: {gaps}, the longest {pauses[longest]:.3g} s "
                f"after t = {ordered[longest]:.3f} s"
            )
        if len(ordered) and ordered[0] != 0:
            sentences.append(f"begins at {ordered[0]:.3f} s, which is counted as 0")
        return tuple(sentences)

    def clean(self) -> Trajectory:
        """Return the finite samples sorted by time, from t = 0, with the first of equal times.

        Raises:
            BadValue: no sample is finite.
        """
        finite = self.select(self._finite) if self._finite.any() else None
        if finite is None:
            raise BadValue(f"trajectory: none of its {len(self)} samples is finite")
        _, first = np.unique(finite.times, return_index=True)
        return finite.select(first).shift(times=-finite.times.min())

    def resample(self, rate: float) -> Trajectory:
        """Return the clean trajectory at ``rate`` (Hz), interpolated linearly."""
        if not (math.isfinite(rate) and rate > 0):
            raise BadValue(f"trajectory: a rate of {rate} Hz is impossible, must be above 0")
        clean = self.clean()
        if clean.duration * rate > 1e7:
            raise BadValue(
                f"trajectory: {clean.duration:g} s at {rate:g} Hz are more than 10 million samples"
            )
        # The tolerance includes the last sample if rounding moved it just before a tick.
        return clean.at(np.arange(math.floor(clean.duration * rate + 1e-9) + 1) / rate)

    def at(self, times: Array) -> Trajectory:
        """Return the trajectory at ``times`` (m,) s; its own `times` must increase."""
        columns = (self.x, self.z, np.unwrap(self.pitch))
        return Trajectory(times, *(np.interp(times, self.times, column) for column in columns))

    def write_csv(self, path: Path | str) -> None:
        """Write ``t,x,z,pitch`` in s, m and rad with full precision, atomically."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["t", "x", "z", "pitch"])
        writer.writerows(np.column_stack([self.times, self.x, self.z, self.pitch]).tolist())
        files.write_text(path, text.getvalue())


def read_trajectory(
    path: Path | str, *, nose_up: bool = False, topic: str | None = None
) -> Trajectory:
    """Read a log: CSV, NumPy's .npz (an array per column) or .npy (structured), or a ROS bag.

    Args:
        path: the file; columns are named as in `COLUMNS`, others are ignored.
        nose_up: the file's ``pitch`` is positive nose up (has no effect on quaternions).
        topic: topic of a bag with poses or odometry; None: the only one (`bags.bag_columns`).

    Raises:
        BadValue: the file cannot be read as a trajectory; the message has location and reason.
    """
    path = Path(path)
    if is_bag(path):
        return _trajectory(path, bag_columns(path, topic), nose_up)
    if topic is not None:
        raise BadValue(f"{path}: is no bag, it has no topic '{topic}'")
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        allowed = ", ".join((*_READERS, *ENDINGS))
        raise BadValue(f"{path}: the ending {path.suffix!r} is unknown, allowed: {allowed}")
    try:
        columns = reader(path)
    except OSError as error:
        raise BadValue(f"{path}: cannot be read ({error.strerror or error})") from None
    return _trajectory(path, columns, nose_up)


def _trajectory(path: Path, columns: Mapping[str, Array], nose_up: bool) -> Trajectory:
    """Return the trajectory of the named ``columns`` (k,)."""
    quantities: dict[str, Array] = {}
    names: dict[str, str] = {}
    for name, values in columns.items():
        quantity, factor = COLUMNS.get(name.lower(), ("", 1.0))
        if quantity in quantities:
            raise BadValue(f"{path}: '{names[quantity]}' and '{name}' both give {quantity}")
        if quantity:
            quantities[quantity], names[quantity] = values * factor, name
    turned = all(name in quantities for name in QUATERNION)
    missing = [name for name in ("t", "x", "z") if name not in quantities]
    if "pitch" not in quantities and not turned:
        missing.append("pitch")
    if missing:
        there = ", ".join(columns) or "none"
        hint = nearest(missing[0], [c for c in columns if c.lower() not in COLUMNS])
        raise BadValue(f"{path}: lacks the column '{missing[0]}' (there are: {there}){hint}")
    lengths = {name: len(quantities[quantity]) for quantity, name in names.items()}
    if len(set(lengths.values())) > 1:
        counts = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise BadValue(f"{path}: columns must be equally long, not {counts}")
    if not len(quantities["t"]):
        raise BadValue(f"{path}: holds no sample")
    if "pitch" in quantities:
        pitch = -quantities["pitch"] if nose_up else quantities["pitch"]
    else:
        wxyz = np.stack([quantities[name] for name in QUATERNION], axis=-1)
        norm = np.linalg.norm(wxyz, axis=-1, keepdims=True)
        norm[norm == 0] = np.nan  # a zero quaternion is an unknown orientation
        pitch = to_rpy(wxyz / norm)[:, 1]
    return Trajectory(quantities["t"], quantities["x"], quantities["z"], pitch)


def _read_csv(path: Path) -> dict[str, Array]:
    """Return the columns of a text file with a header; lines beginning with # are skipped."""
    try:
        text = files.read_text(path, MOST_BYTES, "utf-8-sig")
    except BadValue as error:
        raise BadValue(f"{path}: {error}") from None
    lines = [
        (number, line)
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not lines:
        raise BadValue(f"{path}: is empty, a header such as t,x,z,pitch_deg is needed")
    (top, head), *body = lines
    parting = next((mark for mark in ",;\t" if mark in head), ",")
    names = [name.strip(' "') for name in head.split(parting)]
    if _number(names[0]) is not None:
        raise BadValue(f"{path} line {top}: a header such as t,x,z,pitch_deg is needed")
    if twice := {name for name in names if name and names.count(name) > 1}:
        raise BadValue(f"{path} line {top}: the column '{min(twice)}' is there twice")
    known = {i: name for i, name in enumerate(names) if name.lower() in COLUMNS}
    rows = [
        _row(f"{path} line {number}", line.split(parting), names, known) for number, line in body
    ]
    table = np.array(rows, float).reshape(len(rows), len(known))
    unread = {name: np.empty(0) for name in names if name not in known.values()}
    return unread | {name: table[:, i] for i, name in enumerate(known.values())}


def _row(
    where: str, cells: Sequence[str], names: Sequence[str], known: Mapping[int, str]
) -> list[float]:
    """Return the numbers in the known columns of one line; an empty cell is nan."""
    if len(cells) != len(names):
        raise BadValue(f"{where}: has {len(cells)} cells, the header has {len(names)}")
    values = []
    for i, name in known.items():
        value = _number(cells[i])
        if value is None:
            raise BadValue(f"{where}: {name} is {cells[i].strip()[:40]!r}, a number is needed")
        values.append(value)
    return values


def _number(cell: str) -> float | None:
    """Return the number in a cell (nan if empty), or None if it is no number."""
    try:
        return float(cell.strip().strip('"') or "nan")
    except ValueError:
        return None


def _read_numpy(path: Path) -> dict[str, Array]:
    """Return the named arrays of an .npz, or the fields of a structured .npy."""
    try:
        with path.open("rb") as stream:
            if path.suffix.lower() == ".npz":
                columns = read_npz(stream, lambda names: names, _check_size)
            else:
                held = read_npy(stream, _check_size)
                if held.dtype.names is None:
                    raise BadValue(
                        "is an array without names of columns, a structured one (or an .npz file "
                        "with an array per column) is needed"
                    )
                columns = {name: held[name] for name in held.dtype.names}
    except BadValue as error:
        raise BadValue(f"{path}: {error}") from None
    for name, values in columns.items():
        if name.lower() in COLUMNS and (values.ndim != 1 or values.dtype.kind not in "fiu"):
            raise BadValue(
                f"{path}: {name} is {values.dtype} of shape {values.shape}, "
                "a list of numbers is needed"
            )
    return {
        name: values.astype(float) if values.dtype.kind in "fiu" else np.empty(0)
        for name, values in columns.items()
    }


def _check_size(head: ArrayHead) -> None:
    if head.count * head.dtype.itemsize > MOST_BYTES:
        raise BadValue(f"holds {head.name or 'an array'} of more than {MOST_BYTES:,} bytes")


_READERS: dict[str, Callable[[Path], dict[str, Array]]] = {
    ".csv": _read_csv,
    ".npz": _read_numpy,
    ".npy": _read_numpy,
}


def shipped_logs() -> dict[str, Path]:
    """Return the sample logs of Grouser: name to file."""
    folder = Path(str(resources.files("grouser") / "evaluation" / "logs"))
    return {file.stem: file for file in sorted(folder.glob("*.csv"))}


def log_path(name: Path | str) -> Path:
    """Return the path of a log: an existing file, or the sample log of that name."""
    path = Path(name)
    return path if path.exists() else shipped_logs().get(str(name), path)


def log_name(path: Path) -> str:
    """Return the name of a sample log, or the path of another file."""
    return path.stem if path in shipped_logs().values() else str(path)


def log_title(path: Path) -> str:
    """Return the first comment of a log, without the ``#``."""
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    return first.lstrip("# ").strip() if first.startswith("#") else ""
