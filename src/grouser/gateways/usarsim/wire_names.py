"""How our robots appear on the wire, as tables: class names, joints, packages.

A joint that is not in a robot's table is called after its drive, its words joined and capitalised
(``lf_rotor``: ``LFRotor``), with our own sign (docs/legged.md, docs/qrio.md). What looks about
turns as the wire's yaw and pitch do: to the right and up are positive.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from grouser.protocol.usarsim.axes import FLIPPER_UP
from grouser.robots import kenaf, lugged_rover, packbot, quince
from grouser.robots.kinds import ROBOTS, is_file, robot_kinds, title
from grouser.robots.p2at import P2AT
from grouser.robots.p2dx import P2DX
from grouser.robots.p3at import P3AT
from grouser.world.file import World

PAN_TILT = "CameraPanTilt"
"""USARSim's name of the package that turns a camera."""

Turn = tuple[str, int]
"""Name of a joint on the wire, or of a drive, and its sign there against ours."""


@dataclass(frozen=True, kw_only=True)
class Appearance:
    """What of a kind of robot on the wire does not follow from its description."""

    title: str
    """Its class, as GEO and CONF name it."""
    steering: str = "SkidSteered"
    """``SteeringType`` in CONF."""
    joints: Mapping[str, Turn] = field(default_factory=dict)
    """Drive → name on the wire and sign."""
    packages: Mapping[str, tuple[Turn, ...]] = field(default_factory=dict)
    """Mission package → the drives of its links and their signs."""
    ground_truth: bool = False
    """Whether its class reports where it truly is, unasked, as USARSim's Pioneers do."""
    wheel_base: float | None = None
    """From the front axis to the rear one, m."""


FLIPPERS: dict[str, Turn] = {
    drive: (name, FLIPPER_UP[name])
    for drive, name in (
        ("front_right_arm", "FRFlipper"),
        ("front_left_arm", "FLFlipper"),
        ("rear_right_arm", "RRFlipper"),
        ("rear_left_arm", "RLFlipper"),
    )
}
"""Kenaf's names; nobody else's are known, so all robots with flippers have them."""

_PIONEER: dict[str, Any] = {
    "packages": {PAN_TILT: (("pan", -1), ("tilt", 1))},
    "ground_truth": True,  # in captured sessions (reference: SEN of UT2004 and UDK)
}

_TAIL: dict[str, Turn] = {"tail_pan": ("TailPan", -1)}

APPEARANCES: dict[str, Appearance] = {
    "kenaf": Appearance(title="Kenaf", joints=FLIPPERS, wheel_base=kenaf.LENGTH - 2 * kenaf.RADIUS),
    "quince": Appearance(
        title="Quince", joints=FLIPPERS, wheel_base=quince.LENGTH - 2 * quince.RADIUS
    ),
    "packbot": Appearance(
        title="PackBot", joints=FLIPPERS, wheel_base=packbot.LENGTH - packbot.HEIGHT
    ),
    "lugged_rover": Appearance(title="LuggedRover", wheel_base=lugged_rover.WHEELBASE),
    "ers7": Appearance(
        title="ERS7",
        steering="FourLegs",
        joints={"neck": ("NeckTilt", 1), "pan": ("HeadPan", -1), "nod": ("HeadTilt", 1), **_TAIL},
        packages={PAN_TILT: (("pan", -1), ("nod", 1))},
    ),
    "ers210": Appearance(
        title="ERS210",
        steering="FourLegs",
        joints={"tilt": ("HeadTilt", 1), "pan": ("HeadPan", -1), "roll": ("HeadRoll", 1), **_TAIL},
        packages={PAN_TILT: (("pan", -1), ("tilt", 1))},
    ),
    "qrio": Appearance(
        title="QRIO",
        steering="TwoLegs",
        joints={"neck": ("HeadPan", -1)},
        packages={PAN_TILT: (("neck", -1),)},
    ),
    "velociroach": Appearance(title="VelociRoACH", steering="SixLegs"),
    "crawler": Appearance(title="Crawler", joints=FLIPPERS),
    "conveyor": Appearance(title="Conveyor", steering="None"),
    "air_traffic": Appearance(title="AirTraffic", steering="None"),
    "p2dx": Appearance(title="P2DX", **_PIONEER, wheel_base=P2DX.wheel_base),
    "p2at": Appearance(title="P2AT", **_PIONEER, wheel_base=P2AT.wheel_base),
    "p3at": Appearance(title="P3AT", **_PIONEER, wheel_base=P3AT.wheel_base),
}
"""Kind of robot → how it appears."""

CRAWLER: dict[str, Any] = {  # a small one: estimates, as in docs/wire.md
    "mass": 15.0,
    "gauge": 0.36,
    "width": 0.08,
    "pulleys": ((-0.25, 0.0, 0.07), (0.25, 0.0, 0.07)),
    "grouser": {"shape": "rounded", "length": 0.006, "height": 0.010},
}
"""What ``INIT {ClassName Crawler}`` builds: the one robot that has no sizes of its own."""

CLASSES: dict[str, tuple[str, dict[str, Any]]] = {
    **{kind: (kind, {}) for kind in ROBOTS},
    "crawler": ("crawler", CRAWLER),
    "aibo": ("ers7", {}),
    "ers-7": ("ers7", {}),
    "aiboers7": ("ers7", {}),
    "aibo_ers7": ("ers7", {}),
    "ers-210": ("ers210", {}),
    "ers2100": ("ers210", {}),
    "ers-2100": ("ers210", {}),
    "aiboers210": ("ers210", {}),
    "aibo_ers210": ("ers210", {}),
    "sdr-4x": ("qrio", {}),
    "packbot510": ("packbot", {}),
    "luggedrover": ("lugged_rover", {}),
    "airtraffic": ("air_traffic", {}),
    "roach": ("velociroach", {}),
}
"""USARSim's class without its package, in lower case → our kind of robot, and its options."""


def appearance(kind: str) -> Appearance:
    """Return how ``kind`` appears; a robot that no table knows appears under its own name."""
    return APPEARANCES.get(kind) or Appearance(title=title(kind), joints=FLIPPERS)


def robot_classes(world: World, files: Iterable[str]) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return all classes that a client may ask for, in lower case, and what each builds.

    Args:
        world: whose own robots from files others may bring as well.
        files: further robot files.
    """
    own = {entry.kind: dict(entry.options) for entry in world.robots if is_file(entry.kind)}
    brought: dict[str, tuple[str, dict[str, Any]]] = {
        kind: (kind, {}) for kind in robot_kinds() if kind not in ROBOTS
    }
    return {
        **CLASSES,
        **brought,
        **{title(kind).lower(): (kind, {}) for kind in files},
        **{title(kind).lower(): (kind, options) for kind, options in own.items()},
    }


def spelled(drive: str) -> str:
    """Return the name on the wire of a drive that no table names."""
    words = drive.replace("/", "_").split("_")
    return "".join(_LEGS.get(word) or word.capitalize() for word in words)


_LEGS = {leg: leg.upper() for leg in ("lf", "rf", "lh", "rh")}


def plain(name: str) -> str:
    """Return a name as names are compared: ``lf_rotor``, ``LFRotor`` and ``lfrotor`` are one."""
    return name.lower().replace("_", "").replace("-", "")
