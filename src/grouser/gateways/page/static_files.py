"""Static files of the page over HTTP, and the checks of the headers Host and Origin.

A web page elsewhere cannot read the answers of this port (no cross-origin headers), cannot open its
websocket (Origin), and cannot reach it under a name of its own (Host: DNS rebinding).
"""

from __future__ import annotations

import ipaddress
import mimetypes
from collections.abc import Collection
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

FOLDER = Path(__file__).with_name("static")
"""Folder of the built page."""
INDEX = "index.html"
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob: data:",
        "media-src blob:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
"""Content security policy: no script and no style in the page itself, nothing from elsewhere."""
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
"""Headers of every static file."""


@cache
def static_files() -> dict[str, tuple[str, bytes]]:
    """Return the type and content of every file by its path, such as ``/page.js``."""
    found = {}
    for path in sorted(FOLDER.iterdir()):
        kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        shown = f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
        found[f"/{path.name}"] = shown, path.read_bytes()
    if f"/{INDEX}" in found:
        found["/"] = found[f"/{INDEX}"]
    return found


def is_own_host(host: str, origins: Collection[str]) -> bool:
    """Return True if a Host header names this server: localhost, an IP address, an origin's host.

    A name that an attacker's DNS server resolves to this machine is none of them.
    """
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    if name == "localhost" or name in {urlsplit(origin).hostname for origin in origins}:
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_own_origin(origin: str, host: str, origins: Collection[str]) -> bool:
    """Return True if an Origin header is that of this page itself, or is allowed."""
    if origin in origins:
        return True
    scheme, _, rest = origin.partition("://")
    return scheme in ("http", "https") and rest.lower() == host.lower()
