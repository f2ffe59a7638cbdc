"""Bytes in, messages out, and back: the wires without a socket.

`grouser.protocol.usarsim` holds the control connection and the ground truth port,
`grouser.protocol.images` the image connection, `grouser.protocol.rendering` what a server and its
drawing processes say to each other, `grouser.protocol.rosbridge` how services are called.
Nothing here waits, reads a clock or opens anything: a caller feeds in the bytes it got and sends
the bytes it is given. Only the standard library is used, so that a client needs nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.protocol.images import (
        Credential,
        Frame,
        ImageClientSide,
        ImageServerSide,
        ImageType,
        Region,
        WholeFrame,
    )
    from grouser.protocol.lines import Fault, LineReader
    from grouser.protocol.link_faults import LinkFaults
    from grouser.protocol.operation import OperatorCommand, RobotReport

_PLACES = {
    "Credential": "grouser.protocol.images",
    "Fault": "grouser.protocol.lines",
    "Frame": "grouser.protocol.images",
    "ImageClientSide": "grouser.protocol.images",
    "ImageServerSide": "grouser.protocol.images",
    "ImageType": "grouser.protocol.images",
    "LineReader": "grouser.protocol.lines",
    "LinkFaults": "grouser.protocol.link_faults",
    "OperatorCommand": "grouser.protocol.operation",
    "Region": "grouser.protocol.images",
    "RobotReport": "grouser.protocol.operation",
    "WholeFrame": "grouser.protocol.images",
}

__all__ = [
    "Credential",
    "Fault",
    "Frame",
    "ImageClientSide",
    "ImageServerSide",
    "ImageType",
    "LineReader",
    "LinkFaults",
    "OperatorCommand",
    "Region",
    "RobotReport",
    "WholeFrame",
]

__getattr__ = lazily(__name__, _PLACES)
