"""Work done on all cores at once, in threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeVar

from grouser.cores import cores

Progress = Callable[[int, int], None]
"""Called with (finished, all)."""

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_on_all_cores(
    work: Callable[[Item], Result], items: Sequence[Item], *, progress: Progress | None = None
) -> list[Result]:
    """Return what ``work`` makes of every item, in order; MuJoCo frees the GIL."""
    results: dict[int, Result] = {}
    with ThreadPoolExecutor(cores()) as pool:
        jobs = {pool.submit(work, item): number for number, item in enumerate(items)}
        try:
            for job in as_completed(jobs):
                results[jobs[job]] = job.result()
                if progress:
                    progress(len(results), len(items))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return [results[number] for number in range(len(items))]
