"""Server address: host, port, dialect, token and TLS."""

from __future__ import annotations

import re
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from grouser.errors import BadValue, Disconnected
from grouser.protocol.usarsim import codec
from grouser.protocol.usarsim.dialects import Dialect, dialect
from grouser.tls import client_context

Tls = bool | str | Path | ssl.SSLContext | None


def parse_host_port(server: str, default_port: int, option: str = "server") -> tuple[str, int]:
    """Return host and port of ``HOST``, ``HOST:PORT`` or ``[IPv6]:PORT``.

    ``option`` is the option's name in error messages.
    """
    host, colon, port = server.rpartition(":")
    if not colon or server.endswith("]"):
        host, port = server, str(default_port)
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    named = bare and not set(bare) & set("/[] ") and (":" not in bare or bare != host)
    if not named or not re.fullmatch("[0-9]{1,5}", port) or not 0 < int(port) < 2**16:
        raise BadValue(
            f"{option} is '{server}', must be HOST or HOST:PORT, such as robots:{default_port}"
        )
    return bare, int(port)


class AddressOptions(TypedDict, total=False):
    """Keyword arguments of all functions that connect; see `Address`."""

    host: str
    port: int
    dialect: str
    token: str | None
    tls: Tls
    timeout: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Address of a server's control port."""

    host: str = "127.0.0.1"
    port: int = codec.PORT
    dialect: str = "ut2004"
    """Dialect of sent messages: ut2004, ut3 or udk. Received messages may be of any dialect."""
    token: str | None = None
    """Access token of the server; None: none."""
    tls: Tls = None
    """True: TLS with the trusted certificates of this machine; a file: the certificate to trust
    (PEM); or an SSL context. None or False: no TLS."""
    timeout: float = 10.0
    """Time-out of connecting and of answers, s."""

    def __post_init__(self) -> None:
        if not isinstance(self.port, int) or not 0 < self.port < 2**16:
            raise BadValue(f"port is {self.port!r}, must be a whole number from 1 to 65535")
        if not self.host:
            raise BadValue("host is '', must be a host name or address")
        if not self.timeout > 0:
            raise BadValue(f"timeout is {self.timeout:g} s, must be above 0")

    @property
    def peer(self) -> str:
        """``host:port``, for error messages."""
        return f"{self.host}:{self.port}"

    @property
    def wire_dialect(self) -> Dialect:
        """Dialect named by `dialect`."""
        return dialect(self.dialect)

    def context(self) -> ssl.SSLContext | None:
        """Return the SSL context; None without TLS."""
        if isinstance(self.tls, ssl.SSLContext):
            return self.tls
        if not self.tls:
            return None
        return ssl.create_default_context() if self.tls is True else client_context(self.tls)

    def connect_error(self, error: Exception) -> Disconnected:
        """Return the `Disconnected` error for a failed connection."""
        match error:
            case ConnectionRefusedError():
                why = "connection refused; 'grouser serve WORLD' starts a server"
            case TimeoutError():
                why = f"no answer within {self.timeout:g} s"
            case ssl.SSLCertVerificationError():
                why = f"its certificate is not trusted: {error.verify_message}"
            case ssl.SSLError():
                why = "TLS handshake failed; the server may not use TLS"
            case _:
                why = str(getattr(error, "strerror", None) or error)
        return Disconnected(f"{self.peer}: {why}")
