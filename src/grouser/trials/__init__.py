"""Many at once: the same trial on this machine's cores, and later on a GPU or a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.trials.replay import replay_trial
    from grouser.trials.threads import run
    from grouser.trials.trial import Goal, Observation, Outcome, Trial, Verdict

_PLACES = {
    "Goal": "grouser.trials.trial",
    "Observation": "grouser.trials.trial",
    "Outcome": "grouser.trials.trial",
    "Trial": "grouser.trials.trial",
    "Verdict": "grouser.trials.trial",
    "replay_trial": "grouser.trials.replay",
    "run": "grouser.trials.threads",
}

__all__ = [
    "Goal",
    "Observation",
    "Outcome",
    "Trial",
    "Verdict",
    "replay_trial",
    "run",
]

__getattr__ = lazily(__name__, _PLACES)
