"""TLS as a client: which certificate is trusted."""

from __future__ import annotations

import ssl
from pathlib import Path

from grouser.errors import BadValue


def trusting(certificate: Path | str) -> ssl.SSLContext:
    """Return the context of a client that trusts a server with ``certificate`` (a PEM file).

    Raises:
        BadValue: it cannot be read, or is no certificate.
    """
    try:
        return ssl.create_default_context(cafile=str(certificate))
    except ssl.SSLError:
        raise BadValue(
            f"tls: {certificate} holds no certificate in PEM form (BEGIN CERTIFICATE)"
        ) from None
    except OSError as error:
        raise BadValue(f"tls: {certificate} cannot be read ({error.strerror})") from None
