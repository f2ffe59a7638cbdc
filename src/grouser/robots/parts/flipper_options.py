"""Flippers as a world file describes them: a pair at the front, one at the rear, or both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from grouser.errors import BadValue, nearest
from grouser.frames import radians
from grouser.physics.drives import Drive
from grouser.robots.parts.flipper import Flipper, TaperedPair
from grouser.tracks.track import Track

ENDS = ("front", "rear")
GAP = 0.005
"""m   estimate: between a track and the flipper beside it."""
GRAVITY = 9.81
"""m/s²."""


@dataclass(frozen=True, kw_only=True)
class FlipperOptions:
    """What may be said of a pair of flippers; m, kg, N m. None: worked out from the robot."""

    reach: float
    """From its axis to that of the tip's pulley."""
    tip: float | None = None
    """Radius of the belt round the tip's pulley; None: half of that at the axis."""
    width: float | None = None
    """Of its belt; None: a third of the track's."""
    mass: float | None = None
    """Of one with its belt; None: 4 % of the robot, an estimate."""
    torque: float | None = None
    """Of one arm; None: enough for both to hold the robot's weight at their tips, an estimate."""
    speed_deg: float = 60.0
    """Of the arm, deg/s; an estimate."""
    start_deg: float = 0.0
    """Where it starts, up positive; 0: level, pointing away from the middle."""
    limits_deg: Sequence[float] | None = None
    """How far it turns, from and to; None: without end."""
    axis: Sequence[float] | None = None
    """x and z of its axis; None: that of the track's outermost pulley on its side."""
    root: float | None = None
    """Radius of its belt round the axis; None: that of that pulley."""
    armature: float = 0.1
    """Of the arm's motor, seen at the arm, kg m²; an estimate."""
    inertia: float = 0.3
    """Mass of its belt that the track's motor has to accelerate with its own; an estimate."""

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = getattr(self, entry.name)
            if entry.name in ("axis", "limits_deg"):
                if value is not None and not _two_numbers(value):
                    raise BadValue(f"{entry.name} is {value!r}, two numbers are needed")
            elif value is None and entry.name != "reach":
                continue
            elif entry.name == "start_deg":
                low, high = self.limits_deg or (-180.0, 180.0)
                if not _number(value) or not low <= value <= high:
                    raise BadValue(f"start_deg is {value!r}, must be {low:g} to {high:g}")
            elif not _number(value) or not value > 0:
                raise BadValue(f"{entry.name} is {value!r}, a number above 0 is needed")
        if self.limits_deg and not self.limits_deg[0] < self.limits_deg[1]:
            raise BadValue(f"limits_deg is {list(self.limits_deg)}, must rise")


def described_flippers(given: object) -> dict[str, FlipperOptions]:
    """Return the pairs of ``{front: {reach: …}, rear: {…}}``, checked."""
    if not isinstance(given, Mapping):
        raise BadValue(f"flippers: {given!r} is not {{front: {{reach: …}}, rear: {{reach: …}}}}")
    pairs = {}
    allowed = [entry.name for entry in fields(FlipperOptions)]
    for end, options in given.items():
        if end not in ENDS:
            raise BadValue(f"flippers: there is no end {end!r} (there are: front, rear)")
        if not isinstance(options, Mapping) or "reach" not in options:
            raise BadValue(f"flippers: {end} needs reach, m from its axis to that of its tip")
        for key in options:
            if key not in allowed:
                raise BadValue(
                    f"flippers: {end} has no '{key}' (it has: {', '.join(allowed)})"
                    f"{nearest(str(key), allowed)}"
                )
        try:
            pairs[end] = FlipperOptions(**options)
        except BadValue as error:
            raise BadValue(f"flippers: {end}: {error}") from None
    return pairs


def flipper_pair(
    end: str,
    options: FlipperOptions,
    track: Track,
    pulleys: Sequence[Sequence[float]],
    *,
    gauge: float,
    mass: float,
) -> tuple[tuple[Flipper, Flipper], Drive]:
    """Return both flippers of an end and what drives either.

    Args:
        end: front or rear.
        options: what is said of them.
        track: the robot's main track, on whose motor their belts hang.
        pulleys: x, z, radius of the track's, m; may be empty if `options` has axis and root.
        gauge: between the middles of the tracks, m.
        mass: of the whole robot, kg.
    """
    forward = 1 if end == "front" else -1
    outermost = max(pulleys, key=lambda pulley: forward * pulley[0], default=(None, None, None))
    x, z = options.axis or outermost[:2]
    root = options.root or outermost[2]
    if x is None or z is None or root is None:
        raise BadValue(f"flippers: {end} needs axis and root, since the track has no pulleys")
    width = options.width or track.width / 3
    pair = TaperedPair(
        end=end,
        axis=(float(x), (gauge + track.width + width) / 2 + GAP, float(z)),
        root=root,
        reach=options.reach,
        tip=options.tip or root / 2,
        width=width,
        mass=options.mass or 0.04 * mass,
        inertia=options.inertia,
        armature=options.armature,
        limits=_radians(options.limits_deg),
    )
    drive = Drive(
        force=options.torque or mass * GRAVITY * options.reach / 2,
        speed=radians(options.speed_deg),
        lead=radians(2),
        damping=1.0,
    )
    return pair.flippers(track), drive


def _radians(limits_deg: Sequence[float] | None) -> tuple[float, float] | None:
    return (radians(limits_deg[0]), radians(limits_deg[1])) if limits_deg else None


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _two_numbers(value: object) -> bool:
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and len(value) == 2
        and all(map(_number, value))
    )
