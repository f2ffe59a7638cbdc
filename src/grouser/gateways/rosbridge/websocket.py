"""The websocket library, where it is installed: an extra, since most servers need none of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.errors import missing_extra

if TYPE_CHECKING:
    from websockets.server import ServerProtocol


def server_protocol(most_bytes: int) -> ServerProtocol:
    """Return a server's end of one websocket: bytes in, frames out; no socket, no packing.

    Args:
        most_bytes: of one message.
    """
    try:
        from websockets.server import ServerProtocol
    except ImportError as error:
        raise missing_extra("the rosbridge port needs websockets", "rosbridge") from error
    return ServerProtocol(max_size=most_bytes)
