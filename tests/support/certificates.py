"""Self-signed certificates for tests of TLS."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class CertificateFiles:
    """Certificate and key in PEM format."""

    certificate: Path
    key: Path
    combined: Path
    """Key and certificate in one file."""


def create_certificate(folder: Path) -> CertificateFiles:
    """Create a certificate for 127.0.0.1 with openssl; skip the test if it is not installed."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl, which creates the certificate, is not installed")
    certificate, key, combined = (folder / f"{name}.pem" for name in ("cert", "key", "both"))
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2")
    names = ("-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1")
    command = (openssl, "req", "-x509", *curve, *names, "-keyout", key, "-out", certificate)
    subprocess.run(command, check=True, capture_output=True)
    combined.write_bytes(key.read_bytes() + certificate.read_bytes())
    return CertificateFiles(certificate, key, combined)
