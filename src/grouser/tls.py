"""Both ends of TLS: what a server shows, and which certificate a client trusts."""

from __future__ import annotations

import hashlib
import ssl
from pathlib import Path

from grouser.errors import BadValue


def server_context(certificate: Path | str, key: Path | str | None = None) -> ssl.SSLContext:
    """Return the context of a server that shows ``certificate``.

    Args:
        certificate: PEM file, with the chain behind it.
        key: PEM file of its private key, without a password; None: it is in ``certificate``.

    Raises:
        BadValue: a file cannot be read, is no PEM, or the two do not belong together.
    """
    secret = Path(key or certificate)
    chain = _certificate(Path(certificate))
    if b"PRIVATE KEY-----" not in _read(secret):
        raise BadValue(f"{secret}: holds no private key in PEM form (BEGIN … PRIVATE KEY)")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        # Without a password, OpenSSL would ask at the terminal and wait.
        context.load_cert_chain(chain, secret, password=_no_password)
    except ssl.SSLError as error:
        why = "do not belong together" if "MISMATCH" in str(error.reason) else f"({error.reason})"
        raise BadValue(f"{certificate} and {secret}: cannot be used for TLS: {why}") from None
    except _Encrypted:
        raise BadValue(
            f"{secret}: its key has a password; take it off with 'openssl pkey -in {secret}'"
        ) from None
    return context


def client_context(certificate: Path | str) -> ssl.SSLContext:
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


def fingerprint(certificate: Path | str) -> str:
    """Return SHA-256 of the first certificate in a PEM file, as browsers and openssl show it."""
    text = _certificate(Path(certificate)).read_text("ascii", "replace")
    begin = text.index(ssl.PEM_HEADER)
    end = text.find(ssl.PEM_FOOTER, begin) + len(ssl.PEM_FOOTER)
    try:
        whole = ssl.PEM_cert_to_DER_cert(text[begin:end])
    except ValueError as error:
        raise BadValue(f"{certificate}: is no certificate in PEM form ({error})") from None
    return hashlib.sha256(whole).digest().hex(":").upper()


def client_hint(certificate: Path | str) -> str:
    """Return what to tell those who run clients, one sentence."""
    return (
        f"clients speak TLS from the first byte and trust {Path(certificate).name} "
        f"(give them that file, never the key; SHA-256 {fingerprint(certificate)})"
    )


class _Encrypted(Exception):
    """The key wants a password."""


def _no_password() -> str:
    raise _Encrypted


def _certificate(path: Path) -> Path:
    if ssl.PEM_HEADER.encode() not in _read(path):
        raise BadValue(f"{path}: is no certificate in PEM form (BEGIN CERTIFICATE)")
    return path


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadValue(f"{path}: cannot be read ({error.strerror})") from None
