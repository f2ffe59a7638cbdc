"""Time of DP matching of two long trajectories, compared with dtaidistance.

``match_2000_s``      time for 2,000 x 2,000 samples in x and z, s; minimum of several
``dtaidistance_s``    the same with dtaidistance's compiled code, distance and path; nan if missing
``ratio``             match_2000_s / dtaidistance_s
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable

import numpy as np

from grouser.benches.machine import wall_seconds
from grouser.evaluation.matching import warp
from grouser.experiments.run_options import Progress
from grouser.frames import Array

SAMPLES = 2000
REPEATS = 5


def run(progress: Progress) -> dict[str, float]:
    """Measure both alternately and return the figures."""
    rng = np.random.default_rng(0)
    first, second = (rng.normal(size=(2, SAMPLES)).cumsum(axis=1) for _ in range(2))
    theirs = _dtaidistance(first, second)
    ours_s, theirs_s = math.inf, math.inf if theirs else math.nan
    for repeat in range(REPEATS):
        progress("matching", repeat, REPEATS)
        ours_s = min(ours_s, wall_seconds(lambda: warp(first, second)))
        if theirs:
            theirs_s = min(theirs_s, wall_seconds(theirs))
    return {"match_2000_s": ours_s, "dtaidistance_s": theirs_s, "ratio": ours_s / theirs_s}


def _dtaidistance(first: Array, second: Array) -> Callable[[], object] | None:
    """Return the same work with dtaidistance, or None if it or its compiled part is missing."""
    try:
        dtw = importlib.import_module("dtaidistance.dtw")
        dtw_ndim = importlib.import_module("dtaidistance.dtw_ndim")
        importlib.import_module("dtaidistance.dtw_cc")
    except ImportError:
        return None
    one, two = first.T.copy(), second.T.copy()
    return lambda: dtw.best_path(dtw_ndim.warping_paths_fast(one, two)[1])
