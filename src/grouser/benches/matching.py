"""How fast is DP matching of two long trajectories, and how does it compare with dtaidistance?

``match_2000_s``      seconds for 2,000 x 2,000 samples in x and z, the fastest of several
``dtaidistance_s``    the same with dtaidistance's compiled code, distance and way; nan: not there
``ratio``             match_2000_s / dtaidistance_s
"""

from __future__ import annotations

import importlib
import math
import time
from collections.abc import Callable

import numpy as np

from grouser.evaluation.matching import warp
from grouser.frames import Array

SAMPLES = 2000
REPEATS = 5

Progress = Callable[[str, int, int], None]


def run(progress: Progress) -> dict[str, float]:
    """Measure both in turns and return the figures."""
    rng = np.random.default_rng(0)
    first, second = (rng.normal(size=(2, SAMPLES)).cumsum(axis=1) for _ in range(2))
    theirs = _theirs(first, second)
    ours_s, theirs_s = math.inf, math.inf if theirs else math.nan
    for repeat in range(REPEATS):
        progress("matching", repeat, REPEATS)
        ours_s = min(ours_s, _timed(lambda: warp(first, second)))
        if theirs:
            theirs_s = min(theirs_s, _timed(theirs))
    return {"match_2000_s": ours_s, "dtaidistance_s": theirs_s, "ratio": ours_s / theirs_s}


def _timed(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def _theirs(first: Array, second: Array) -> Callable[[], object] | None:
    """Return the same job for dtaidistance, if it is installed with its compiled part."""
    try:
        dtw = importlib.import_module("dtaidistance.dtw")
        dtw_ndim = importlib.import_module("dtaidistance.dtw_ndim")
        importlib.import_module("dtaidistance.dtw_cc")
    except ImportError:
        return None
    one, two = first.T.copy(), second.T.copy()
    return lambda: dtw.best_path(dtw_ndim.warping_paths_fast(one, two)[1])
