"""The network interface of URBI 1 servers for AIBO: commands as text on TCP port 54000.

A subset of the language, enough for programs that read devices and set joints:

=========================================  =====================================================
``motors on`` · ``motors off``             servos on, or slack
``headPan.val = 30``                       target of a joint, deg; ``time:500`` (ms), ``speed:90``
                                           (deg/s) and ``smooth:500`` (ms) pass through it in time
``headPan.val'n = 0.5``                    the same between the limits of the joint, 0 to 1
``headPan.val`` · ``tag << headPan.val``   one message with the value
``loop tag << headPan.val``                a message every 32 ms; ``stop tag`` ends it
``camera.val``                             a picture, as JPEG
``wait(500)`` · ``echo 3``                 pause, ms; a message
``token SECRET``                           access token of the server; an extension
=========================================  =====================================================

``;`` and ``|`` wait until the command before has ended, ``,`` and ``&`` do not. ``tag:`` before a
command is the tag of its messages, else ``notag``. A message is ``[milliseconds:tag] value``, a
picture ``[milliseconds:tag] BIN size jpeg width height`` and its bytes, an error begins with
``!!!``, a remark with ``***``. Facts of public programs and manuals; docs/how-to/aibo.md.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from grouser.errors import BadValue
from grouser.protocol.lines import ENCODING

PORT = 54000
"""TCP port of URBI servers."""
LONGEST = 4096
"""Most characters of one command."""
NO_TAG = "notag"
SEPARATORS = ";,|&"
NUMBERS = ("time", "speed", "smooth")
"""Modifiers of an assignment."""

_NAME = r"[A-Za-z_]\w*"
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_DEVICE = rf"(?P<device>{_NAME})(?:\.(?P<property>{_NAME}))?(?P<normal>'n)?"
_PREFIX = re.compile(rf"({_NAME})\s*:\s*(?=\S)")
_SEND = re.compile(rf"({_NAME})\s*<<\s*")
_MODIFIER = re.compile(rf"\s+({'|'.join(NUMBERS)})\s*:\s*({_NUMBER})")
_ASSIGN = re.compile(
    rf"{_DEVICE}\s*=\s*(?:(?P<base>{_NAME})(?:\.val)?\s*(?P<sign>[-+])\s*)?(?P<value>\S.*?)"
    rf"(?P<modifiers>(?:\s+(?:{'|'.join(NUMBERS)})\s*:\s*{_NUMBER})*)"
)
_READ = re.compile(_DEVICE)
_WAIT = re.compile(rf"wait\s*\(\s*({_NUMBER})\s*\)")
_ECHO = re.compile(r'echo\s*\(?\s*"?([^"]*?)"?\s*\)?')
_STOP = re.compile(rf"stop\s+({_NAME})")
_TOKEN = re.compile(r"token\s+(\S+)")
_MOTORS = re.compile(r"motors?\s*(on|off)")


@dataclass(frozen=True, slots=True)
class Motors:
    """Servos on, or slack."""

    on: bool


@dataclass(frozen=True, slots=True)
class Assign:
    """Value of a property of a device; of ``val``: the target of a joint."""

    device: str
    property: str
    value: float | str
    """deg, 0 to 1, or another value; a word of a property such as ``blend``."""
    normal: bool = False
    """True: between the limits, 0 to 1."""
    base: str = ""
    """Device to whose value it is added; empty: none."""
    modifiers: tuple[tuple[str, float], ...] = ()
    """Of `NUMBERS`."""


@dataclass(frozen=True, slots=True)
class Read:
    """Value of a device, once or in a loop."""

    device: str
    property: str
    normal: bool = False
    loop: bool = False


@dataclass(frozen=True, slots=True)
class Wait:
    """Pause, s."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Echo:
    """Message with a text."""

    text: str


@dataclass(frozen=True, slots=True)
class StopTag:
    """End of the loops with a tag."""

    tag: str


@dataclass(frozen=True, slots=True)
class ShowToken:
    """Access token of the server; an extension of Grouser."""

    secret: str


@dataclass(frozen=True, slots=True)
class Invalid:
    """Command that cannot be read."""

    reason: str


Action = Motors | Assign | Read | Wait | Echo | StopTag | ShowToken | Invalid


@dataclass(frozen=True, slots=True)
class UrbiCommand:
    """One command and the separator after it."""

    tag: str
    action: Action
    separator: str
    """One of `SEPARATORS`."""

    @property
    def waits(self) -> bool:
        """True if the next command waits until this one has ended."""
        return self.separator in ";|"


class UrbiServerSide:
    """Server of one client, without a socket."""

    def __init__(self) -> None:
        self._text, self._quoted = "", False
        self._skipping = False

    def receive(self, data: bytes) -> list[UrbiCommand]:
        """Return the completed commands; one that is too long is skipped and reported once."""
        commands = []
        for character in data.decode(ENCODING):
            if character == '"':
                self._quoted = not self._quoted
            if character in SEPARATORS and not self._quoted:
                text, self._text = self._text.strip(), ""
                if not self._skipping and text:
                    commands.append(read_command(text, character))
                self._skipping = False
            elif not self._skipping:
                self._text += character
                if len(self._text) > LONGEST:
                    reason = f"a command is longer than {LONGEST} characters"
                    commands.append(UrbiCommand(NO_TAG, Invalid(reason), ","))
                    self._text, self._skipping, self._quoted = "", True, False
        return commands


def read_command(text: str, separator: str) -> UrbiCommand:
    """Return the command of a text without its separator."""
    tag = NO_TAG
    if (prefix := _PREFIX.match(text)) and prefix[1] not in NUMBERS:
        tag, text = prefix[1], text[prefix.end() :]
    text = " ".join(text.split())
    if loop := text.startswith("loop "):
        text = text.removeprefix("loop ").strip("{} ")
    if send := _SEND.match(text):
        tag, text = send[1], text[send.end() :]
    try:
        action = _read_action(text, loop)
    except BadValue as error:
        action = Invalid(str(error))
    return UrbiCommand(tag, action, separator)


def _read_action(text: str, loop: bool) -> Action:
    if not loop:
        if motors := _MOTORS.fullmatch(text):
            return Motors(motors[1] == "on")
        if wait := _WAIT.fullmatch(text):
            return Wait(max(0.0, float(wait[1])) / 1000)
        if text.startswith("echo") and (echo := _ECHO.fullmatch(text)):
            return Echo(echo[1])
        if stop := _STOP.fullmatch(text):
            return StopTag(stop[1])
        if token := _TOKEN.fullmatch(text):
            return ShowToken(token[1])
        if assign := _ASSIGN.fullmatch(text):
            return _read_assignment(assign)
    if read := _READ.fullmatch(text):
        property_ = read["property"] or "val"
        normal = bool(read["normal"]) or property_ == "valn"
        return Read(read["device"], "val" if property_ == "valn" else property_, normal, loop)
    raise BadValue(f"parse error: {text[:80]}")


def _read_assignment(found: re.Match[str]) -> Assign:
    property_, value = found["property"] or "val", found["value"].strip('"')
    modifiers = tuple((m[1], float(m[2])) for m in _MODIFIER.finditer(found["modifiers"]))
    is_number = re.fullmatch(_NUMBER, value) is not None
    if property_ in ("val", "valn") and not is_number:
        raise BadValue(f"the value of {found['device']} is '{value[:40]}', must be a number")
    given: float | str = float(value) if is_number else value
    if found["sign"] == "-" and isinstance(given, float):
        given = -given
    normal = bool(found["normal"]) or property_ == "valn"
    name = "val" if property_ == "valn" else property_
    return Assign(found["device"], name, given, normal, found["base"] or "", modifiers)


def message(time: float, tag: str, text: str) -> bytes:
    """Return a message; ``time`` in s."""
    return f"[{round(time * 1000):08d}:{tag}] {text}\n".encode(ENCODING, "replace")


def number(time: float, tag: str, value: float) -> bytes:
    """Return a message with a number."""
    return message(time, tag, f"{value:.6f}")


def picture(time: float, tag: str, jpeg: bytes, size: tuple[int, int]) -> bytes:
    """Return a message with a JPEG file of width and height ``size``."""
    head = message(time, tag, f"BIN {len(jpeg)} jpeg {size[0]} {size[1]}")
    return head + jpeg + b"\n"


def error(time: float, tag: str, reason: str) -> bytes:
    """Return a message with the reason for which a command was not carried out."""
    return message(time, tag, f"!!! {reason}")
