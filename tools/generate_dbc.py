"""Generate the DBC file of Kenaf's CAN bus from `grouser.protocol.can.messages`.

``python tools/generate_dbc.py`` writes ``src/grouser/protocol/can/kenaf.dbc``. Byte order is
little-endian; every command gets its counter and checksum as additional signals.
"""

from __future__ import annotations

import struct
from decimal import Decimal
from pathlib import Path

from grouser.protocol.can import messages
from grouser.protocol.can.messages import COMMANDS, FLAGS, MOTORS, STATUSES, CanMessage, Signal

HEADER = """VERSION "1"

NS_ :
\tCM_
\tBA_DEF_
\tBA_
\tBA_DEF_DEF_

BS_:

BU_: Controller Motors
"""
BUS = (
    "Kenaf's CAN bus in Grouser: x forward, y left, z up. Every command ends with a counter and a "
    "CRC-8/SAE-J1850 over the identifier (two bytes, low one first) and all bytes before it."
)
SIGNAL_COMMENTS = {
    "Flags": "Sum of " + ", ".join(f"{bit} ({text})" for bit, text in FLAGS.items()) + ".",
    "Stalled": "One bit per motor: " + ", ".join(MOTORS).replace("_", " ") + ".",
}
MESSAGES = (*COMMANDS.values(), *STATUSES.values())


def dbc() -> str:
    """Return the text of the DBC file."""
    comments = [f'CM_ "{BUS}";']
    comments += [f'CM_ BO_ {kind.ID} "{_comment(kind)}";' for kind in MESSAGES]
    comments += [
        f'CM_ SG_ {kind.ID} {signal.name} "{SIGNAL_COMMENTS[signal.name]}";'
        for kind in MESSAGES
        for signal in kind.SIGNALS
        if signal.name in SIGNAL_COMMENTS
    ]
    cycles = ['BA_DEF_ BO_ "GenMsgCycleTime" INT 0 65535;', 'BA_DEF_DEF_ "GenMsgCycleTime" 0;']
    cycles += [
        f'BA_ "GenMsgCycleTime" BO_ {kind.ID} {round(1000 * kind.CYCLE)};' for kind in MESSAGES
    ]
    blocks = [HEADER, *map(_message, MESSAGES), "\n".join((*comments, *cycles)) + "\n"]
    return "\n".join(blocks)


def _message(kind: type[CanMessage]) -> str:
    """Return the BO_ block of a message."""
    signals = list(kind.SIGNALS)
    if kind.COMMAND:
        for name in ("Counter", "Crc"):
            signals.append(Signal(f"{kind.__name__}{name}", "B", messages.ONE, 0, 255))
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


if __name__ == "__main__":
    Path(messages.__file__).with_name("kenaf.dbc").write_text(dbc(), encoding="utf-8")
