"""The cameras of known robots, to be put on a robot's site ``camera``.

``replace(ERS210, mount="head")`` puts one somewhere else; ``ERS210.ideal()`` is the pinhole that
has its view.
"""

from __future__ import annotations

from grouser.sensors.camera import Camera
from grouser.sensors.imaging.imager import IMAGERS, Imager


def _camera(imager: Imager, rate_hz: float) -> Camera:
    """Return the camera whose pictures can be read as soon as their last row has been exposed."""
    shutter = imager.shutter
    delay_s = (shutter.readout_s + shutter.exposure_s) / 2
    return Camera(mount="camera", camera=imager, rate_hz=rate_hz, delay_s=delay_s)


ERS210 = _camera(IMAGERS["ers210"], rate_hz=25.0)  # cmos, sec. 4
ERS7 = _camera(IMAGERS["ers7"], rate_hz=30.0)  # robots.md B2
