"""Standard equipment of tracked robots: USARSim's camera, small laser scanner, inertial navigation.

Added only with ``sensors: standard`` in the world file (`Robot.equipment`), so that batches of
trials run without their cost. Positions are in the body frame: x forward, y left, z up, m.
"""

from __future__ import annotations

from grouser.frames import Pose, Triple, degrees, radians
from grouser.robots.parts.pan_tilt import FOV_DEG, HEIGHT, RATE_HZ, UPRIGHT_FOV_DEG, WIDTH
from grouser.sensors.camera import Camera
from grouser.sensors.imaging.imager import Imager
from grouser.sensors.imaging.lens import Lens
from grouser.sensors.ins import Ins
from grouser.sensors.laser import HOKUYO_URG04LX, Laser

SCAN_PERIOD = 0.3  # s   sources.md D3: ScanInterval
INS_RATE_HZ = 5.0  # sources.md D3: one burst of everything, about every 0.2 s


def camera(at: Triple, *, name: str = "Camera", down: float = 0.0) -> Camera:
    """Return USARSim's pinhole camera on a robot's body, pitched ``down`` (rad)."""
    x, y, z = at
    lens = Lens(width=WIDTH, height=HEIGHT, fov_deg=(FOV_DEG, UPRIGHT_FOV_DEG))
    # Converted through degrees as a world file does: the picture is bit-identical.
    pitch = radians(degrees(down))
    return Camera(
        name=name,
        mount="body",
        X_MS=Pose.at(x, y, z, pitch=pitch),
        rate_hz=RATE_HZ,
        camera=Imager(lens=lens),
    )


def scanner(at: Triple) -> Laser:
    """Return USARSim's Hokuyo URG-04LX on a robot's body."""
    return Laser(
        name="Scanner1", mount="body", X_MS=Pose.at(*at), rate_hz=1 / SCAN_PERIOD, **HOKUYO_URG04LX
    )


def navigation(at: Triple) -> Ins:
    """Return an error-free inertial navigation system on a robot's body."""
    return Ins(name="INS", mount="body", X_MS=Pose.at(*at), rate_hz=INS_RATE_HZ)
