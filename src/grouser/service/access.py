"""Token authentication and roles, for every port.

A server that is reachable from its own machine only needs no token; any other server does not start
without one. Where tokens are set, every client needs one, on the same machine as well. A match
server isolates the teams: without a token its clients have the role ``drive`` only (`open_roles`).

A token file has one token per line, after the roles it grants; ``#`` begins a comment::

    drive watch: 5PzVhqXkJY0qYt4v    # a team: its robot and its pictures
    all:         kG1w0sXq8Rr3Zc7L    # the referee

After wrong tokens an address is refused for a delay that doubles each time (`LoginThrottle`).
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import logging
import os
import re
import stat
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from grouser import files
from grouser.errors import BadValue, Refused, nearest
from grouser.service.client_log import ClientLog

VARIABLE = "GROUSER_TOKEN"
"""Environment variable that holds one token with all roles."""
MIN_TOKEN_LENGTH = 12
"""Fewest characters of a token."""
TOKEN_HELP = (
    f"set one with --token-file FILE (a line 'all: SECRET', {MIN_TOKEN_LENGTH} characters or more) "
    f"or the environment variable {VARIABLE}"
)
"""Instructions for the owner of a server without a token."""
FREE_ATTEMPTS = 3
"""Wrong tokens without a delay: people mistype."""
FIRST_DELAY = 1.0
"""Delay after the next wrong token, s; doubled by each further one, up to `LONGEST_DELAY`."""
LONGEST_DELAY = 900.0
"""Longest delay, s."""
FORGIVEN_AFTER = 3600.0
"""Seconds without a wrong token after which earlier ones no longer count. A right token does not
reset the count, or a client with one could guess others between two uses of it."""
REMEMBERED = 4096
"""Addresses whose wrong tokens are counted; beyond that, the oldest entry is dropped."""

MOST_BYTES = 1 << 20
"""Largest size of a token file."""
_COMMENT = re.compile(r"(?:^|\s)#")  # inside a word it belongs to a secret

_LOG = logging.getLogger(__name__)


class Role(Enum):
    """Permission of a client."""

    DRIVE = "drive"
    """Own and command a robot."""
    CONTROL = "control"
    """Change the world: the console, CONTROL."""
    WATCH = "watch"
    """Receive pictures and the ground truth."""
    DRAW = "draw"
    """Render pictures on another machine; such a worker receives the whole world and all keys."""


ALL_ROLES = frozenset(Role)
MATCH_ROLES = frozenset({Role.DRIVE})
"""Roles of a match's clients without a token: a player has its own sensors and pictures only."""


@dataclass(frozen=True)
class Token:
    """A secret and the roles it grants."""

    secret: str = field(repr=False)
    roles: frozenset[Role] = ALL_ROLES

    def __post_init__(self) -> None:
        if len(self.secret) < MIN_TOKEN_LENGTH:
            raise BadValue(
                f"a token is {len(self.secret)} characters long, must be {MIN_TOKEN_LENGTH} or "
                "more, plain ASCII without blanks"
            )
        if not all(33 <= ord(c) < 127 for c in self.secret):
            raise BadValue("a token holds a letter beyond ASCII or a blank, must be without blanks")
        if set("{}") & set(self.secret):
            raise BadValue(
                "a token holds a brace, must be without braces: no wire line can carry one"
            )


def is_loopback(host: str) -> bool:
    """Return True if ``host`` (an address, or ``localhost``) is the loopback interface."""
    if host.lower() == "localhost":
        return True
    address = _address(host)
    return address is not None and address.is_loopback


def tokens(
    file: Path | str | None = None,
    *,
    given: str | None = None,
    environment: Mapping[str, str] = os.environ,
) -> tuple[Token, ...]:
    """Return all configured tokens.

    Args:
        file: a token file.
        given: a token with all roles, from a program's own settings.
        environment: variables among which ``GROUSER_TOKEN`` may be.
    """
    known = [] if file is None else list(_from_file(Path(file)))
    for where, secret in (("token", given), (VARIABLE, environment.get(VARIABLE))):
        if secret:
            known.append(_token(where, secret, ALL_ROLES))
    return tuple(known)


class LoginThrottle:
    """Count of wrong tokens per address, and the delay after them; times are wall time, s."""

    def __init__(self) -> None:
        self._failures: OrderedDict[str, tuple[int, float]] = OrderedDict()
        """Address -> number of wrong tokens, and end of the delay."""

    def wait(self, address: str, now: float) -> float:
        """Return the seconds for which ``address`` is still refused; 0: it is not."""
        _, until = self._failures.get(address, (0, now))
        return max(0.0, until - now)

    def count_failure(self, address: str, now: float) -> int:
        """Count a wrong token of ``address``; return the number so far."""
        before, until = self._failures.pop(address, (0, now))
        count = 1 if now - until > FORGIVEN_AFTER else before + 1
        self._failures[address] = (count, now + _delay(count))
        if len(self._failures) > REMEMBERED:
            self._failures.popitem(last=False)
        return count


def _delay(count: int) -> float:
    """Return the delay (s) after ``count`` wrong tokens."""
    if count <= FREE_ATTEMPTS:
        return 0.0
    doublings = min(count - FREE_ATTEMPTS - 1, 60)  # beyond, the number would not fit
    return min(LONGEST_DELAY, FIRST_DELAY * 2.0**doublings)


class AccessControl:
    """Token check for all ports of a server."""

    def __init__(
        self,
        tokens: Iterable[Token],
        host: str,
        *,
        clock: Callable[[], float],
        login_hint: str = "",
        log: ClientLog | None = None,
        open_roles: frozenset[Role] | None = None,
    ) -> None:
        """Configure access to a server that listens at ``host``.

        Args:
            tokens: accepted tokens.
            host: the address that the ports are bound to.
            clock: wall time, s.
            login_hint: instruction for clients without a token.
            log: log for wrong tokens; None: a new one.
            open_roles: roles of clients on this machine without a token; None: all if there are no
                tokens, else none.

        Raises:
            Refused: other machines can reach ``host``, and there is no token.
        """
        # Digests have equal lengths: comparing them does not leak the length of a secret.
        self._known = tuple((_digest(token.secret), token.roles) for token in tokens)
        self._throttle = LoginThrottle()
        self._clock = clock
        self.log = log or ClientLog(clock)
        """Log for events of clients."""
        self._login_hint = f": {login_hint}" if login_hint else ""
        default = frozenset[Role]() if self._known else ALL_ROLES
        self._open_roles = default if open_roles is None else open_roles
        if not self._known and not is_loopback(host):
            raise Refused(
                f"other machines can reach a server at '{host}', which needs a token: {TOKEN_HELP}"
            )

    def open_roles(self, address: str) -> frozenset[Role]:
        """Return the roles of a client at ``address`` without a token."""
        return self._open_roles if is_loopback(address) else frozenset()

    @property
    def has_tokens(self) -> bool:
        """True if tokens are set."""
        return bool(self._known)

    @property
    def is_open(self) -> bool:
        """True if clients on this machine have all roles without a token."""
        return self._open_roles == ALL_ROLES

    def missing(self, role: Role) -> str:
        """Return the reason why a client without ``role`` is refused."""
        reason = f"this needs a token with the role '{role.value}'"
        if self._known or self.is_open:
            return reason
        return (
            f"{reason}, and this server isolates its clients; its owner opens it with "
            f"--open {role.value} or --token-file FILE"
        )

    def check(self, address: str, token: str | None = None) -> frozenset[Role]:
        """Return the roles of a client at ``address`` that shows ``token``; none raises `Refused`.

        No or an empty token does not count as a wrong one.
        """
        given = self.open_roles(address)
        if given and not (token and self._known):
            return given
        if not self._known:
            raise Refused(
                f"this server accepts its own machine only; its owner can change that: {TOKEN_HELP}"
            )
        if not token:
            raise Refused(f"this server demands a token{self._login_hint}")
        key, now = network(address), self._clock()
        if (wait := self._throttle.wait(key, now)) > 0:
            raise Refused(f"too many wrong tokens from {key}: try again in {wait:.0f} s")
        if roles := self._roles(token):
            return roles  # earlier wrong tokens still count (see FORGIVEN_AFTER)
        failures = self._throttle.count_failure(key, now)
        self.log.warning(_LOG, address, f"wrong token ({failures} so far)")
        raise Refused("this token is not one of the server's; ask its owner for yours")

    def _roles(self, token: str) -> frozenset[Role]:
        """Return the roles of ``token``, none for a wrong one; constant time."""
        digest, roles = _digest(token), frozenset[Role]()
        for known, these in self._known:
            if hmac.compare_digest(digest, known):
                roles |= these
        return roles


class Login:
    """Roles of one client, at any port."""

    def __init__(self, access: AccessControl, address: str) -> None:
        """Start with the roles that ``address`` has without a token; `Refused`: none."""
        self._access, self.address = access, address
        self._roles = access.open_roles(address)
        if not self._roles and not access.has_tokens:
            access.check(address)  # raises: no token helps

    def __bool__(self) -> bool:
        """Return True if the client has any role."""
        return bool(self._roles)

    def show(self, token: str | None) -> None:
        """Assign the roles of ``token`` and the open ones; raise `Refused` for a wrong one."""
        self._roles = self._access.check(self.address, token) | self._access.open_roles(
            self.address
        )

    def require(self, role: Role | None = None) -> None:
        """Raise `Refused` if the client does not have ``role``; None: if it has no role at all."""
        if not self._roles:
            self._access.check(self.address)  # raises with instructions
        if role is not None and role not in self._roles:
            raise Refused(self._access.missing(role))


def network(address: str) -> str:
    """Return the network of one client: an IPv4 address, or the first 64 bits of an IPv6 one."""
    known = _address(address)
    if isinstance(known, ipaddress.IPv6Address) and not known.is_loopback:
        return str(ipaddress.IPv6Network((int(known) >> 64 << 64, 64)))
    return str(known or address)


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return ``host`` as an address, IPv4 mapped into IPv6 as IPv4; None: it is a name."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def _from_file(path: Path) -> Iterable[Token]:
    """Yield the tokens of a file; errors name the line, not its content."""
    try:
        text = files.read_text(path, MOST_BYTES)
        mode = path.stat().st_mode
    except (OSError, BadValue) as error:
        raise BadValue(f"{path}: cannot be read as a token file ({error})") from None
    if os.name == "posix" and mode & (stat.S_IROTH | stat.S_IWOTH):
        _LOG.warning("%s: all users of this machine can open it; use chmod 600", path)
    empty = True
    for number, line in enumerate(text.splitlines(), 1):
        if entry := _COMMENT.split(line)[0].strip():
            empty = False
            yield _entry(f"{path} line {number}", entry)
    if empty:
        raise BadValue(f"{path}: holds no token, a line 'drive watch: SECRET' is needed")


def parse_roles(where: str, text: str) -> frozenset[Role]:
    """Return the roles of ``drive,watch`` or ``all``; ``where`` is the location for errors."""
    allowed = {role.value: frozenset({role}) for role in Role} | {"all": ALL_ROLES}
    names = text.replace(",", " ").lower().split()
    wrong = next((name for name in names if name not in allowed), None if names else text)
    if wrong is not None:
        raise BadValue(
            f"{where} is '{text}', must be roles from {', '.join(allowed)}{nearest(wrong, allowed)}"
        )
    return frozenset().union(*(allowed[name] for name in names))


def _entry(where: str, entry: str) -> Token:
    words, colon, secret = entry.partition(":")
    allowed = {role.value: frozenset({role}) for role in Role} | {"all": ALL_ROLES}
    names = words.replace(",", " ").lower().split()
    if not colon or not names or not set(names) <= allowed.keys():
        # A word that resembles no role may be a secret in the wrong place: it is not repeated.
        slips = (
            f", not '{n}'{h}" for n in names if n not in allowed and (h := nearest(n, allowed))
        )
        raise BadValue(
            f"{where}: must be 'ROLE ROLE: SECRET', with roles from {', '.join(allowed)}"
            f"{next(slips, '') if colon else ''}"
        )
    return _token(where, secret.strip(), frozenset().union(*(allowed[name] for name in names)))


def _token(where: str, secret: str, roles: frozenset[Role]) -> Token:
    try:
        return Token(secret, roles)
    except BadValue as error:
        raise BadValue(f"{where}: {error}") from None
