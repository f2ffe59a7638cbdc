"""Finished parts of a long experiment, kept in a folder: a run that was stopped goes on from there.

A part is whatever JSON can say: one file each, written whole or not at all, with the settings that
it was made with. A part of other settings is refused, never mixed in.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from grouser.errors import BadValue
from grouser.files import write_text


class KeptParts:
    """The parts of one experiment in a folder; without a folder nothing is kept."""

    def __init__(
        self, folder: Path | None, experiment: str, settings: Mapping[str, float | int | str]
    ) -> None:
        """Keep parts of ``experiment`` that were made with ``settings`` in ``folder``."""
        self._folder, self._experiment, self._settings = folder, experiment, dict(settings)

    def part(self, name: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return the part ``name``: as it is kept, else as ``make`` makes it, which is kept then.

        Raises:
            BadValue: what is kept cannot be read or was made with other settings.
        """
        if self._folder is None:
            return make()
        file = self._folder / f"{self._experiment}-{name}.json"
        if file.exists():
            return self._read(file)
        made = make()
        write_text(file, json.dumps({"settings": self._settings, "part": made}, indent=1))
        return made

    def _read(self, file: Path) -> dict[str, Any]:
        """Return what a file keeps, if it was made with these settings."""
        try:
            kept = json.loads(file.read_text(encoding="utf-8"))
            settings, part = dict(kept["settings"]), dict(kept["part"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise BadValue(f"{file}: is not a kept part of an experiment ({error})") from error
        for key in sorted({*settings, *self._settings}):
            then, now = settings.get(key), self._settings.get(key)
            if then != now:
                raise BadValue(
                    f"{file}: was made with {key} {then}, this run has {now}; "
                    "give another folder, or take the file away"
                )
        return part
