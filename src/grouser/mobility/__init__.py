"""What a robot can get over: obstacle courses, who drives them, and limits with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.mobility.apparatus import APPARATUS, Apparatus, Course
    from grouser.mobility.limits import Limit, draw_variation, find_limit
    from grouser.mobility.operator import LineKeeper, Operator
    from grouser.mobility.pass_curve import PassCount, PassCurve, SizeEstimate
    from grouser.mobility.suite import (
        Candidate,
        MobilityRun,
        Variation,
        measure_candidate,
        mobility_trial,
        nominal_runs,
    )
    from grouser.mobility.ways import DrivenWay, Way, drive_ways, ways_between_starts

_PLACES = {
    "DrivenWay": "grouser.mobility.ways",
    "Way": "grouser.mobility.ways",
    "drive_ways": "grouser.mobility.ways",
    "ways_between_starts": "grouser.mobility.ways",
    "APPARATUS": "grouser.mobility.apparatus",
    "Apparatus": "grouser.mobility.apparatus",
    "Candidate": "grouser.mobility.suite",
    "Course": "grouser.mobility.apparatus",
    "Limit": "grouser.mobility.limits",
    "LineKeeper": "grouser.mobility.operator",
    "Operator": "grouser.mobility.operator",
    "PassCount": "grouser.mobility.pass_curve",
    "PassCurve": "grouser.mobility.pass_curve",
    "MobilityRun": "grouser.mobility.suite",
    "SizeEstimate": "grouser.mobility.pass_curve",
    "Variation": "grouser.mobility.suite",
    "measure_candidate": "grouser.mobility.suite",
    "draw_variation": "grouser.mobility.limits",
    "find_limit": "grouser.mobility.limits",
    "nominal_runs": "grouser.mobility.suite",
    "mobility_trial": "grouser.mobility.suite",
}

__all__ = [
    "APPARATUS",
    "Apparatus",
    "Candidate",
    "Course",
    "DrivenWay",
    "Limit",
    "LineKeeper",
    "MobilityRun",
    "Operator",
    "PassCount",
    "PassCurve",
    "SizeEstimate",
    "Variation",
    "Way",
    "draw_variation",
    "drive_ways",
    "find_limit",
    "measure_candidate",
    "mobility_trial",
    "nominal_runs",
    "ways_between_starts",
]


__getattr__ = lazily(__name__, _PLACES)
