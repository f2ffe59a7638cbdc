"""CAN messages of a robot with any drives: identifiers by drive order.

Drive number n (in the order of the robot's drives) has three commands and one status:

| identifier | message | bytes | signal |
| --- | --- | --- | --- |
| 0x100 + n | ``NAME_position`` | 6 | 0.01 deg, wheels 0.1 deg, belts 0.01 mm |
| 0x140 + n | ``NAME_speed`` | 6 | 0.01 deg/s or 0.01 mm/s |
| 0x180 + n | ``NAME_torque`` | 6 | 1e-6 N m or 0.001 N |
| 0x300 + n | ``NAME_motion`` | 8 | position and speed, as above |

`Stop`, `Posture` and `BatteryLeft` are those of Kenaf's bus; `DriveClock` and `DriveHealth` belong
to all drives. Commands end with a counter and a checksum, as on Kenaf's bus.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, make_dataclass
from typing import Annotated, Literal, TypeVar

from grouser.errors import BadValue
from grouser.protocol.can.dbc import CHECKS, FLAG_COMMENT, dbc_text
from grouser.protocol.can.messages import (
    HUNDREDTH_DEG,
    HUNDREDTH_MM,
    ONE,
    TENTH_MS,
    BatteryLeft,
    CanCommand,
    CanMessage,
    CanStatus,
    Posture,
    Signal,
    Stop,
    Unit,
)

Message = TypeVar("Message", bound=CanMessage)

MOST_DRIVES = 32
"""Largest number of drives: each has a bit in `DriveHealth`."""
LONGEST_NAME = 16
"""Longest name of a drive in a DBC file: ``NAME_positionCounter`` has at most 32 characters."""
TENTH_DEG = Unit(10 * HUNDREDTH_DEG.si, "0.1", "deg")
"""Position of wheels: four bytes are 600,000 turns."""
HUNDREDTH_DEG_S = Unit(HUNDREDTH_DEG.si, "0.01", "deg/s")
HUNDREDTH_MM_S = Unit(1e-5, "0.01", "mm/s")
MICRO_NM = Unit(1e-6, "0.000001", "Nm")
MILLI_N = Unit(1e-3, "0.001", "N")
LARGEST = 2**31 - 1
"""Largest count of a signal of four bytes."""
COMMAND_CYCLE, STATUS_CYCLE = 0.02, 0.005
"""Transmission periods of commands and motions, s."""

Quantity = Literal["position", "speed", "torque"]
BASES: dict[Quantity, int] = {"position": 0x100, "speed": 0x140, "torque": 0x180}
"""Quantity → identifier of the command of the first drive."""
MOTION_BASE = 0x300


@dataclass(frozen=True, kw_only=True)
class BusDrive:
    """A drive on the bus, in SI units."""

    name: str
    linear: bool
    """True: m, m/s, N (a belt or slide); False: rad, rad/s, N m."""
    rolling: bool
    """True for belts and wheels, which turn without end."""
    speed: float
    """Largest speed."""
    force: float
    """Largest force or torque."""
    low: float = -math.inf
    """Smallest position."""
    high: float = math.inf
    """Largest position."""


@dataclass(frozen=True, slots=True)
class DriveClock(CanStatus):
    """Motors' clock at which the following motions were measured, s."""

    ID, CYCLE = 0x2F0, STATUS_CYCLE

    time: Annotated[float, Signal("MotorClock", "I", TENTH_MS, 0, 2**32 - 1)]


@dataclass(frozen=True, slots=True)
class DriveHealth(CanStatus):
    """Fault flags, stalled drives, and counters of rejected command frames, modulo 256."""

    ID, CYCLE = 0x241, 0.1

    flags: Annotated[int, Signal("Flags", "B", ONE, 0, 255)]
    stalled: Annotated[int, Signal("Stalled", "I", ONE, 0, 2**32 - 1)] = 0
    wrong_crc: Annotated[int, Signal("WrongCrc", "B", ONE, 0, 255)] = 0
    wrong_counter: Annotated[int, Signal("WrongCounter", "B", ONE, 0, 255)] = 0
    wrong_value: Annotated[int, Signal("WrongValue", "B", ONE, 0, 255)] = 0
    """Wrong length or range."""


class DriveLayout:
    """Messages of a robot's bus."""

    def __init__(self, drives: Sequence[BusDrive]) -> None:
        """Make the messages of ``drives``, in their order.

        Raises:
            BadValue: there are more than `MOST_DRIVES`.
        """
        if not 0 < len(drives) <= MOST_DRIVES:
            raise BadValue(
                f"motors: the robot has {len(drives)} drives, must have 1 to {MOST_DRIVES}"
            )
        self.drives = tuple(drives)
        self.targets: dict[int, tuple[BusDrive, Quantity]] = {}
        """Identifier of a command → drive and quantity."""
        self.commands: dict[int, type[CanCommand]] = {Stop.ID: Stop}
        self.motions: list[type[CanStatus]] = []
        """Motion of each drive, in their order."""
        for number, drive in enumerate(drives):
            name = _signal_name(drive.name, number)
            for quantity, base in BASES.items():
                self.targets[base + number] = drive, quantity
                self.commands[base + number] = _command(drive, quantity, name, base + number)
            self.motions.append(_motion(drive, name, MOTION_BASE + number))
        own: list[type[CanStatus]] = [DriveClock, *self.motions, Posture, BatteryLeft, DriveHealth]
        self.statuses = {kind.ID: kind for kind in own}

    def dbc(self, robot: str) -> str:
        """Return the DBC file of the bus; ``robot`` is the name for its comment."""
        messages: list[type[CanMessage]] = [*self.commands.values(), *self.statuses.values()]
        bits = ", ".join(drive.name for drive in self.drives)
        bus = f"CAN bus of {robot} in Grouser: x forward, y left, z up. {CHECKS}"
        return dbc_text(
            messages, bus, {"Flags": FLAG_COMMENT, "Stalled": f"One bit per drive: {bits}."}
        )


def _signal_name(name: str, number: int) -> str:
    """Return the name of a drive in a DBC file: shortened names have its number."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 3]}_{number:02}"


def _units(drive: BusDrive) -> dict[Quantity, Unit]:
    if drive.linear:
        return {"position": HUNDREDTH_MM, "speed": HUNDREDTH_MM_S, "torque": MILLI_N}
    return {
        "position": TENTH_DEG if drive.rolling else HUNDREDTH_DEG,
        "speed": HUNDREDTH_DEG_S,
        "torque": MICRO_NM,
    }


def _command(drive: BusDrive, quantity: Quantity, name: str, number: int) -> type[CanCommand]:
    unit = _units(drive)[quantity]
    largest = {"speed": drive.speed, "torque": drive.force}.get(quantity, math.inf)
    low, high = (drive.low, drive.high) if quantity == "position" else (-largest, largest)
    signal = Signal(
        f"{name}_{quantity}",
        "i",
        unit,
        max(-LARGEST, math.ceil(max(low / unit.si, -LARGEST))),
        math.floor(min(high / unit.si, LARGEST)),
    )
    about = f"{quantity.capitalize()} of drive {drive.name}."
    return _message(CanCommand, f"{name}_{quantity}", about, number, {"value": signal})


def _motion(drive: BusDrive, name: str, number: int) -> type[CanStatus]:
    units = _units(drive)
    signals = {
        "position": Signal(f"{name}_at", "i", units["position"], -LARGEST, LARGEST),
        "speed": Signal(f"{name}_rate", "i", units["speed"], -LARGEST, LARGEST),
    }
    about = f"Measured position and speed of drive {drive.name}."
    return _message(CanStatus, f"{name}_motion", about, number, signals)


def _message(
    base: type[Message], name: str, about: str, number: int, signals: dict[str, Signal]
) -> type[Message]:
    """Return a message class, as the class statements in `grouser.protocol.can.messages` do."""
    cycle = COMMAND_CYCLE if base.COMMAND else STATUS_CYCLE
    return make_dataclass(
        name,
        [(field, Annotated[float, signal]) for field, signal in signals.items()],
        bases=(base,),
        namespace={"ID": number, "CYCLE": cycle, "__doc__": about},
        frozen=True,
        slots=True,
    )
