"""Grouser's protocol extensions: lockstep, console, kick, radio and notices.

The server sends extension messages only after the client has sent an extension command, so that
clients written for the original servers never receive them::

    LOCKSTEP {Every 0.1}     simulation waits for the client every 0.1 s of simulated time
    TICK {Time 0.1000}       start of the client's turn, after all readings up to this time
    STEP                     end of the client's turn

    CONSOLE {Line open door} console command; the answer is a CONSOLE with the output

    KICK {Paw Left}          kick of a legged robot once it stands

    RADIO {To rex} {Data aGVsbG8=}                        sent over the simulated radio
    RADIO {From fido} {Data aGVsbG8=} {Strength -61.20}   received over it

Text is percent-encoded where it would break a line; data is base 64.

`ends_turn` is the rule for the end of a lockstep turn, shared by client and server. STEP always
ends it. With ``LOCKSTEP {ByCommand true}`` every command that moves the robot ends it as well,
including the stiffness of a joint. Queries, settings that move nothing and unreadable lines do not.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Annotated, get_args

from grouser.errors import BadValue
from grouser.protocol.lines import Fault
from grouser.protocol.usarsim.dialects import Quantity
from grouser.protocol.usarsim.drive import Drive, MultiDrive
from grouser.protocol.usarsim.message import FieldCodec, Message, encoded_text, number, switch, text
from grouser.protocol.usarsim.package import MovePackage
from grouser.protocol.usarsim.setting import SetJoint, SetStiffness


def choice(key: str, words: tuple[str, ...]) -> FieldCodec:
    """Return the codec of one of several words, read in any case."""

    def read(value: str) -> str:
        for each in words:
            if each.lower() == value.lower():
                return each
        raise BadValue(f"is '{value[:40]}', must be one of {', '.join(words)}")

    return FieldCodec(key, read, lambda value, _: str(value))


def data(key: str) -> FieldCodec:
    """Return the codec of bytes in base 64."""
    return FieldCodec(key, _bytes, lambda value, _: base64.b64encode(value).decode("ascii"))


def _bytes(value: str) -> bytes:
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        raise BadValue(f"is '{value[:40]}', must be base 64") from None


@dataclass(frozen=True, slots=True)
class Lockstep(Message, head="LOCKSTEP"):
    """Enter or leave lockstep (client to server)."""

    every: Annotated[float, number("Every")]
    """Simulated time between two turns, s; 0: leave lockstep."""
    by_command: Annotated[bool | None, switch("ByCommand")] = None
    """True: any command that moves the robot ends the turn; otherwise only STEP does."""


@dataclass(frozen=True, slots=True)
class Step(Message, head="STEP"):
    """End the client's turn in lockstep (client to server)."""


@dataclass(frozen=True, slots=True)
class Tick(Message, head="TICK"):
    """Begin the client's turn in lockstep, after all readings up to now (server to client)."""

    time: Annotated[float, number("Time", Quantity.STAMP)]
    """Simulated, s."""


@dataclass(frozen=True, slots=True)
class Kick(Message, head="KICK"):
    """Kick with a fore paw once the robot stands (client to server); DRIVE cancels it."""

    paw: Annotated[str, choice("Paw", ("Left", "Right"))] = "Left"


@dataclass(frozen=True, slots=True)
class ConsoleLine(Message, head="CONSOLE"):
    """Console command (client to server); requires the control role."""

    line: Annotated[str, encoded_text("Line")]


@dataclass(frozen=True, slots=True)
class ConsoleAnswer(Message, head="CONSOLE"):
    """Answer of the console (server to client)."""

    text: Annotated[str, encoded_text("Said")]
    failed: Annotated[bool | None, switch("Failed")] = None
    """True: the command failed without effect."""


@dataclass(frozen=True, slots=True)
class Transmit(Message, head="RADIO"):
    """Transmit data over the robot's radio (client to server)."""

    data: Annotated[bytes, data("Data")]
    to: Annotated[str | None, text("To")] = None
    """Name of the receiving robot; None: broadcast."""


@dataclass(frozen=True, slots=True)
class RadioMessage(Message, head="RADIO"):
    """Data received by the robot's radio (server to client)."""

    sender: Annotated[str, text("From")]
    data: Annotated[bytes, data("Data")]
    strength: Annotated[float | None, number("Strength", Quantity.COARSE)] = None
    """Power at the receiver, dBm."""


@dataclass(frozen=True, slots=True)
class Notice(Message, head="NOTICE"):
    """Notice of a rejected command or an event of the robot (server to client)."""

    kind: Annotated[str, text("Kind")]
    """One word: Refused, Reset…"""
    text: Annotated[str, encoded_text("Text")]
    """One sentence."""


MOVE_COMMANDS = (*get_args(Drive), MultiDrive, SetJoint, SetStiffness, MovePackage, Kick)
"""Commands that move a robot."""


def ends_turn(command: Message | Fault, by_command: bool) -> bool:
    """Return True if ``command`` ends the turn of the client that sent it.

    Args:
        command: command as parsed by the server; a plain `Set` of type Joint arrives as `SetJoint`.
        by_command: True if the client entered lockstep with ``{ByCommand true}``.
    """
    return isinstance(command, Step) or (by_command and isinstance(command, MOVE_COMMANDS))
