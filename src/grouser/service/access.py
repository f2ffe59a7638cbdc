"""Who may come in, and what they may do: tokens and roles, for every port.

A server that only this machine can reach needs no token. One that others can reach does not start
without. Where tokens are set, everybody needs one, on this machine as well.

A token file has one token per line, behind what it allows; ``#`` begins a comment::

    drive watch: 5PzVhqXkJY0qYt4v    # a team: its robot and its pictures
    all:         kG1w0sXq8Rr3Zc7L    # the referee

Whoever guesses waits, longer each time, and is not listened to meanwhile.
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

from grouser.errors import BadValue, Refused, nearest
from grouser.service.client_log import ClientLog


class Login:
    """The roles of one client, whichever port it came to."""

    def __init__(self, access: AccessControl, address: str) -> None:
        """Begin with what everybody at ``address`` may do without a token.

        Raises:
            Refused: nobody may come from this address.
        """
        self._access, self._address = access, address
        self._roles = frozenset[Role]() if access.needs_token else access.check(address)

    def __bool__(self) -> bool:
        """Whether the client may do anything at all."""
        return bool(self._roles)

    def show(self, token: str | None) -> None:
        """Take over what ``token`` allows; raise `Refused` for a wrong one."""
        self._roles = self._access.check(self._address, token)

    def require(self, role: Role | None = None) -> None:
        """Raise `Refused` if the client has not got ``role``; None: if it may do nothing at all."""
        if not self._roles:
            self._access.check(self._address)  # says what to do about it
        if role is not None and role not in self._roles:
            raise Refused(f"this needs a token with the role '{role.value}'")


FREE = 3
"""Wrong tokens that cost no time: people mistype."""
FIRST = 1.0
"""Seconds that the next one costs; each further one costs twice as much …"""
LONGEST_DELAY = 900.0
"""… up to this, s."""
FORGOTTEN = 3600.0
"""Seconds without a wrong token after which earlier ones are forgotten; a right one forgives none,
or whoever has one could guess at others' between two uses of it."""
REMEMBERED = 4096
"""Addresses that are remembered; beyond that, the one that has been quiet longest is forgotten."""


class LoginThrottle:
    """Who showed wrong tokens, how many, and until when nobody listens to them."""

    def __init__(self) -> None:
        """Start with nobody."""
        self._failures: OrderedDict[str, tuple[int, float]] = OrderedDict()
        """How many, and until when nobody listens."""

    def wait(self, who: str, now: float) -> float:
        """Return how many seconds ``who`` is not listened to any more; 0: may speak."""
        _, until = self._failures.get(who, (0, now))
        return max(0.0, until - now)

    def failed(self, who: str, now: float) -> int:
        """Count a wrong token of ``who``; return how many there were."""
        before, until = self._failures.pop(who, (0, now))
        count = 1 if now - until > FORGOTTEN else before + 1
        self._failures[who] = (count, now + _pause(count))
        if len(self._failures) > REMEMBERED:
            self._failures.popitem(last=False)
        return count


def _pause(count: int) -> float:
    """Return how long (s) nobody listens after ``count`` wrong tokens."""
    if count <= FREE:
        return 0.0
    doublings = min(count - FREE - 1, 60)  # beyond, the number would not fit
    return min(LONGEST_DELAY, FIRST * 2.0**doublings)


VARIABLE = "GROUSER_TOKEN"
"""Environment variable that holds one token, good for everything."""
SHORTEST = 12
"""Characters that a token needs at least."""
HOW = (
    f"set one with --token-file FILE (a line 'all: SECRET', {SHORTEST} characters or more) "
    f"or the environment variable {VARIABLE}"
)
"""What to do about a missing token, at the server."""

_COMMENT = re.compile(r"(?:^|\s)#")  # inside a word it is part of a secret

_LOG = logging.getLogger(__name__)


class Role(Enum):
    """What somebody may do."""

    DRIVE = "drive"
    """Have a robot."""
    CONTROL = "control"
    """Change the world: the console, CONTROL."""
    WATCH = "watch"
    """See pictures and the ground truth."""
    DRAW = "draw"
    """Draw the pictures on another machine; who does knows the whole world and all keys."""


EVERYTHING = frozenset(Role)


@dataclass(frozen=True)
class Token:
    """A secret and what it is good for."""

    secret: str = field(repr=False)
    roles: frozenset[Role] = EVERYTHING

    def __post_init__(self) -> None:
        if len(self.secret) < SHORTEST:
            raise BadValue(
                f"a token is {len(self.secret)} characters long, must be {SHORTEST} or more, "
                "plain ASCII without blanks"
            )
        if not all(33 <= ord(c) < 127 for c in self.secret):
            raise BadValue("a token holds a letter beyond ASCII or a blank, must be without blanks")
        if set("{}") & set(self.secret):
            raise BadValue("a token holds a brace, which no line of the wire can carry")


def loopback(host: str) -> bool:
    """Return whether only this machine is at ``host`` (an address, or ``localhost``)."""
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
    """Return all tokens that were set.

    Args:
        file: a token file.
        given: one that is good for everything, from a program's own settings.
        environment: where ``GROUSER_TOKEN`` may be.
    """
    known = [] if file is None else list(_from_file(Path(file)))
    for where, secret in (("token", given), (VARIABLE, environment.get(VARIABLE))):
        if secret:
            known.append(_token(where, secret, EVERYTHING))
    return tuple(known)


class AccessControl:
    """Lets people in, or says why not; one for all ports of a server."""

    def __init__(
        self,
        tokens: Iterable[Token],
        host: str,
        *,
        clock: Callable[[], float],
        login_hint: str = "",
        log: ClientLog | None = None,
    ) -> None:
        """Guard a server that listens at ``host``.

        Args:
            tokens: who may come in.
            host: the address that the ports are bound to.
            clock: wall time, s.
            login_hint: how a client shows its token; clients without one are sent it.
            log: where wrong tokens are noted; None: in one of its own.

        Raises:
            Refused: others can reach ``host``, and there is no token.
        """
        # Digests are equally long, so comparing them tells nothing of a secret's length.
        self._known = tuple((_digest(token.secret), token.roles) for token in tokens)
        self._throttle = LoginThrottle()
        self._clock = clock
        self.log = log or ClientLog(clock)
        """Where what clients do is noted."""
        self._login_hint = f": {login_hint}" if login_hint else ""
        if not self._known and not loopback(host):
            raise Refused(f"serving at '{host}' lets other machines in, which takes a token: {HOW}")

    @property
    def needs_token(self) -> bool:
        """Whether a token is needed."""
        return bool(self._known)

    def check(self, address: str, token: str | None = None) -> frozenset[Role]:
        """Return what somebody at ``address`` who shows ``token`` may do.

        Args:
            address: the far side's host, as the socket says it.
            token: None or empty: none was shown, which is no attempt at guessing.

        Raises:
            Refused: may not come in; one sentence for the client.
        """
        if not self._known:
            if loopback(address):
                return EVERYTHING
            raise Refused(f"this server lets no other machine in; its owner can: {HOW}")
        if not token:
            raise Refused(f"this server demands a token{self._login_hint}")
        who, now = network(address), self._clock()
        if (wait := self._throttle.wait(who, now)) > 0:
            raise Refused(f"too many wrong tokens from {who}: try again in {wait:.0f} s")
        if roles := self._roles(token):
            return roles  # what was guessed before still counts: one token must not buy others
        failures = self._throttle.failed(who, now)
        self.log.warning(_LOG, address, f"wrong token ({failures} so far)")
        raise Refused("this token is not one of the server's; ask its owner for yours")

    def _roles(self, token: str) -> frozenset[Role]:
        """Return the roles of ``token``, none for a wrong one, in the same time for all."""
        digest, roles = _digest(token), frozenset[Role]()
        for known, these in self._known:
            if hmac.compare_digest(digest, known):
                roles |= these
        return roles


def network(address: str) -> str:
    """Return what one person has: an IPv4 address, but 64 bits of an IPv6 one."""
    known = _address(address)
    if isinstance(known, ipaddress.IPv6Address) and not known.is_loopback:
        return str(ipaddress.IPv6Network((int(known) >> 64 << 64, 64)))
    return str(known or address)


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return ``host`` as an address, one of IPv4 inside IPv6 as IPv4; None: it is a name."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def _from_file(path: Path) -> Iterable[Token]:
    """Yield the tokens of a file; errors name the line, never what is in it."""
    try:
        text = path.read_text("utf-8")
        mode = path.stat().st_mode
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise BadValue(f"{path}: cannot be read as a token file ({why})") from None
    if os.name == "posix" and mode & (stat.S_IROTH | stat.S_IWOTH):
        _LOG.warning("%s: everybody on this machine can open it; use chmod 600", path)
    empty = True
    for number, line in enumerate(text.splitlines(), 1):
        if entry := _COMMENT.split(line)[0].strip():
            empty = False
            yield _entry(f"{path} line {number}", entry)
    if empty:
        raise BadValue(f"{path}: holds no token, a line 'drive watch: SECRET' is needed")


def _entry(where: str, entry: str) -> Token:
    words, colon, secret = entry.partition(":")
    allowed = {role.value: frozenset({role}) for role in Role} | {"all": EVERYTHING}
    names = words.replace(",", " ").lower().split()
    if not colon or not names or not set(names) <= allowed.keys():
        # A word that is like no role may be a secret in the wrong place, and is not repeated.
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
