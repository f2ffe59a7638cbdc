"""Trials: many simulated runs on all cores, path-following trials and the plan loop."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__, renamed={"run": "run_trials"})
