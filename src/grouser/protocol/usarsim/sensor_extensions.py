"""SEN of sensors that USARSim's servers did not have: gyroscopes, force sensors, motion capture.

They are written in the ways of the others, so that a client that reads any SEN reads these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from grouser.protocol.usarsim.dialects import Quantity
from grouser.protocol.usarsim.message import Wire, flag, number, text, vector
from grouser.protocol.usarsim.sensor_groups import Grouped
from grouser.protocol.usarsim.sensor_messages import SensorMessage
from grouser.protocol.usarsim.values import Vector


@dataclass(frozen=True, slots=True)
class Gyroscope(SensorMessage):
    """How fast the sensor turns."""

    type: ClassVar[str] = "Gyroscope"

    name: Annotated[str, text("Name")]
    angular_velocity: Annotated[Vector, vector("AngularVel", Quantity.SCALAR)]
    """About roll, pitch and yaw, rad/s; UDK's IMU has the same key."""


@dataclass(frozen=True, slots=True)
class Forces(Grouped):
    """What presses on force sensors, N."""

    type: ClassVar[str] = "Force"
    wire: ClassVar[Wire] = number("Force", Quantity.SCALAR)

    readings: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class MotionCapture(SensorMessage):
    """Where cameras around the room see a body."""

    type: ClassVar[str] = "MotionCapture"

    name: Annotated[str, text("Name")]
    tracked: Annotated[bool, flag("Tracked")]
    location: Annotated[Vector | None, vector("Location", Quantity.SCALAR)] = None
    """m; None: the body was not seen."""
    orientation: Annotated[Vector | None, vector("Orientation", Quantity.SCALAR)] = None
