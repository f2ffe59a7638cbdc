"""What recorded arrays tell: logs matched with runs, energy, turning, fits; no MuJoCo."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.evaluation.clouds import PlaneFit, fit_plane
    from grouser.evaluation.energy import Energy, joint_energy
    from grouser.evaluation.line_fit import LineFit, fit_line
    from grouser.evaluation.log_fit import LogAlignment, LogFit, fit_log
    from grouser.evaluation.matching import INDICES, MatchErrors, TrajectoryMatch, match
    from grouser.evaluation.trajectory import Trajectory, read_trajectory
    from grouser.evaluation.turning import curvature, path_length, total_turn

_PLACES = {
    "INDICES": "grouser.evaluation.matching",
    "Energy": "grouser.evaluation.energy",
    "MatchErrors": "grouser.evaluation.matching",
    "LogFit": "grouser.evaluation.log_fit",
    "LineFit": "grouser.evaluation.line_fit",
    "LogAlignment": "grouser.evaluation.log_fit",
    "PlaneFit": "grouser.evaluation.clouds",
    "Trajectory": "grouser.evaluation.trajectory",
    "TrajectoryMatch": "grouser.evaluation.matching",
    "curvature": "grouser.evaluation.turning",
    "path_length": "grouser.evaluation.turning",
    "fit_line": "grouser.evaluation.line_fit",
    "fit_plane": "grouser.evaluation.clouds",
    "fit_log": "grouser.evaluation.log_fit",
    "joint_energy": "grouser.evaluation.energy",
    "match": "grouser.evaluation.matching",
    "read_trajectory": "grouser.evaluation.trajectory",
    "total_turn": "grouser.evaluation.turning",
}

__all__ = [
    "INDICES",
    "Energy",
    "LineFit",
    "LogAlignment",
    "LogFit",
    "MatchErrors",
    "PlaneFit",
    "Trajectory",
    "TrajectoryMatch",
    "curvature",
    "fit_line",
    "fit_log",
    "fit_plane",
    "joint_energy",
    "match",
    "path_length",
    "read_trajectory",
    "total_turn",
]


__getattr__ = lazily(__name__, _PLACES)
