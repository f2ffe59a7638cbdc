"""Number of CPU cores available to this process."""

from __future__ import annotations

import math
import os
from pathlib import Path

_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def cores() -> int:
    """Return the number of usable cores: CPU affinity and cgroup quota, rounded up."""
    allowed = getattr(os, "sched_getaffinity", None)  # Linux only
    free = len(allowed(0)) if allowed else os.cpu_count() or 1
    try:
        share, _, period = _QUOTA.read_text(encoding="ascii").strip().partition(" ")
    except (OSError, UnicodeDecodeError):  # no cgroup v2, or not Linux
        return free
    if share.isdecimal() and period.isdecimal():
        return min(free, math.ceil(int(share) / int(period)))
    return free
