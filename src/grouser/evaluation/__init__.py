"""What recorded arrays tell: logs matched with runs, energy, turning, fits; no MuJoCo."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.evaluation.clouds import PlaneFit, fit_plane, voxel_means
    from grouser.evaluation.energy import Energy, joint_energy
    from grouser.evaluation.following import Following, LogAlignment, follow
    from grouser.evaluation.line_fit import LineFit, fit_line
    from grouser.evaluation.matching import INDICES, Errors, TrajectoryMatch, match
    from grouser.evaluation.trajectory import Trajectory, read_trajectory
    from grouser.evaluation.turning import curvature, distance, rotation

_PLACES = {
    "INDICES": "grouser.evaluation.matching",
    "Energy": "grouser.evaluation.energy",
    "Errors": "grouser.evaluation.matching",
    "Following": "grouser.evaluation.following",
    "LineFit": "grouser.evaluation.line_fit",
    "LogAlignment": "grouser.evaluation.following",
    "PlaneFit": "grouser.evaluation.clouds",
    "Trajectory": "grouser.evaluation.trajectory",
    "TrajectoryMatch": "grouser.evaluation.matching",
    "curvature": "grouser.evaluation.turning",
    "distance": "grouser.evaluation.turning",
    "fit_line": "grouser.evaluation.line_fit",
    "fit_plane": "grouser.evaluation.clouds",
    "follow": "grouser.evaluation.following",
    "joint_energy": "grouser.evaluation.energy",
    "match": "grouser.evaluation.matching",
    "read_trajectory": "grouser.evaluation.trajectory",
    "rotation": "grouser.evaluation.turning",
    "voxel_means": "grouser.evaluation.clouds",
}

__all__ = [
    "INDICES",
    "Energy",
    "Errors",
    "Following",
    "LineFit",
    "LogAlignment",
    "PlaneFit",
    "Trajectory",
    "TrajectoryMatch",
    "curvature",
    "distance",
    "fit_line",
    "fit_plane",
    "follow",
    "joint_energy",
    "match",
    "read_trajectory",
    "rotation",
    "voxel_means",
]


__getattr__ = lazily(__name__, _PLACES)
