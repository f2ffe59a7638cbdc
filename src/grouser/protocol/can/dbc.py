"""DBC files: description of CAN messages for other tools.

Byte order is little-endian; every command gets its counter and checksum as additional signals.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from decimal import Decimal

from grouser.protocol.can.messages import COMMANDS, FLAGS, MOTORS, ONE, STATUSES, CanMessage, Signal

HEADER = """VERSION "1"

NS_ :
\tCM_
\tBA_DEF_
\tBA_
\tBA_DEF_DEF_

BS_:

BU_: Controller Motors
"""
CHECKS = (
    "Every command ends with a counter and a CRC-8/SAE-J1850 over the identifier (two bytes, low "
    "one first) and all bytes before it."
)
FLAG_COMMENT = "Sum of " + ", ".join(f"{bit} ({text})" for bit, text in FLAGS.items()) + "."


def kenaf_dbc() -> str:
    """Return the DBC file of Kenaf's bus."""
    stalled = "One bit per motor: " + ", ".join(MOTORS).replace("_", " ") + "."
    return dbc_text(
        (*COMMANDS.values(), *STATUSES.values()),
        f"Kenaf's CAN bus in Grouser: x forward, y left, z up. {CHECKS}",
        {"Flags": FLAG_COMMENT, "Stalled": stalled},
    )


def dbc_text(
    messages: Sequence[type[CanMessage]], bus: str, signal_comments: Mapping[str, str]
) -> str:
    """Return the text of a DBC file.

    Args:
        messages: messages of the bus.
        bus: comment of the whole bus.
        signal_comments: name of a signal → comment.
    """
    comments = [f'CM_ "{bus}";']
    comments += [f'CM_ BO_ {kind.ID} "{_comment(kind)}";' for kind in messages]
    comments += [
        f'CM_ SG_ {kind.ID} {signal.name} "{signal_comments[signal.name]}";'
        for kind in messages
        for signal in kind.SIGNALS
        if signal.name in signal_comments
    ]
    cycles = ['BA_DEF_ BO_ "GenMsgCycleTime" INT 0 65535;', 'BA_DEF_DEF_ "GenMsgCycleTime" 0;']
    cycles += [
        f'BA_ "GenMsgCycleTime" BO_ {kind.ID} {round(1000 * kind.CYCLE)};' for kind in messages
    ]
    blocks = [HEADER, *map(_message, messages), "\n".join((*comments, *cycles)) + "\n"]
    return "\n".join(blocks)


def _message(kind: type[CanMessage]) -> str:
    """Return the BO_ block of a message."""
    signals = list(kind.SIGNALS)
    if kind.COMMAND:
        for name in ("Counter", "Crc"):
            signals.append(Signal(f"{kind.__name__}{name}", "B", ONE, 0, 255))
    sender, receiver = ("Controller", "Motors") if kind.COMMAND else ("Motors", "Controller")
    lines = [f"BO_ {kind.ID} {kind.__name__}: {kind.length()} {sender}"]
    start = 0
    for signal in signals:
        bits = 8 * struct.calcsize(f"<{signal.code}")
        sign, unit = "-" if signal.code.islower() else "+", signal.unit
        low, high = (_decimal(count, unit.factor) for count in (signal.low, signal.high))
        lines.append(
            f" SG_ {signal.name} : {start}|{bits}@1{sign} ({unit.factor},0) [{low}|{high}] "
            f'"{unit.symbol}" {receiver}'
        )
        start += bits
    return "\n".join(lines) + "\n"


def _comment(kind: type[CanMessage]) -> str:
    """Return the first line of a message's docstring."""
    return (kind.__doc__ or "").splitlines()[0]


def _decimal(count: int, factor: str) -> str:
    """Return ``count * factor`` without trailing zeros."""
    return f"{(count * Decimal(factor)).normalize():f}"
