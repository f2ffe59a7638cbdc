"""The machine a bench ran on: what a reader needs to judge a speed, and nothing that names it."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path

from grouser.cores import cores

_CPUS = Path("/proc/cpuinfo")
_STAT, _STEAL = Path("/proc/stat"), 8
"""Where Linux counts time, and in which column that is that was stolen."""


def machine() -> dict[str, str | int | float | None]:
    """Return the processor, the cores and memory (GiB) there are, and the versions that count."""
    return {
        "cpu": _cpu(),
        "cores": cores(),
        "memory_gib": _memory_gib(),
        "platform": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{package: version(package) for package in ("mujoco", "numpy", "grouser")},
    }


def stolen_seconds() -> float:
    """Return how long (s, of all cores together) others on the host have held this machine up.

    On a virtual machine: time in which a core of ours could have run and the host did not let it.
    """
    first = next(iter(_lines(_STAT)), "").split()
    if len(first) <= _STEAL or first[0] != "cpu":
        return 0.0  # nobody tells: not Linux
    return int(first[_STEAL]) / os.sysconf("SC_CLK_TCK")


def queued_seconds(process: int) -> float:
    """Return how long (s) the main thread of a process could have run, but others did.

    Others on this machine, that is: programs beside it. Linux counts it in ``schedstat``.
    """
    words = " ".join(_lines(Path(f"/proc/{process}/task/{process}/schedstat"))).split()
    return int(words[1]) / 1e9 if len(words) > 1 else 0.0


def version(package: str) -> str:
    """Return the installed version of ``package``, without importing it."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:  # Grouser itself, run from a bare checkout
        return "0+checkout"


def _cpu() -> str:
    for line in _lines(_CPUS):
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            return value.strip()
    return platform.processor() or platform.machine()


def _memory_gib() -> float | None:
    try:
        size = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # not on Windows
        return None
    return round(size / 2**30, 1)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
