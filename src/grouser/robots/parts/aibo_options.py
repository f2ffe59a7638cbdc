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
"""Options that say how it walks, and nothing of how it is built."""

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
"""From, to: what is accepted; whether legs reach it is looked up in their joints."""
SLOWEST = 1e-6
"""m/s or rad/s of strides that may have no length at all."""


@dataclass(frozen=True, kw_only=True)
class AiboOptions:
    """An AIBO's options; s, m, deg. A number of the walk that is left out is the robot's own."""

    gait_options: ClassVar[tuple[str, ...]] = WALK

    sensors: bool = True
    """False: encoders and truth only; crowds then run about twice as fast."""
    team: Literal["", "red", "blue"] = ""
    """Whose colour it wears."""
    period: float | None = None
    """Time of a step of every leg."""
    stance_share: float | None = None
    """Part of it that a paw is on the ground, 0.5 and more."""
    lift: float | None = None
    """How high paws are lifted."""
    locus: Locus | None = None
    """Path of the paws through the air: ``arch`` or ``box``."""
    stride: float | None = None
    """Longest way of a paw on the ground, ahead or back; at most what the joints can follow."""
    side_stride: float | None = None
    """The same to either side."""
    turn_stride_deg: float | None = None
    """Most that it turns in one stride."""
    height: float | None = None
    """Of the shoulders' middle over the ground."""
    pitch_deg: float | None = None
    """How far the body is tilted nose down."""
    fore_x: float | None = None
    """Middle of the fore paws' path before the shoulders' middle."""
    fore_y: float | None = None
    """And beside it."""
    hind_x: float | None = None
    """Middle of the hind paws' path before the shoulders' middle: negative, behind it."""
    hind_y: float | None = None
    """And beside it."""

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

    def walking(self, aibo: Aibo) -> Aibo:
        """Return ``aibo`` with this walk.

        Raises:
            BadValue: its legs do not reach the ground there.
        """
        if all(getattr(self, name) is None for name in WALK):
            return aibo
        own = aibo.gait
        trot = replace(
            own,
            stance=self._stance(aibo),
            cycle=_given(self.period, own.cycle),
            grounded=_given(self.stance_share, own.grounded),
            height=_given(self.lift, own.height),
            pitch=own.pitch if self.pitch_deg is None else radians(self.pitch_deg),
            locus=self.locus or own.locus,
        )
        trot = replace(trot, kick=replace(own.kick, stance=trot.stance.pitched(trot.pitch)))
        walker = replace(aibo, stance=trot.stance, gait=trot)
        if not walker.reaches():
            raise BadValue(
                "height, pitch_deg, fore_x, fore_y, hind_x, hind_y: the legs do not reach the "
                "ground there, or only beyond their joints' limits"
            )
        walker = walker.at_joint_limits()
        fastest = self._within_strides(walker.gait)
        return replace(walker, gait=replace(walker.gait, fastest=fastest))

    def _within_strides(self, trot: Trot) -> Vector:
        """Return the walk's fastest speeds with no stride longer than the options allow."""
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
                _given(self.fore_x, own.fore[0]),
                _given(self.fore_y, own.fore[1]),
                _given(low, own.fore[2]),
            ),
            hind=(
                _given(self.hind_x, own.hind[0]),
                _given(self.hind_y, own.hind[1]),
                _given(low, own.hind[2]),
            ),
        )


def _given(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else float(value)
