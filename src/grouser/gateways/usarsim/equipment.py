"""What robots that come over the wire carry beside their own sensors, as a world file would say it.

USARSim's robots came with cameras and scanners; ours have them where they are looked at, so that
a thousand trials do not pay for them.
"""

from __future__ import annotations

from typing import Any

from grouser.frames import degrees
from grouser.protocol.usarsim.values import Vector
from grouser.robots import kenaf
from grouser.robots.parts.pan_tilt import FOV_DEG, HEIGHT, RATE_HZ, UPRIGHT_FOV_DEG, WIDTH

Entry = dict[str, Any]
"""One of a robot's ``sensors`` in a world file."""


def _camera(name: str, at: Vector, *, down: float = 0.0) -> Entry:
    """Return USARSim's camera on a robot's body, pitched ``down`` (rad)."""
    return {
        "kind": "camera",
        "name": name,
        "mount": "body",
        "at": list(at),
        "pitch_deg": degrees(down),
        "rate_hz": RATE_HZ,
        "camera": {
            "width": WIDTH,
            "height": HEIGHT,
            "fov_deg": [FOV_DEG, UPRIGHT_FOV_DEG],
        },
    }


def _up(place: Vector) -> Vector:
    """Return a place of USARSim's files (y right, z down) in our axes."""
    x, y, z = place
    return x, -y, -z


def _scanner(at: Vector) -> Entry:
    """Return a Hokuyo URG-04LX as USARSim has it."""
    return {
        "kind": "laser",
        "name": "Scanner1",
        "mount": "body",
        "at": list(at),
        "fov": 4.189,  # rad   usarsim.md 4.3
        "resolution": 0.0184,  # rad   usarsim.md 4.3
        "far": 4.0,  # m   usarsim.md 4.3
        "rate_hz": 1 / 0.3,  # usarsim.md 3: ScanInterval
    }


def _ins(at: Vector) -> Entry:
    return {"kind": "ins", "name": "INS", "mount": "body", "at": list(at), "rate_hz": 5.0}


EQUIPMENT: dict[str, tuple[Entry, ...]] = {
    "kenaf": (
        _camera("Camera", _up(kenaf.FRONT_CAMERA)),
        _camera("BirdsEye", _up(kenaf.BIRDS_EYE_CAMERA), down=kenaf.BIRDS_EYE_DOWN),
        _scanner((-0.08, 0.0, 0.145)),  # robots.md A1: UDK config
        _ins((0.0, 0.0, 0.2)),  # robots.md A1: UDK config
    ),
    "quince": (
        _camera("Camera", (0.25, 0.0, 0.15)),  # estimate: over the front axis
        _scanner((0.0, 0.0, 0.2)),  # estimate: on the deck
        _ins((0.0, 0.0, 0.1)),  # estimate
    ),
    "packbot": (
        _camera("Camera", (0.25, 0.0, 0.12)),  # estimate: front of the chassis
        _scanner((0.0, 0.0, 0.15)),  # estimate: on the deck
        _ins((0.0, 0.0, 0.1)),  # estimate
    ),
}
"""Kind of robot → what it carries."""
