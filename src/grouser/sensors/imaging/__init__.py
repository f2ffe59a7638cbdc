"""What makes a real picture: lens, shutter, noise, the CMOS sweep; and errors of depth cameras."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.sensors.imaging.cmos import Cmos, CmosFilter
    from grouser.sensors.imaging.cmos_calibration import fit_darkening, fit_kappa, fit_noise
    from grouser.sensors.imaging.depth_errors import Disparity, TimeOfFlight
    from grouser.sensors.imaging.imager import IMAGERS, Imager
    from grouser.sensors.imaging.lens import Lens, Polynomial, Radial
    from grouser.sensors.imaging.light import white_balance
    from grouser.sensors.imaging.noise import Noise
    from grouser.sensors.imaging.shutter import Shutter

_PLACES = {
    "Cmos": "grouser.sensors.imaging.cmos",
    "CmosFilter": "grouser.sensors.imaging.cmos",
    "Disparity": "grouser.sensors.imaging.depth_errors",
    "IMAGERS": "grouser.sensors.imaging.imager",
    "Imager": "grouser.sensors.imaging.imager",
    "Lens": "grouser.sensors.imaging.lens",
    "Noise": "grouser.sensors.imaging.noise",
    "Polynomial": "grouser.sensors.imaging.lens",
    "Radial": "grouser.sensors.imaging.lens",
    "Shutter": "grouser.sensors.imaging.shutter",
    "TimeOfFlight": "grouser.sensors.imaging.depth_errors",
    "fit_darkening": "grouser.sensors.imaging.cmos_calibration",
    "fit_kappa": "grouser.sensors.imaging.cmos_calibration",
    "fit_noise": "grouser.sensors.imaging.cmos_calibration",
    "white_balance": "grouser.sensors.imaging.light",
}

__all__ = [
    "IMAGERS",
    "Cmos",
    "CmosFilter",
    "Disparity",
    "Imager",
    "Lens",
    "Noise",
    "Polynomial",
    "Radial",
    "Shutter",
    "TimeOfFlight",
    "fit_darkening",
    "fit_kappa",
    "fit_noise",
    "white_balance",
]

__getattr__ = lazily(__name__, _PLACES)
