"""Form of the thermometer on the USARSim wire."""

from dataclasses import dataclass
from typing import Annotated

from grouser.gateways.usarsim.sensor_encoder import SensorEncoder, single_messages
from grouser.protocol.usarsim.dialects import Quantity
from grouser.protocol.usarsim.message import number
from grouser.protocol.usarsim.sensor_messages import NamedReading


@dataclass(frozen=True, slots=True)
class Temperature(NamedReading, type="Thermo"):
    """Temperature of the ground."""

    celsius: Annotated[float, number("Celsius", Quantity.EXACT)]


THERMOMETER = SensorEncoder(
    type="Thermo",
    messages=single_messages(
        Temperature, lambda sensor, reading, layout, profile: (reading["kelvin"] - 273.15,)
    ),
    settings=lambda sensor, layout, profile: (("Noon", sensor.noon - 273.15),),
)
