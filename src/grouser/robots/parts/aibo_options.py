"""An AIBO's options: sensors, colour, and its walk by numbers, as every team had its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal, get_args

from grouser.errors import BadValue, unknown
from grouser.frames import radians
from grouser.locomotion.quadruped_legs import Stance
from grouser.locomotion.trot import Locus, Trot
from grouser.robots.parts.aibo import Aibo
from grouser.robots.parts.hull import Vector

WALK = (
    "period", "stance_share", "lift", "locus", "stride", "side_stride", "turn_stride_deg",
    "height", "pitch_deg", "fore_x", "fore_y", "hind_x", "hind_y",
)  # fmt: skip
"""Options that affect the gait only, not the model."""

RANGES: dict[str, tuple[float, float]] = {
    "period": (0.1, 5.0),
    "stance_share": (0.5, 0.95),
    "lift": (0.0, 0.08),
    "stride": (0.0, 0.2),
    "side_stride": (0.0, 0.2),
    "turn_stride_deg": (0.0, 90.0),
    "height": (0.05, 0.2),
    "pitch_deg": (-30.0, 30.0),
    "fore_x": (0.0, 0.2),
    "fore_y": (0.02, 0.2),
    "hind_x": (-0.2, 0.0),
    "hind_y": (0.02, 0.2),
}
"""Accepted ranges; reachability is checked against the joint limits."""
SLOWEST = 1e-6
"""Speed limit (m/s or rad/s) of a stride option of 0."""


@dataclass(frozen=True, kw_only=True)
class AiboOptions:
    """Options of an AIBO; s, m, deg. A gait option of None keeps the robot's own value."""

    gait_options: ClassVar[tuple[str, ...]] = WALK

    sensors: bool = True
    """False: encoders and ground truth only; many robots then run about twice as fast."""
    team: Literal["", "red", "blue"] = ""
    """Team colour of the body."""
    period: float | None = None
    """Duration of a gait cycle."""
    stance_share: float | None = None
    """Duty factor: fraction of the cycle that a paw is on the ground, 0.5 or more."""
    lift: float | None = None
    """Lift height of the paws."""
    locus: Locus | None = None
    """Path of the paws through the air: ``arch`` or ``box``."""
    stride: float | None = None
    """Largest stride length forwards and backwards; also limited by the joints."""
    side_stride: float | None = None
    """Largest stride length sideways."""
    turn_stride_deg: float | None = None
    """Largest turn in one stride, deg."""
    height: float | None = None
    """Height of the shoulders' middle above the ground."""
    pitch_deg: float | None = None
    """Pitch of the body, nose down, deg."""
    fore_x: float | None = None
    """x of the centre of the fore paws' path from the shoulders' middle."""
    fore_y: float | None = None
    """y of the centre of the fore paws' path."""
    hind_x: float | None = None
    """x of the centre of the hind paws' path from the shoulders' middle; negative."""
    hind_y: float | None = None
    """y of the centre of the hind paws' path."""

    def __post_init__(self) -> None:
        for name, (least, most) in RANGES.items():
            value = getattr(self, name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise BadValue(f"{name} is {value!r}, a number is needed")
            if not least <= value <= most:
                raise BadValue(f"{name} is {value:g}, must be {least:g} to {most:g}")
        if self.locus is not None and self.locus not in get_args(Locus):
            raise unknown("locus", "path of paws", str(self.locus), get_args(Locus))

    def apply_to(self, aibo: Aibo) -> Aibo:
        """Return ``aibo`` with the gait of these options.

        Raises:
            BadValue: the legs do not reach the stance.
        """
        if all(getattr(self, name) is None for name in WALK):
            return aibo
        own = aibo.gait
        trot = replace(
            own,
            stance=self._stance(aibo),
            cycle=_or_default(self.period, own.cycle),
            grounded=_or_default(self.stance_share, own.grounded),
            height=_or_default(self.lift, own.height),
            pitch=own.pitch if self.pitch_deg is None else radians(self.pitch_deg),
            locus=self.locus or own.locus,
        )
        trot = replace(trot, kick=replace(own.kick, stance=trot.stance.pitched(trot.pitch)))
        walker = replace(aibo, stance=trot.stance, gait=trot)
        if not walker.stance_is_reachable():
            raise BadValue(
                "height, pitch_deg, fore_x, fore_y, hind_x, hind_y: the legs do not reach the "
                "ground there within their joint limits"
            )
        walker = walker.with_fastest_gait()
        fastest = self._within_strides(walker.gait)
        return replace(walker, gait=replace(walker.gait, fastest=fastest))

    def _within_strides(self, trot: Trot) -> Vector:
        """Return the gait's fastest speeds, limited by the stride options."""
        ground = trot.cycle * trot.grounded
        turn_stride = None if self.turn_stride_deg is None else radians(self.turn_stride_deg)
        forward, sideways, turn = (
            most if stride is None else min(most, max(stride / ground, SLOWEST))
            for most, stride in zip(
                trot.fastest, (self.stride, self.side_stride, turn_stride), strict=True
            )
        )
        return forward, sideways, turn

    def _stance(self, aibo: Aibo) -> Stance:
        own = aibo.stance
        low = None if self.height is None else aibo.paw_radius - self.height
        return Stance(
            fore=(
                _or_default(self.fore_x, own.fore[0]),
                _or_default(self.fore_y, own.fore[1]),
                _or_default(low, own.fore[2]),
            ),
            hind=(
                _or_default(self.hind_x, own.hind[0]),
                _or_default(self.hind_y, own.hind[1]),
                _or_default(low, own.hind[2]),
            ),
        )


def _or_default(value: float | None, default: float) -> float:
    return default if value is None else float(value)
