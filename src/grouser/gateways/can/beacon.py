"""UDP beacon of socketcand: programs find the bus without its address and port."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from contextlib import suppress
from xml.sax.saxutils import quoteattr

from grouser.service.access import is_loopback

BEACON_PORT = 42000
"""UDP port on which programs listen for beacons."""
PERIOD = 2.0
"""Wall seconds between two beacons; the protocol requires at most 3."""

_LOG = logging.getLogger(__name__)


def beacon(host: str, address: str, port: int, bus: str) -> bytes:
    """Return a beacon of the server ``host`` that has ``bus`` at an address and TCP port."""
    head = f'name={quoteattr(host)} type="SocketCAN" description="grouser"'
    url = f"<URL>can://{address}:{port}</URL>"
    return f"<CANBeacon {head}>\n{url}<Bus name={quoteattr(bus)}/></CANBeacon>".encode()


def start_beacon(bus: str, address: str, port: int) -> Callable[[], None]:
    """Send beacons of a bus from now on; return a function that ends them.

    They are broadcast on the network of ``address``; those of a loopback address stay on this
    machine. A network that cannot be reached only costs a warning.
    """
    loop = asyncio.get_running_loop()
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
    sock.setblocking(False)
    wide = address in ("", "0.0.0.0", "::")
    shown = _own_address() if wide else address
    to = ("127.255.255.255" if is_loopback(address) else "255.255.255.255", BEACON_PORT)
    data = beacon(socket.gethostname(), shown, port, bus)
    timer: asyncio.TimerHandle | None = None

    def send() -> None:
        nonlocal timer
        try:
            sock.sendto(data, to)
        except OSError as error:
            if timer is None:  # once
                _LOG.warning("beacons of the bus cannot be sent (%s)", error.strerror)
        timer = loop.call_later(PERIOD, send)

    def close() -> None:
        if timer is not None:
            timer.cancel()
        sock.close()

    send()
    return close


def _own_address() -> str:
    """Return an address of this machine, for servers that listen on all of them."""
    with suppress(OSError):
        return socket.gethostbyname(socket.gethostname())
    return "127.0.0.1"
