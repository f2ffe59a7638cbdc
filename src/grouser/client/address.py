"""Where a server is, how it speaks and how to be let in."""

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

    Args:
        server: the text.
        default_port: the port, if the text has none.
        option: what an error message calls it.

    Raises:
        BadValue: it is none of these.
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
    """The options that every way to connect has; `Address` says what they mean."""

    host: str
    port: int
    dialect: str
    token: str | None
    tls: Tls
    timeout: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A server's control port."""

    host: str = "127.0.0.1"
    port: int = codec.PORT
    dialect: str = "ut2004"
    """What it speaks there: ut2004, ut3 or udk. Reading understands all of them."""
    token: str | None = None
    """What it demands before it lets somebody in; None: nothing."""
    tls: Tls = None
    """True: TLS with a certificate that this machine trusts; a file: the certificate to trust
    (PEM); or a context of your own. None or False: plain."""
    timeout: float = 10.0
    """Longest wait for a connection or an answer, s."""

    def __post_init__(self) -> None:
        if not isinstance(self.port, int) or not 0 < self.port < 2**16:
            raise BadValue(f"port is {self.port!r}, must be a whole number from 1 to 65535")
        if not self.host:
            raise BadValue("host is '', must be a machine's name or address")
        if not self.timeout > 0:
            raise BadValue(f"timeout is {self.timeout:g} s, must be above 0")

    @property
    def peer(self) -> str:
        """The server as error messages call it, ``host:port``."""
        return f"{self.host}:{self.port}"

    @property
    def wire_dialect(self) -> Dialect:
        """The dialect that `dialect` names."""
        return dialect(self.dialect)

    def context(self) -> ssl.SSLContext | None:
        """Return what TLS needs; None: plain."""
        if isinstance(self.tls, ssl.SSLContext):
            return self.tls
        if not self.tls:
            return None
        return ssl.create_default_context() if self.tls is True else client_context(self.tls)

    def connect_error(self, error: Exception) -> Disconnected:
        """Return the error for a connection that could not be made."""
        match error:
            case ConnectionRefusedError():
                why = "nobody listens there; 'grouser serve WORLD' starts a server"
            case TimeoutError():
                why = f"no answer within {self.timeout:g} s"
            case ssl.SSLCertVerificationError():
                why = f"its certificate is not to be trusted: {error.verify_message}"
            case ssl.SSLError():
                why = "it does not speak TLS, or not with us"
            case _:
                why = str(getattr(error, "strerror", None) or error)
        return Disconnected(f"{self.peer}: {why}")
