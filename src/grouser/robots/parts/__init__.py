"""What robots are put together from: hulls, wheels, linkages, cranks, pan-tilt heads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.robots.parts.aibo import Aibo
    from grouser.robots.parts.crank import Cranks
    from grouser.robots.parts.equipment import camera, navigation, scanner
    from grouser.robots.parts.hull import add_hull, exclude_hull_belt_contacts, set_box_mass
    from grouser.robots.parts.linkage import BoxMass, LinkagePart, Mount, PartShape, Servo, assemble
    from grouser.robots.parts.pan_tilt import PanTilt
    from grouser.robots.parts.pioneer import Pioneer
    from grouser.robots.parts.wheel import Caster, Wheel

_PLACES = {
    "Aibo": "grouser.robots.parts.aibo",
    "BoxMass": "grouser.robots.parts.linkage",
    "Caster": "grouser.robots.parts.wheel",
    "Cranks": "grouser.robots.parts.crank",
    "LinkagePart": "grouser.robots.parts.linkage",
    "Mount": "grouser.robots.parts.linkage",
    "PanTilt": "grouser.robots.parts.pan_tilt",
    "PartShape": "grouser.robots.parts.linkage",
    "Pioneer": "grouser.robots.parts.pioneer",
    "Servo": "grouser.robots.parts.linkage",
    "Wheel": "grouser.robots.parts.wheel",
    "add_hull": "grouser.robots.parts.hull",
    "assemble": "grouser.robots.parts.linkage",
    "camera": "grouser.robots.parts.equipment",
    "exclude_hull_belt_contacts": "grouser.robots.parts.hull",
    "navigation": "grouser.robots.parts.equipment",
    "scanner": "grouser.robots.parts.equipment",
    "set_box_mass": "grouser.robots.parts.hull",
}

__all__ = [
    "Aibo",
    "BoxMass",
    "Caster",
    "Cranks",
    "LinkagePart",
    "Mount",
    "PanTilt",
    "PartShape",
    "Pioneer",
    "Servo",
    "Wheel",
    "add_hull",
    "assemble",
    "camera",
    "exclude_hull_belt_contacts",
    "navigation",
    "scanner",
    "set_box_mass",
]

__getattr__ = lazily(__name__, _PLACES)
