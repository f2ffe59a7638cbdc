"""Motor drivers on a CAN bus that is served over TCP, for controllers that know nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.gateways.can.bus import CanBus
    from grouser.gateways.can.gateway import CanGateway
    from grouser.gateways.can.motor_drivers import MotorDrivers

_PLACES = {
    "CanBus": "grouser.gateways.can.bus",
    "CanGateway": "grouser.gateways.can.gateway",
    "MotorDrivers": "grouser.gateways.can.motor_drivers",
}

__all__ = ["CanBus", "CanGateway", "MotorDrivers"]

__getattr__ = lazily(__name__, _PLACES)
