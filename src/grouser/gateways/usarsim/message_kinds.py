"""The messages of clients, sorted by what a session does about them."""

from __future__ import annotations

from grouser.errors import nearest
from grouser.protocol.lines import Fault
from grouser.protocol.usarsim import commands, control, extensions, setting
from grouser.protocol.usarsim.codec import COMMANDS
from grouser.protocol.usarsim.message import UnknownMessage
from grouser.protocol.usarsim.turns import MOVE_COMMANDS
from grouser.service.access import SHORTEST

CONTROLLER = "worldcontroller"
"""Class, in lower case, whose INIT makes no robot but opens the world to CONTROL."""

MEANINGLESS = (Fault, UnknownMessage)
"""What means nothing here."""

POWERED = (*MOVE_COMMANDS, setting.Setting, commands.GetGeometry, commands.GetConfiguration)
"""What a robot with an empty battery does not obey (reference: UDK)."""

QUESTIONS = (
    commands.Login, commands.GetGeometry, commands.GetConfiguration, commands.GetStartPoses,
    extensions.Lockstep,
)  # fmt: skip
"""What is seen to at once, also in lockstep: it does not change the world."""

OWN = (
    commands.Login, extensions.Lockstep, extensions.Step, extensions.ConsoleLine,
    extensions.Transmit, extensions.Kick,
)  # fmt: skip
"""Lines of Grouser's own: who sends one is told what is wrong, which old clients never are."""


ALWAYS_ANSWERED = (commands.Init, control.Control)
"""What everybody is told if it cannot be done: old servers said nothing, and clients waited."""


def for_log(message: Fault | UnknownMessage) -> str:
    """Return a line that means nothing as the log may have it.

    No more than its first word, if that is shorter than any token: somebody may have misspelt LOGIN
    and said a right one.
    """
    if isinstance(message, Fault):
        word, reason = message.line.split(b" ", 1)[0].decode("latin-1"), "it cannot be read"
    else:
        word, reason = message.word, "it means nothing here"
    shown = f" '{word}'" if word.isalnum() and len(word) < SHORTEST else ""
    return f"a line{shown}: {reason}"


def complaint(message: Fault | UnknownMessage) -> str:
    """Return what is wrong with a line that means nothing; nothing, if it never meant anything."""
    if isinstance(message, Fault):
        return message.reason
    if message.word in commands.DO_NOTHING:
        return ""
    return f"there is no command '{message.word[:40]}'{nearest(message.word, COMMANDS)}"
