"""Link to a legged robot with two crank motors over a serial line, such as a radio's.

The lines are a documented interface for the firmware, or for a program in front of it that has the
robot's own radio format (docs/how-to/motion-capture.md)::

    D 22.000 20.000 5A      to the robot: speed of the left and right crank, rad/s
    S 5.120 4.980 3.710 1F  from the robot: crank angles, rad, and battery, V

The last word is a checksum, the XOR of all bytes before it in hexadecimal. The robot stops 0.3 s
after the last valid command.
"""

from __future__ import annotations

import functools
import math
import operator
import os
import select
import termios
import tty
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

from grouser.errors import BadValue, Disconnected
from grouser.protocol.lines import ENCODING, Fault, LineReader

SPEEDS = {9600: termios.B9600, 57600: termios.B57600, 115200: termios.B115200}
"""Baud rates of serial lines."""
FASTEST = 200.0
"""Largest speed of a crank, rad/s: above that of the VelociRoACH."""
LONGEST = 128
"""Most bytes of a line."""


class LegLink(Protocol):
    """Link to a robot with two crank motors; commands have the keys of `PathFollower`."""

    def drive(self, left_speed: float, right_speed: float) -> None:
        """Set the speeds of both cranks, rad/s; repeat within 0.3 s."""
        ...


@dataclass(frozen=True, slots=True)
class LegStatus:
    """Status line of the robot."""

    left: float
    """Angle of the left crank since switching on, rad."""
    right: float
    battery: float
    """V."""


def encode_line(word: str, *numbers: float) -> bytes:
    """Return a line with its checksum."""
    text = " ".join((word, *(f"{number:.3f}" for number in numbers)))
    return f"{text} {_checksum(text):02X}\n".encode(ENCODING)


def read_line(text: str) -> tuple[str, tuple[float, ...]]:
    """Return word and numbers of a line; raise `BadValue` if it is damaged."""
    content, _, given = text.strip().rpartition(" ")
    word, *numbers = content.split() or [""]
    try:
        values = tuple(map(float, numbers))
        valid = int(given, 16) == _checksum(content) and all(map(math.isfinite, values))
    except ValueError:
        valid = False
    if not valid:
        raise BadValue(f"serial line: '{text[:60]}' is damaged")
    return word, values


class SerialLegs:
    """Robot at a serial device.

    Args:
        device: such as ``/dev/ttyUSB0``; a pseudo-terminal works as well.
        baud: one of `SPEEDS`.

    Raises:
        Disconnected: the device cannot be opened.
    """

    def __init__(self, device: Path | str, baud: int = 115200) -> None:
        if baud not in SPEEDS:
            raise BadValue(f"baud is {baud}, allowed: {', '.join(map(str, SPEEDS))}")
        self._device = str(device)
        try:
            self._file = os.open(self._device, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        except OSError as error:
            raise Disconnected(f"{self._device}: {error.strerror}") from None
        try:
            tty.setraw(self._file)
            settings = termios.tcgetattr(self._file)
            settings[4] = settings[5] = SPEEDS[baud]
            termios.tcsetattr(self._file, termios.TCSANOW, settings)
        except termios.error as error:
            os.close(self._file)
            raise Disconnected(f"{self._device}: is no serial line ({error.args[-1]})") from None
        self._lines = LineReader(read_line, LONGEST)
        self.damaged = 0
        """Number of damaged lines."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the robot and close the device."""
        try:
            self.drive(0.0, 0.0)
        finally:
            os.close(self._file)

    def drive(self, left_speed: float, right_speed: float) -> None:
        """Set the speeds of both cranks, rad/s; repeat within 0.3 s."""
        for value in (left_speed, right_speed):
            if not abs(value) <= FASTEST:
                raise BadValue(f"drive: {value:g} rad/s, must be within {FASTEST:g}")
        try:
            os.write(self._file, encode_line("D", left_speed, right_speed))
        except OSError as error:
            raise Disconnected(f"{self._device}: {error.strerror}") from None

    def status(self, timeout: float = 0.0) -> LegStatus | None:
        """Return the newest status received since the last call; None: there is none."""
        newest, wait = None, timeout
        while select.select([self._file], [], [], wait)[0]:
            try:
                data = os.read(self._file, 4096)
            except OSError as error:
                raise Disconnected(f"{self._device}: {error.strerror}") from None
            if not data:
                raise Disconnected(f"{self._device}: the line was closed")
            for line in self._lines.feed(data):
                if isinstance(line, Fault):
                    self.damaged += 1
                elif line[0] == "S" and len(line[1]) == 3:
                    newest, wait = LegStatus(*line[1]), 0.0
        return newest


def _checksum(text: str) -> int:
    return functools.reduce(operator.xor, text.encode(ENCODING), 0)
