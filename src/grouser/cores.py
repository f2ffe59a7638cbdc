"""CPU cores available to this process, and a thread pool that uses them."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TypeVar

_QUOTA = Path("/sys/fs/cgroup/cpu.max")

Progress = Callable[[int, int], None]
"""Called with (finished, total) whenever a part of the work is finished."""

Item = TypeVar("Item")
Result = TypeVar("Result")


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


def parallel_map(
    work: Callable[[Item], Result],
    items: Iterable[Item],
    *,
    threads: int = 0,
    progress: Progress | None = None,
    on_error: Callable[[], None] | None = None,
) -> list[Result]:
    """Apply ``work`` to every item on a thread pool; return the results in order.

    MuJoCo and NumPy release the GIL while they compute.

    Args:
        work: function of one item.
        items: all items.
        threads: number of threads; 0: one per core.
        progress: called in the calling thread for each finished item.
        on_error: called before an error is raised, so that running work can be cancelled; work
            that has not started is dropped.
    """
    results: dict[int, Result] = {}
    with ThreadPoolExecutor(threads or cores()) as pool:
        jobs = {pool.submit(work, item): number for number, item in enumerate(items)}
        try:
            for job in as_completed(jobs):
                results[jobs[job]] = job.result()
                if progress:
                    progress(len(results), len(jobs))
        except BaseException:
            if on_error:
                on_error()
            pool.shutdown(cancel_futures=True)
            raise
    return [results[number] for number in range(len(jobs))]
