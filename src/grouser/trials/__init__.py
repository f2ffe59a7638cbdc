"""Many at once: the same trial on this machine's cores, and later on a GPU or a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.trials.draws import Draw, Spread
    from grouser.trials.path_trials import PathCourse
    from grouser.trials.replay import replay_trial
    from grouser.trials.starts import TrialStart
    from grouser.trials.threads import run
    from grouser.trials.trial import Goal, Observation, Outcome, Place, Trial, Verdict

_PLACES = {
    "Draw": "grouser.trials.draws",
    "Goal": "grouser.trials.trial",
    "Observation": "grouser.trials.trial",
    "Outcome": "grouser.trials.trial",
    "PathCourse": "grouser.trials.path_trials",
    "Place": "grouser.trials.trial",
    "Spread": "grouser.trials.draws",
    "Trial": "grouser.trials.trial",
    "TrialStart": "grouser.trials.starts",
    "Verdict": "grouser.trials.trial",
    "replay_trial": "grouser.trials.replay",
    "run": "grouser.trials.threads",
}

__all__ = [
    "Draw",
    "Goal",
    "Observation",
    "Outcome",
    "PathCourse",
    "Place",
    "Spread",
    "Trial",
    "TrialStart",
    "Verdict",
    "replay_trial",
    "run",
]

__getattr__ = lazily(__name__, _PLACES)
