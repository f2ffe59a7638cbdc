"""Flipper options of a world file: a pair at the front, at the rear, or both."""

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
"""m   estimate: gap between a track and the flipper beside it."""
GRAVITY = 9.81
"""m/s²."""


@dataclass(frozen=True, kw_only=True)
class FlipperOptions:
    """Options of a pair of flippers; m, kg, N m. None: derived from the robot."""

    reach: float
    """Distance from the axis to the axis of the tip pulley."""
    tip: float | None = None
    """Radius of the belt around the tip pulley; None: half of ``root``."""
    width: float | None = None
    """Belt width; None: a third of the track's."""
    mass: float | None = None
    """Mass of one flipper with its belt; None: 4 % of the robot, an estimate."""
    torque: float | None = None
    """Torque of one arm; None: both hold the robot's weight at their tips, an estimate."""
    speed_deg: float = 60.0
    """Speed limit of the arm, deg/s; an estimate."""
    start_deg: float = 0.0
    """Initial angle, deg, up positive; 0: level, pointing away from the middle."""
    limits_deg: Sequence[float] | None = None
    """Joint limits, deg; None: unlimited."""
    axis: Sequence[float] | None = None
    """x and z of the axis; None: the track's outermost pulley at that end."""
    root: float | None = None
    """Radius of the belt around the axis; None: that of the pulley."""
    armature: float = 0.1
    """Rotor inertia of the arm's motor, reflected to the arm, kg m²; an estimate."""
    inertia: float = 0.3
    """Belt mass that adds to the load of the track's motor; an estimate."""

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


def flippers_from_options(given: object) -> dict[str, FlipperOptions]:
    """Validate ``{front: {reach: …}, rear: {…}}``; return the options by end."""
    if not isinstance(given, Mapping):
        raise BadValue(f"flippers: {given!r} is not {{front: {{reach: …}}, rear: {{reach: …}}}}")
    pairs = {}
    allowed = [entry.name for entry in fields(FlipperOptions)]
    for end, options in given.items():
        if end not in ENDS:
            raise BadValue(f"flippers: there is no end {end!r} (there are: front, rear)")
        if not isinstance(options, Mapping) or "reach" not in options:
            raise BadValue(
                f"flippers: {end} needs reach: m from its axis to the axis of its tip pulley"
            )
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
    """Return both flippers of an end and the drive of their arms.

    Args:
        end: front or rear.
        options: of the pair.
        track: the robot's main track, whose motor drives their belts.
        pulleys: x, z, radius of the track's pulleys, m; may be empty with axis and root given.
        gauge: distance between the centre lines of the tracks, m.
        mass: of the whole robot, kg.
    """
    forward = 1 if end == "front" else -1
    outermost = max(pulleys, key=lambda pulley: forward * pulley[0], default=(None, None, None))
    x, z = options.axis or outermost[:2]
    root = options.root or outermost[2]
    if x is None or z is None or root is None:
        raise BadValue(f"flippers: {end} needs axis and root: the track has no pulleys")
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
        saturation_error=radians(2),
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
