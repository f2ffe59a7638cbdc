"""Results of a sweep in a folder: chunks of finished runs, then one table, as Parquet files.

::

    sweep.json       description of the sweep, hashes of its files, versions
    parts/*.parquet  chunks of finished runs, in the order in which they finished
    table.parquet    all runs in order; the chunks are deleted when it is there

Every file is written atomically. The table depends on the rows alone: they are sorted by run, and
the types of columns follow from all rows.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from grouser import files
from grouser.errors import BadValue, missing_extra
from grouser.sweeps.subjects import Row

TABLE, PARTS, DESCRIPTION = "table.parquet", "parts", "sweep.json"
RUN = "run"
"""Column with the number of a run."""


def _parquet() -> Any:
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise missing_extra("sweeps need pyarrow", "sweep") from error
    return pyarrow.parquet


def write_rows(path: Path, rows: Sequence[Row]) -> None:
    """Write rows to a Parquet file, atomically.

    Raises:
        BadValue: a column has numbers and texts.
    """
    parquet = _parquet()
    import pyarrow

    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {}
    for name in names:
        values = [row.get(name) for row in rows]
        kinds = {type(value) for value in values if value is not None}
        if kinds == {int, float}:
            values = [None if value is None else float(value) for value in values]
        elif len(kinds) > 1:
            given = " and ".join(sorted(kind.__name__ for kind in kinds))
            raise BadValue(f"sweep: column '{name}' has values of the types {given}")
        columns[name] = pyarrow.array(values)
    with files.replacing(path) as draft:
        parquet.write_table(pyarrow.table(columns), draft, compression="zstd")


def read_rows(path: Path) -> list[Row]:
    """Return the rows of a Parquet file.

    Raises:
        BadValue: it cannot be read.
    """
    parquet = _parquet()
    try:
        rows: list[Row] = parquet.read_table(path).to_pylist()
    except Exception as error:  # pyarrow raises errors of many classes
        reason = " ".join(str(error).split())
        raise BadValue(f"{path}: is no table of a sweep ({reason[:200]})") from error
    return rows


class ResultStore:
    """Folder of a sweep.

    Args:
        folder: the folder; created if it does not exist.
        description: everything that determines the results, as JSON values.
        resume: True: go on with the finished runs of the folder.

    Raises:
        BadValue: the folder has another sweep, or has one and ``resume`` is False.
    """

    def __init__(self, folder: Path, description: Mapping[str, Any], *, resume: bool) -> None:
        _parquet()
        self.folder = folder
        self.table = folder / TABLE
        full = {"versions": versions(), **description}
        file = folder / DESCRIPTION
        if file.exists():
            _check(file, full, resume)
        elif folder.is_dir() and any(folder.iterdir()):
            raise BadValue(f"{folder}: is not empty and has no sweep, use another folder")
        else:
            files.write_text(file, json.dumps(full, indent=1, sort_keys=True) + "\n")
        self._parts = 0

    def read_finished(self) -> dict[int, Row]:
        """Return the rows of all finished runs by number."""
        rows = read_rows(self.table) if self.table.exists() else []
        # Other files are drafts of chunks whose process was killed.
        for path in sorted((self.folder / PARTS).glob("[0-9]*.parquet")):
            self._parts = max(self._parts, int(path.stem) + 1)
            rows += read_rows(path)
        return {int(row[RUN] or 0): row for row in rows}

    def add(self, rows: Sequence[Row]) -> None:
        """Store a chunk of finished runs."""
        write_rows(self.folder / PARTS / f"{self._parts:06d}.parquet", rows)
        self._parts += 1

    def complete(self, rows: Iterable[Row]) -> None:
        """Write the table of all runs and delete the chunks."""
        write_rows(self.table, sorted(rows, key=lambda row: int(row[RUN] or 0)))
        shutil.rmtree(self.folder / PARTS, ignore_errors=True)


def versions() -> dict[str, str]:
    """Return the versions of the packages that determine results and files."""
    return {name: metadata.version(name) for name in ("grouser", "mujoco", "numpy", "pyarrow")}


def _check(file: Path, description: Mapping[str, Any], resume: bool) -> None:
    """Raise unless a folder's sweep is the described one and is to be resumed."""
    if not resume:
        raise BadValue(f"{file.parent}: has a sweep already, use --resume or another folder")
    try:
        stored = dict(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise BadValue(f"{file}: is no description of a sweep ({error})") from error
    now = json.loads(json.dumps(description))
    for key in sorted({*stored, *now}):
        before, after = stored.get(key), now.get(key)
        if before != after:
            raise BadValue(
                f"{file.parent}: has a sweep with another {key} ({_value_text(before)}, now "
                f"{_value_text(after)}); use another folder"
            )


def _value_text(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
