"""Imagers: combinations of lens, chip and shutter, including those of known robots.

A world file names one (``camera: ers210``) or describes its own::

    camera: {width: 320, height: 240, fov_deg: [60, 46], kappa: -0.1, read: 2.0, shot: 0.05}
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from grouser.errors import BadValue, nearest, unknown
from grouser.sensors.imaging.cmos import IDEAL_CMOS, Cmos, Noise
from grouser.sensors.imaging.lens import Lens, Radial
from grouser.sensors.imaging.shutter import INSTANT_SHUTTER, Shutter


@dataclass(frozen=True, kw_only=True)
class Imager:
    """Lens, chip and shutter of a camera."""

    lens: Lens
    cmos: Cmos = IDEAL_CMOS
    shutter: Shutter = INSTANT_SHUTTER

    def ideal(self) -> Imager:
        """Return the error-free pinhole with the same view."""
        return Imager(lens=replace(self.lens, distortion=Radial()))


_KAPPA = -0.1  # estimate   the paper calibrates one and does not print it; 5 % at the corners
_CMOS = Cmos(
    blur=1.0,  # cmos, sec. 4.1
    darkening=4.0,  # estimate   an ideal thin lens; the paper measures it and prints no number
    noise=Noise(read=2.0, shot=0.05),  # estimate   2 grey levels in the dark, 4 in white
)

IMAGERS: dict[str, Imager] = {
    "ers210": Imager(
        lens=Lens(
            width=176,  # sources.md B1: the working layer; the paper prints 178
            height=144,  # cmos, sec. 4
            fov_deg=(57.6, 47.8),  # cmos, sec. 4
            distortion=Radial(_KAPPA),
        ),
        cmos=_CMOS,
        shutter=Shutter(
            exposure_s=1 / 200,  # cmos, sec. 4
            readout_s=1 / 25,  # cmos, sec. 4.5: "about one frame time"
        ),
    ),
    "ers7": Imager(
        lens=Lens(
            width=208,  # sources.md B2: the working layer
            height=160,  # sources.md B2
            fov_deg=(56.9, 45.2),  # sources.md B2
            distortion=Radial(_KAPPA),
        ),
        cmos=_CMOS,
        shutter=Shutter(
            exposure_s=1 / 200,  # estimate   the ERS-210's
            readout_s=1 / 30,  # estimate   one frame time, as with the ERS-210
        ),
    ),
}
"""Name in a world file → imager."""

_NEEDED = ("width", "height", "fov_deg")
_PARTS = {
    "kappa": Radial,
    **{part.name: Noise for part in dataclasses.fields(Noise)},
    **{part.name: Cmos for part in dataclasses.fields(Cmos) if part.name != "noise"},
    **{part.name: Shutter for part in dataclasses.fields(Shutter)},
}


def resolve_imager(description: str | Imager | Mapping[str, Any]) -> Imager:
    """Return the imager of a name or of options in a world file; return an imager as it is."""
    if isinstance(description, Imager):
        return description
    if isinstance(description, str):
        if description not in IMAGERS:
            raise unknown("camera", "camera", description, IMAGERS)
        return IMAGERS[description]
    allowed = [*_NEEDED, *_PARTS]
    for key in description:
        if key not in allowed:
            listing = ", ".join(allowed)
            raise BadValue(
                f"camera: there is no option '{key}' (there are: {listing}){nearest(key, allowed)}"
            )
    if missing := [key for key in _NEEDED if key not in description]:
        raise BadValue(f"camera: {', '.join(missing)} must be given")

    def of(part: type) -> dict[str, Any]:
        return {key: description[key] for key in description if _PARTS.get(key) is part}

    across, down = description["fov_deg"]
    lens = Lens(
        width=description["width"],
        height=description["height"],
        fov_deg=(across, down),
        distortion=Radial(**of(Radial)),
    )
    noise = Noise(**of(Noise))
    return Imager(
        lens=lens, cmos=replace(IDEAL_CMOS, noise=noise, **of(Cmos)), shutter=Shutter(**of(Shutter))
    )
