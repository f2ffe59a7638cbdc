"""Time measurement, and the properties of the machine that a speed depends on."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

from grouser.cores import cores

_CPUS = Path("/proc/cpuinfo")
_STAT, _STEAL = Path("/proc/stat"), 8
"""File with Linux's time counters, and the column of stolen time."""


def machine() -> dict[str, str | int | float | None]:
    """Return processor, number of cores, memory (GiB) and the relevant versions."""
    return {
        "cpu": _cpu(),
        "cores": cores(),
        "memory_gib": _memory_gib(),
        "platform": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{package: version(package) for package in ("mujoco", "numpy", "grouser")},
    }


def wall_seconds(work: Callable[[], object]) -> float:
    """Return the wall time of a call, s."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def processor_seconds(work: Callable[[], object]) -> float:
    """Return the processor time of this process in a call, s."""
    start = time.process_time()
    work()
    return time.process_time() - start


def stolen_seconds() -> float:
    """Return the time that the host took from all cores since the start of the machine, s."""
    first = next(iter(_lines(_STAT)), "").split()
    if len(first) <= _STEAL or first[0] != "cpu":
        return 0.0  # only Linux counts it
    return int(first[_STEAL]) / os.sysconf("SC_CLK_TCK")


def queued_seconds(process: int) -> float:
    """Return how long the main thread of a process was ready but waited for a core, s (Linux)."""
    words = " ".join(_lines(Path(f"/proc/{process}/task/{process}/schedstat"))).split()
    return int(words[1]) / 1e9 if len(words) > 1 else 0.0


def version(package: str) -> str:
    """Return the installed version of ``package`` without importing it."""
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
