"""Imagers: combinations of lens, chip and shutter, including those of known robots.

A world file names one (``camera: ers210``) or describes its own::

    camera: {width: 320, height: 240, fov_deg: [60, 46], kappa: -0.1, read: 2.0, shot: 0.05}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import Field, PlainValidator, Strict, WithJsonSchema

from grouser.description import Description, NotNegative, OneOf
from grouser.physics.colour_temperature import Kelvin
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
        cmos=replace(_CMOS, white_balance_k=4300.0),  # cmos, sec. 4
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
            readout_s=480 * 857 / 13.5e6,  # 480 lines of 857 clocks at 13.5 MHz: 30.5 ms
        ),
    ),
}
"""Name in a world file → imager."""

FieldOfView = Annotated[float, Field(gt=0, lt=180)]
"""An angle between 0 and 180 deg."""


class ImagerOptions(Description):
    """Imager as a world file describes it."""

    width: Annotated[int, Field(ge=1)]
    """Pixels in a row."""
    height: Annotated[int, Field(ge=1)]
    """Rows."""
    fov_deg: Annotated[tuple[FieldOfView, FieldOfView], Strict(False)]
    """Horizontal and vertical field of view without distortion, deg."""
    kappa: float = 0.0
    """Radial distortion; see `Radial`."""
    read: NotNegative = 0.0
    """Read noise: standard deviation in the dark, grey levels of 255."""
    shot: NotNegative = 0.0
    """Shot noise: variance per grey level."""
    blur: NotNegative = IDEAL_CMOS.blur
    """Standard deviation of the 5 x 5 lens blur, pixels; 0: none."""
    darkening: NotNegative = IDEAL_CMOS.darkening
    """Power of the cosine in limb darkening; 0: none."""
    exposure: NotNegative = IDEAL_CMOS.exposure
    """Factor on all light; 1: unchanged."""
    balance: Annotated[tuple[NotNegative, NotNegative, NotNegative], Strict(False)] = (
        IDEAL_CMOS.balance
    )
    """Gains of red, green and blue after the noise."""
    white_balance_k: Kelvin | None = None
    """Temperature of the light for which the camera is balanced, K; None: of any light."""
    exposure_s: NotNegative = 0.0
    """Exposure time of a row, s."""
    readout_s: NotNegative = 0.0
    """Read-out time of all rows, s; 0: global shutter."""

    @property
    def imager(self) -> Imager:
        """Lens, chip and shutter."""
        lens = Lens(
            width=self.width,
            height=self.height,
            fov_deg=self.fov_deg,
            distortion=Radial(self.kappa),
        )
        cmos = Cmos(
            blur=self.blur,
            darkening=self.darkening,
            noise=Noise(read=self.read, shot=self.shot),
            exposure=self.exposure,
            balance=self.balance,
            white_balance_k=self.white_balance_k,
        )
        return Imager(
            lens=lens,
            cmos=cmos,
            shutter=Shutter(exposure_s=self.exposure_s, readout_s=self.readout_s),
        )


def resolve_imager(description: str | Imager | Mapping[str, Any]) -> Imager:
    """Return the imager of a name or of options in a world file; return an imager as it is."""
    if isinstance(description, Imager):
        return description
    if isinstance(description, Mapping):
        return ImagerOptions.model_validate(dict(description)).imager
    return IMAGERS[OneOf(lambda: IMAGERS).check(description)]


ImagerField = Annotated[
    str | Imager | Mapping[str, Any],
    PlainValidator(resolve_imager),
    WithJsonSchema({"anyOf": [{"enum": [*IMAGERS]}, ImagerOptions.model_json_schema()]}),
]
"""Field of a description: name, numbers or object; kept as an `Imager`."""
