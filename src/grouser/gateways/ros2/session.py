"""Session of zenoh with the time-outs of a ROS 2 node."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grouser.errors import BadValue, MissingDependency, missing_extra

LEASE = 60_000
"""Time without a sign of life after which a client gives this node up, ms; as in rmw_zenoh.

After zenoh's own 10 s, which a busy machine can exceed, a client connects again and loses what was
sent in between.
"""
KEEP_ALIVES = 2
"""Signs of life within a lease, as in rmw_zenoh."""
LONGEST_WAIT = 1_000_000
"""Wait for a client that does not read, us; then it loses messages, and no other client does.

A message that is larger than a batch (64 KiB) waits twice.
"""
_LINK = "transport/link/tx"
_DROP = f"{_LINK}/queue/congestion_control/drop"
_LISTEN, _TLS = "listen/endpoints", "transport/link/tls"
TUNING = {
    f"{_LINK}/lease": LEASE,
    f"{_LINK}/keep_alive": KEEP_ALIVES,
    f"{_DROP}/wait_before_drop": LONGEST_WAIT,
    f"{_DROP}/max_wait_before_drop_fragments": LONGEST_WAIT,
}
"""Settings by path."""


@dataclass(frozen=True)
class NodeOptions:
    """Options of a node."""

    domain: int
    hashes: bool
    """False: keys without hashes of types."""
    settings: Mapping[str, object]
    """Settings of zenoh by path; except of the mode, those of the file have priority."""
    config: str
    """File with settings; empty: none."""


def open_session(options: NodeOptions) -> Any:
    """Return a zenoh session.

    Raises:
        BadValue: a setting is wrong, or the address cannot be used.
        MissingDependency: zenoh is not installed.
    """
    try:
        config = _load(options.config)
        usual = _load("")
        for path, value in {**TUNING, **options.settings}.items():
            if path == "mode" or config.get_json(path) == usual.get_json(path):
                config.insert_json5(path, json.dumps(value))
        return import_zenoh().open(config)
    except MissingDependency:
        raise
    except Exception as error:  # zenoh raises its own ZError, a plain Exception
        raise BadValue(f"ros2: zenoh cannot be opened: {str(error).splitlines()[0]}") from None


@dataclass(frozen=True)
class AccessRules:
    """Access rules in a file of settings."""

    listens: bool
    """True if it has addresses of its own to listen on."""
    admits_known: bool
    """True if only known clients are admitted: users with passwords, keys or certificates."""
    is_known: bool
    """True if this node shows a password or certificate to a router."""


def access_rules(file: str) -> AccessRules:
    """Return the access rules in a file.

    Raises:
        BadValue: the file is not a configuration of zenoh.
        MissingDependency: zenoh is not installed.
    """
    import_zenoh()
    try:
        config = _load(file)
    except Exception as error:  # zenoh's ZError
        raise BadValue(f"ros2: {file}: {str(error).splitlines()[0]}") from None
    auth, tls, given = (
        json.loads(config.get_json(path)) for path in ("transport/auth", _TLS, _LISTEN)
    )
    listens = config.get_json(_LISTEN) != _load("").get_json(_LISTEN)
    addresses = [one for some in given.values() for one in some] if listens else []
    encrypted = bool(addresses) and all(one.startswith(("tls/", "quic/")) for one in addresses)
    checked = auth["usrpwd"]["dictionary_file"] or auth["pubkey"]["known_keys_file"]
    return AccessRules(
        listens,
        bool(checked or (tls["enable_mtls"] and encrypted)),
        bool(auth["usrpwd"]["user"] or tls["connect_certificate"]),
    )


def import_zenoh() -> Any:
    """Return the module zenoh; raise `MissingDependency` if it is not installed."""
    try:
        import zenoh
    except ImportError as error:
        raise missing_extra("ROS 2 needs zenoh", "ros2") from error
    return zenoh


def _load(file: str) -> Any:
    """Return the configuration in a file; empty: the usual one."""
    kind = import_zenoh().Config
    return kind.from_file(file) if file else kind()
