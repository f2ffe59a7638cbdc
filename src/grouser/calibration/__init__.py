"""What a real robot's log tells about it and its ground: values, intervals, verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.calibration.calibration import Calibration, calibrate
    from grouser.calibration.finding import Finding
    from grouser.calibration.parameters import PARAMETERS, Parameter
    from grouser.calibration.planted_truth import Measurement, planted_log

_PLACES = {
    "PARAMETERS": "grouser.calibration.parameters",
    "Calibration": "grouser.calibration.calibration",
    "Finding": "grouser.calibration.finding",
    "Measurement": "grouser.calibration.planted_truth",
    "planted_log": "grouser.calibration.planted_truth",
    "Parameter": "grouser.calibration.parameters",
    "calibrate": "grouser.calibration.calibration",
}

__all__ = [
    "PARAMETERS",
    "Calibration",
    "Finding",
    "Measurement",
    "Parameter",
    "calibrate",
    "planted_log",
]


__getattr__ = lazily(__name__, _PLACES)
