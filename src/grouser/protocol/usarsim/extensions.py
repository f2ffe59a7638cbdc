"""Lines of Grouser's own, beside what USARSim's servers knew.

No old client sends one of the commands, and no client is sent one of the answers before it has
sent a command of Grouser's own, so those written for the old servers never meet them::

    LOCKSTEP {Every 0.1}     the world waits for me every 0.1 s …
    TICK {Time 0.1000}       … says that it does, behind all readings up to then …
    STEP                     … and goes on

    CONSOLE {Line open door} a line of the console, and its answer
    CONSOLE {Said …}

    KICK {Paw Left}          a legged robot kicks once it stands

    RADIO {To rex} {Data aGVsbG8=}                        over the simulated radio
    RADIO {From fido} {Data aGVsbG8=} {Strength -61.20}   heard over it

Texts may hold anything: what would break a line travels percent-encoded, data in base 64.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Annotated, ClassVar
from urllib.parse import quote, unquote

from grouser.errors import BadValue
from grouser.protocol.lines import Fault
from grouser.protocol.usarsim.dialects import Quantity
from grouser.protocol.usarsim.drive import (
    AckermanDrive,
    AerialDrive,
    BoneDrive,
    JointDrive,
    MultiDrive,
    NauticDrive,
    OmniDrive,
    SkidDrive,
)
from grouser.protocol.usarsim.message import Message, Wire, number, switch
from grouser.protocol.usarsim.message import text as word
from grouser.protocol.usarsim.package import MovePackage
from grouser.protocol.usarsim.setting import SetJoint, SetStiffness

_PLAIN = " !\"#$&'()*+,-./:;<=>?@[\\]^_`|~"
"""Beside letters and digits, what a text says as it is: all of ASCII but braces and percent."""


def text(key: str) -> Wire:
    """Return the wire of any text at all, line ends and braces included."""
    return Wire(key, unquote, lambda value, _: quote(value, safe=_PLAIN))


def choice(key: str, words: tuple[str, ...]) -> Wire:
    """Return the wire of one of several words, read in any case."""

    def read(value: str) -> str:
        for each in words:
            if each.lower() == value.lower():
                return each
        raise BadValue(f"is '{value[:40]}', must be one of {', '.join(words)}")

    return Wire(key, read, lambda value, _: str(value))


def data(key: str) -> Wire:
    """Return the wire of bytes."""
    return Wire(key, _bytes, lambda value, _: base64.b64encode(value).decode("ascii"))


def _bytes(value: str) -> bytes:
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        raise BadValue(f"is '{value[:40]}', must be base 64") from None


@dataclass(frozen=True, slots=True)
class Lockstep(Message):
    """Ask that the world waits for this client (a client)."""

    head: ClassVar[str] = "LOCKSTEP"

    every: Annotated[float, number("Every")]
    """Simulated seconds that pass after each of my turns; 0: do not wait for me any more."""
    by_command: Annotated[bool | None, switch("ByCommand")] = None
    """True: any command that moves my robot ends my turn; otherwise only STEP does."""


@dataclass(frozen=True, slots=True)
class Step(Message):
    """End the client's turn (a client in lockstep)."""

    head: ClassVar[str] = "STEP"


@dataclass(frozen=True, slots=True)
class Tick(Message):
    """Begin the client's turn: all readings up to now have been sent (a server, in lockstep)."""

    head: ClassVar[str] = "TICK"

    time: Annotated[float, number("Time", Quantity.STAMP)]
    """Simulated, s."""


@dataclass(frozen=True, slots=True)
class Kick(Message):
    """Kick with a fore paw as soon as the robot stands (a client); DRIVE calls it off."""

    head: ClassVar[str] = "KICK"

    paw: Annotated[str, choice("Paw", ("Left", "Right"))] = "Left"


@dataclass(frozen=True, slots=True)
class ConsoleLine(Message):
    """A line for the console (a client with the right to it)."""

    head: ClassVar[str] = "CONSOLE"

    line: Annotated[str, text("Line")]


@dataclass(frozen=True, slots=True)
class ConsoleAnswer(Message):
    """The console's answer (a server)."""

    head: ClassVar[str] = "CONSOLE"

    text: Annotated[str, text("Said")]
    failed: Annotated[bool | None, switch("Failed")] = None
    """True: nothing was done."""


@dataclass(frozen=True, slots=True)
class Transmit(Message):
    """Send something over the robot's radio (a client)."""

    head: ClassVar[str] = "RADIO"

    data: Annotated[bytes, data("Data")]
    to: Annotated[str | None, word("To")] = None
    """Name of a robot; None: whoever hears it."""


@dataclass(frozen=True, slots=True)
class RadioMessage(Message):
    """Something that the robot's radio received (a server)."""

    head: ClassVar[str] = "RADIO"

    sender: Annotated[str, word("From")]
    data: Annotated[bytes, data("Data")]
    strength: Annotated[float | None, number("Strength", Quantity.COARSE)] = None
    """Power at the receiver, dBm."""


@dataclass(frozen=True, slots=True)
class Notice(Message):
    """Something that a client should know: it was refused, or its robot was reset (a server)."""

    head: ClassVar[str] = "NOTICE"

    kind: Annotated[str, word("Kind")]
    """One word: Refused, Reset…"""
    text: Annotated[str, text("Text")]
    """One sentence."""


MOVE_COMMANDS = (
    SkidDrive,
    AckermanDrive,
    OmniDrive,
    AerialDrive,
    NauticDrive,
    JointDrive,
    BoneDrive,
    MultiDrive,
    SetJoint,
    SetStiffness,
    MovePackage,
    Kick,
)
"""What moves a robot, as a server reads it."""


def ends_turn(command: Message | Fault, by_command: bool) -> bool:
    """Return whether ``command`` ends the turn of the client that sent it.

    Args:
        command: as the server reads it. One line may be written by several messages: a client that
            sends a plain `Set` with the type Joint sends what is read as `SetJoint`.
        by_command: whether the client asked that what moves its robot ends its turn.
    """
    return isinstance(command, Step) or (by_command and isinstance(command, MOVE_COMMANDS))
