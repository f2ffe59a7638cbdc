"""Names of robots on the wire: tables of class names, joints and mission packages.

A joint that is not in the table of its robot is named after its drive in camel case (``lf_rotor``:
``LFRotor``), with Grouser's sign (docs/how-to/legged.md, docs/how-to/qrio.md). Pan and tilt joints
have the signs of the wire's yaw and pitch: right and up are positive.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from grouser.protocol.usarsim.axes import FLIPPER_UP
from grouser.robots import kenaf, lugged_rover, packbot, quince, talon, tarantula, telemax
from grouser.robots.atrvjr import ATRVJR
from grouser.robots.kinds import ROBOTS, display_name, is_file, robot_kinds
from grouser.robots.p2at import P2AT
from grouser.robots.p2dx import P2DX
from grouser.robots.p3at import P3AT
from grouser.robots.zerg import ZERG
from grouser.world.file import World

PAN_TILT = "CameraPanTilt"
"""USARSim's name of the package that turns a camera."""

SignedName = tuple[str, int]
"""Name of a joint on the wire, or of a drive, and sign of its wire angle."""


@dataclass(frozen=True, kw_only=True)
class Appearance:
    """Wire names and properties of a kind of robot that its description does not contain."""

    class_name: str
    """Class name in GEO and CONF."""
    steering: str = "SkidSteered"
    """``SteeringType`` in CONF."""
    joints: Mapping[str, SignedName] = field(default_factory=dict)
    """Drive → name on the wire and sign."""
    packages: Mapping[str, tuple[SignedName, ...]] = field(default_factory=dict)
    """Mission package → the drives of its links and their signs."""
    ground_truth: bool = False
    """Send the true pose by default, as USARSim's Pioneers do."""
    wheel_base: float | None = None
    """Distance from front to rear axle, m."""


FLIPPERS: dict[str, SignedName] = {
    drive: (name, FLIPPER_UP[name])
    for drive, name in (
        ("front_right_arm", "FRFlipper"),
        ("front_left_arm", "FLFlipper"),
        ("rear_right_arm", "RRFlipper"),
        ("rear_left_arm", "RLFlipper"),
    )
}
"""Flipper names of Kenaf, used for all robots with flippers; no other names are documented."""

_PIONEER: dict[str, Any] = {
    "packages": {PAN_TILT: (("pan", -1), ("tilt", 1))},
    "ground_truth": True,  # in captured sessions (reference: SEN of UT2004 and UDK)
}

_TAIL: dict[str, SignedName] = {"tail_pan": ("TailPan", -1)}

APPEARANCES: dict[str, Appearance] = {
    "kenaf": Appearance(
        class_name="Kenaf",
        joints=FLIPPERS,
        packages={PAN_TILT: (("pan", -1), ("tilt", 1))},
        wheel_base=kenaf.LENGTH - 2 * kenaf.RADIUS,
    ),
    "quince": Appearance(
        class_name="Quince", joints=FLIPPERS, wheel_base=quince.LENGTH - 2 * quince.RADIUS
    ),
    "packbot": Appearance(
        class_name="PackBot", joints=FLIPPERS, wheel_base=packbot.LENGTH - packbot.HEIGHT
    ),
    "lugged_rover": Appearance(class_name="LuggedRover", wheel_base=lugged_rover.WHEELBASE),
    "ers7": Appearance(
        class_name="ERS7",
        steering="FourLegs",
        joints={"neck": ("NeckTilt", 1), "pan": ("HeadPan", -1), "nod": ("HeadTilt", 1), **_TAIL},
        packages={PAN_TILT: (("pan", -1), ("nod", 1))},
    ),
    "ers210": Appearance(
        class_name="ERS210",
        steering="FourLegs",
        joints={"tilt": ("HeadTilt", 1), "pan": ("HeadPan", -1), "roll": ("HeadRoll", 1), **_TAIL},
        packages={PAN_TILT: (("pan", -1), ("tilt", 1))},
    ),
    "qrio": Appearance(
        class_name="QRIO",
        steering="TwoLegs",
        joints={
            "neck": ("HeadPan", -1),
            "head_pitch": ("HeadTilt", 1),
            "head_roll": ("HeadRoll", 1),
        },
        packages={PAN_TILT: (("neck", -1), ("head_pitch", 1))},
    ),
    "velociroach": Appearance(class_name="VelociRoACH", steering="SixLegs"),
    "crawler": Appearance(class_name="Crawler", joints=FLIPPERS),
    "conveyor": Appearance(class_name="Conveyor", steering="None"),
    "air_traffic": Appearance(class_name="AirTraffic", steering="None"),
    "p2dx": Appearance(class_name="P2DX", **_PIONEER, wheel_base=P2DX.wheel_base),
    "p2at": Appearance(class_name="P2AT", **_PIONEER, wheel_base=P2AT.wheel_base),
    "p3at": Appearance(class_name="P3AT", **_PIONEER, wheel_base=P3AT.wheel_base),
    "atrvjr": Appearance(class_name="ATRVJr", **_PIONEER, wheel_base=ATRVJR.wheel_base),
    "zerg": Appearance(class_name="Zerg", **_PIONEER, wheel_base=ZERG.wheel_base),
    "talon": Appearance(
        class_name="Talon", joints=FLIPPERS, wheel_base=talon.LENGTH - 2 * talon.RADIUS
    ),
    "telemax": Appearance(class_name="TeleMax", joints=FLIPPERS, wheel_base=telemax.BASE),
    "tarantula": Appearance(class_name="Tarantula", joints=FLIPPERS, wheel_base=tarantula.BASE),
}
"""Kind of robot → names on the wire."""

CRAWLER: dict[str, Any] = {  # small crawler; estimates, see docs/reference/wire.md
    "mass": 15.0,
    "gauge": 0.36,
    "width": 0.08,
    "pulleys": ((-0.25, 0.0, 0.07), (0.25, 0.0, 0.07)),
    "grouser": {"shape": "rounded", "length": 0.006, "height": 0.010},
}
"""Options of ``INIT {ClassName Crawler}``, the only robot without default dimensions."""

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
    "atrv-jr": ("atrvjr", {}),
    "luggedrover": ("lugged_rover", {}),
    "airtraffic": ("air_traffic", {}),
    "roach": ("velociroach", {}),
}
"""USARSim class without its package, in lower case → kind of robot and its options."""

UNSUPPORTED: dict[str, str] = {
    "airrobot": "flies, and aerial robots are not simulated",
    "kr6": "is an industrial arm, and arms are not simulated",
}
"""USARSim class in lower case → why there is no such robot."""


def appearance(kind: str) -> Appearance:
    """Return the wire names of ``kind``; a robot without an entry uses its display name."""
    return APPEARANCES.get(kind) or Appearance(class_name=display_name(kind), joints=FLIPPERS)


def robot_classes(world: World, files: Iterable[str]) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return all classes available to INIT, in lower case → kind of robot and options."""
    own = {entry.kind: dict(entry.options) for entry in world.robots if is_file(entry.kind)}
    brought: dict[str, tuple[str, dict[str, Any]]] = {
        kind: (kind, {}) for kind in robot_kinds() if kind not in ROBOTS
    }
    return {
        **CLASSES,
        **brought,
        **{display_name(kind).lower(): (kind, {}) for kind in files},
        **{display_name(kind).lower(): (kind, options) for kind, options in own.items()},
    }


def wire_name(drive: str) -> str:
    """Return the wire name of a drive without a table entry, in camel case."""
    words = drive.replace("/", "_").split("_")
    return "".join(_LEGS.get(word) or word.capitalize() for word in words)


_LEGS = {leg: leg.upper() for leg in ("lf", "rf", "lh", "rh")}


def normalize_name(name: str) -> str:
    """Return a name in its comparison form: ``lf_rotor``, ``LFRotor`` → ``lfrotor``."""
    return name.lower().replace("_", "").replace("-", "")
