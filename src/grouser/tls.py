"""TLS contexts for servers and clients, and certificate fingerprints."""

from __future__ import annotations

import hashlib
import ssl
from pathlib import Path

from grouser.errors import BadValue


def server_context(certificate: Path | str, key: Path | str | None = None) -> ssl.SSLContext:
    """Return the TLS context of a server with ``certificate``.

    Args:
        certificate: PEM file with the certificate chain.
        key: PEM file of the private key, without a password; None: the key is in ``certificate``.

    Raises:
        BadValue: a file is unreadable or not PEM, or key and certificate do not match.
    """
    secret = Path(key or certificate)
    chain = _certificate(Path(certificate))
    if b"PRIVATE KEY-----" not in _read(secret):
        raise BadValue(f"{secret}: holds no private key in PEM form (BEGIN … PRIVATE KEY)")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        # Without a password callback, OpenSSL prompts on the terminal and blocks.
        context.load_cert_chain(chain, secret, password=_no_password)
    except ssl.SSLError as error:
        why = (
            "key and certificate do not match"
            if "MISMATCH" in str(error.reason)
            else f"({error.reason})"
        )
        raise BadValue(f"{certificate} and {secret}: cannot be used for TLS: {why}") from None
    except _Encrypted:
        raise BadValue(
            f"{secret}: the private key is encrypted; decrypt it with 'openssl pkey -in {secret}'"
        ) from None
    return context


def client_context(certificate: Path | str) -> ssl.SSLContext:
    """Return the TLS context of a client that trusts ``certificate`` (a PEM file)."""
    try:
        return ssl.create_default_context(cafile=str(certificate))
    except ssl.SSLError:
        raise BadValue(
            f"tls: {certificate} holds no certificate in PEM form (BEGIN CERTIFICATE)"
        ) from None
    except OSError as error:
        raise BadValue(f"tls: {certificate} cannot be read ({error.strerror})") from None


def fingerprint(certificate: Path | str) -> str:
    """Return the SHA-256 fingerprint of the first certificate in a PEM file, as openssl does."""
    text = _certificate(Path(certificate)).read_text("ascii", "replace")
    begin = text.index(ssl.PEM_HEADER)
    end = text.find(ssl.PEM_FOOTER, begin) + len(ssl.PEM_FOOTER)
    try:
        whole = ssl.PEM_cert_to_DER_cert(text[begin:end])
    except ValueError as error:
        raise BadValue(f"{certificate}: is no certificate in PEM form ({error})") from None
    return hashlib.sha256(whole).digest().hex(":").upper()


def client_hint(certificate: Path | str) -> str:
    """Return a one-sentence hint for users of clients."""
    return (
        f"clients must use TLS from the first byte and trust {Path(certificate).name} "
        f"(give them this file, never the key; SHA-256 {fingerprint(certificate)})"
    )


class _Encrypted(Exception):
    """The private key is encrypted."""


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
