"""Access control: loopback, tokens, roles, wrong tokens, TLS."""

import asyncio
import logging
import shutil
import ssl
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grouser.errors import BadValue, Refused
from grouser.service.access import (
    ALL_ROLES,
    FORGIVEN_AFTER,
    FREE_ATTEMPTS,
    LONGEST_DELAY,
    REMEMBERED,
    AccessControl,
    Login,
    LoginThrottle,
    Role,
    Token,
    is_loopback,
    network,
    parse_roles,
    tokens,
)
from grouser.service.outbox import Outbox
from grouser.tls import client_hint, fingerprint, server_context

SECRET, OTHER = "correct-horse-battery", "another-long-secret"


class Clock:
    """Wall clock that the test advances."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def access(clock: Clock) -> AccessControl:
    known = [Token(SECRET), Token(OTHER, frozenset({Role.WATCH}))]
    return AccessControl(known, "0.0.0.0", login_hint="say LOGIN", clock=clock)


def refusal(access: AccessControl, address: str, shown: str) -> str:
    """Return the text of the rejection by ``access``."""
    with pytest.raises(Refused) as caught:
        access.check(address, shown)
    return str(caught.value)


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("127.0.0.1", True),
        ("127.3.2.1", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("localhost", True),
        ("LocalHost", True),
        ("", False),
        ("0.0.0.0", False),
        ("::", False),
        ("::ffff:10.0.0.1", False),
        ("192.168.1.5", False),
        ("fe80::1%eth0", False),
        ("localhost.example.org", False),
        ("1.0.0.127", False),
    ],
)
def test_loopback_addresses_are_recognised(host: str, here: bool) -> None:
    assert is_loopback(host) is here


def test_loopback_client_has_all_roles_without_tokens() -> None:
    access = AccessControl([], "127.0.0.1", clock=time.monotonic)
    assert access.is_open
    assert access.open_roles("10.0.0.1") == set()
    assert access.check("127.0.0.1") == ALL_ROLES
    assert access.check("::ffff:127.0.0.1", "any text") == ALL_ROLES
    with pytest.raises(Refused, match="--token-file"):
        access.check("10.0.0.1")


@pytest.mark.parametrize("host", ["0.0.0.0", "", "::", "192.168.1.5", "robots.example.org"])
def test_server_beyond_loopback_does_not_start_without_a_token(host: str) -> None:
    with pytest.raises(Refused, match="--token-file FILE.*GROUSER_TOKEN"):
        AccessControl([], host, clock=time.monotonic)


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "10.0.0.7"])
def test_every_address_needs_a_token_where_tokens_are_set(
    access: AccessControl, address: str
) -> None:
    assert not access.is_open
    assert access.open_roles(address) == set()
    for shown in (None, ""):
        with pytest.raises(Refused, match="LOGIN"):
            access.check(address, shown)
    with pytest.raises(Refused, match="not one of the server's"):
        access.check(address, SECRET + "x")
    assert access.check(address, SECRET) == ALL_ROLES
    assert access.check(address, OTHER) == {Role.WATCH}


@given(st.text(st.characters(codec=None), max_size=40))
def test_any_other_text_is_rejected(shown: str) -> None:
    access = AccessControl([Token(SECRET)], "0.0.0.0", clock=time.monotonic)
    if shown != SECRET:
        with pytest.raises(Refused):
            access.check("10.0.0.7", shown)


def test_delay_doubles_with_each_wrong_token_for_its_address_only(
    access: AccessControl, clock: Clock
) -> None:
    waits = []
    for _ in range(FREE_ATTEMPTS + 12):
        start = clock.now
        while "too many" in refusal(access, "10.0.0.7", "wrong"):
            assert access.check("10.0.0.8", SECRET) == ALL_ROLES
            clock.now += 0.5
        waits.append(clock.now - start)
    assert waits[: FREE_ATTEMPTS + 1] == [0.0] * (FREE_ATTEMPTS + 1)
    assert waits[FREE_ATTEMPTS + 1 :] == [min(LONGEST_DELAY, 2.0**n) for n in range(11)]


def test_right_token_is_rejected_during_the_delay(access: AccessControl, clock: Clock) -> None:
    for _ in range(FREE_ATTEMPTS + 1):
        assert "not one" in refusal(access, "10.0.0.7", "wrong")
    with pytest.raises(Refused, match="too many wrong tokens from 10.0.0.7: try again in 1 s"):
        access.check("10.0.0.7", SECRET)
    clock.now += 1.5
    assert access.check("10.0.0.7", SECRET) == ALL_ROLES
    with pytest.raises(Refused, match="not one"):
        access.check("10.0.0.7", "wrong")
    with pytest.raises(Refused, match="try again in 2 s"):  # a right token does not reset the count
        access.check("10.0.0.7", SECRET)
    clock.now += FORGIVEN_AFTER + 3
    with pytest.raises(Refused, match="not one"):
        access.check("10.0.0.7", "wrong")
    assert access.check("10.0.0.7", SECRET) == ALL_ROLES, "old attempts are forgotten"


def test_open_roles_are_those_of_this_machine_without_a_token() -> None:
    drive, referee = frozenset({Role.DRIVE}), Token(SECRET, frozenset({Role.WATCH}))
    closed = AccessControl([], "127.0.0.1", clock=time.monotonic, open_roles=drive)
    for shown in (None, "any text"):
        assert closed.check("::1", shown) == drive
    login = Login(closed, "127.0.0.1")
    login.require(Role.DRIVE)
    with pytest.raises(Refused, match="role 'watch', and this server isolates.*--open watch or"):
        login.require(Role.WATCH)
    mixed = AccessControl([referee], "0.0.0.0", clock=time.monotonic, open_roles=drive)
    assert mixed.check("127.0.0.1") == drive
    assert not Login(mixed, "10.0.0.7")
    with pytest.raises(Refused, match="demands"):
        mixed.check("10.0.0.7")
    login = Login(mixed, "127.0.0.1")
    login.show(SECRET)
    login.require(Role.DRIVE)
    login.require(Role.WATCH)
    with pytest.raises(Refused, match="not one"):
        login.show(SECRET + "x")


@pytest.mark.parametrize("text", ["", "al", "drive,wach"])
def test_unknown_open_role_is_reported(text: str) -> None:
    with pytest.raises(BadValue, match="--open is '.*', must be roles from drive, control"):
        parse_roles("--open", text)
    assert parse_roles("--open", "Drive, watch") == {Role.DRIVE, Role.WATCH}
    assert parse_roles("--open", "all") == ALL_ROLES


def test_missing_token_is_not_counted_as_wrong(access: AccessControl) -> None:
    for _ in range(100):
        with pytest.raises(Refused, match="demands"):
            access.check("10.0.0.7")
    assert access.check("10.0.0.7", SECRET) == ALL_ROLES


def test_ipv6_addresses_of_one_network_are_counted_together() -> None:
    assert network("2001:db8::1") == network("2001:db8::ffff:1") == "2001:db8::/64"
    assert network("2001:db8::1") != network("2001:db8:0:1::1")
    assert network("::ffff:10.0.0.1") == network("10.0.0.1") == "10.0.0.1"


def test_number_of_remembered_addresses_is_limited() -> None:
    attempts = LoginThrottle()
    for number in range(REMEMBERED + 10):
        attempts.count_failure(str(number), 0.0)
    assert len(attempts._failures) == REMEMBERED


def test_wrong_tokens_are_logged_without_any_token(
    access: AccessControl, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with pytest.raises(Refused) as refusal:
        access.check("10.0.0.7", "almost-" + SECRET)
    access.check("10.0.0.7", SECRET)
    assert "10.0.0.7: wrong token" in caplog.text
    assert SECRET not in caplog.text + str(refusal.value) + repr(Token(SECRET)) + repr(vars(access))


# -- sources of tokens -----------------------------------------------------------------------


def test_token_file_holds_several_tokens_with_roles(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    path.write_text(f"# ours\n\ndrive watch: {SECRET}  # the team\nall:{OTHER}\n")
    path.chmod(0o600)
    assert tokens(path, environment={}) == (
        Token(SECRET, frozenset({Role.DRIVE, Role.WATCH})),
        Token(OTHER),
    )


def test_token_may_contain_a_hash_sign(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    path.write_text("all: has#and:in-it\t# a comment\n")
    assert tokens(path, environment={}) == (Token("has#and:in-it"),)


def test_token_of_environment_or_program_has_all_roles(tmp_path: Path) -> None:
    assert tokens(environment={"GROUSER_TOKEN": SECRET}) == (Token(SECRET),)
    assert tokens(given=SECRET, environment={}) == (Token(SECRET),)
    assert tokens(environment={"GROUSER_TOKEN": ""}) == ()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "holds no token"),
        (f"{SECRET}\n", "line 1: must be 'ROLE ROLE: SECRET'"),
        (
            f"\ndrvie: {SECRET}\n",
            "line 2: .*drive, control, watch, draw, all.*did you mean 'drive'",
        ),
        (f"{SECRET}: drive\n", "line 1: .*drive, control, watch, draw, all$"),
        (f": {SECRET}\n", "line 1"),
        ("drive: short\n", "line 1: a token is 5 characters long, must be 12 or more"),
        ("drive: has a blank inside\n", "without blanks"),
        ("drive: has{a}brace-in-it\n", "brace"),
    ],
)
def test_error_in_a_token_file_is_reported_without_the_secret(
    tmp_path: Path, text: str, complaint: str
) -> None:
    path = tmp_path / "tokens"
    path.write_text(text)
    with pytest.raises(BadValue, match=complaint) as error:
        tokens(path, environment={})
    assert SECRET not in str(error.value)


def test_missing_token_file_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match=r"cannot be read as a token file \(there is no such file"):
        tokens(tmp_path / "none", environment={})


def test_binary_token_file_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadValue, match="is not UTF-8 text"):
        tokens(path, environment={})


@pytest.mark.parametrize(("mode", "warned"), [(0o600, False), (0o640, False), (0o644, True)])
def test_world_readable_token_file_is_warned_about(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, mode: int, warned: bool
) -> None:
    path = tmp_path / "tokens"
    path.write_text(f"all: {SECRET}\n")
    path.chmod(mode)
    tokens(path, environment={})
    assert ("chmod 600" in caplog.text) is warned


# -- TLS -------------------------------------------------------------------------------------

needs_openssl = pytest.mark.skipif(not shutil.which("openssl"), reason="makes its certificates")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two self-signed certificates with their keys, and the first key encrypted."""
    folder = tmp_path_factory.mktemp("tls")
    for name in ("one", "two"):
        request = (
            f"req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN={name}"
        )
        more = ["-addext", "subjectAltName=IP:127.0.0.1"]
        out: list[str | Path] = ["-keyout", folder / f"{name}.key", "-out", folder / f"{name}.pem"]
        subprocess.run(["openssl", *request.split(), *more, *out], check=True, capture_output=True)
    locked: list[str | Path] = ["-aes256", "-passout", "pass:secret", "-out", folder / "locked.key"]
    command: list[str | Path] = ["openssl", "pkey", "-in", folder / "one.key", *locked]
    subprocess.run(command, check=True, capture_output=True)
    return folder


@needs_openssl
def test_client_that_trusts_the_certificate_is_served_over_tls(files: Path) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.readline())
        await writer.drain()
        writer.close()

    async def run() -> bytes:
        context = server_context(files / "one.pem", files / "one.key")
        server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
        port = server.sockets[0].getsockname()[1]
        trusting = ssl.create_default_context(cafile=files / "one.pem")
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=trusting)
        writer.write(b"INIT\n")
        received = await reader.readline()
        writer.close()
        untrusting = ssl.create_default_context(cafile=files / "two.pem")
        with pytest.raises(ssl.SSLCertVerificationError):
            await asyncio.open_connection("127.0.0.1", port, ssl=untrusting)
        server.close()
        return received

    assert asyncio.run(run()) == b"INIT\n"


MANY = 2000
"""Number of lines, 16 MB together: more than the buffers of a socket hold."""


class Sender(asyncio.Protocol):
    """Server side that sends more than a client reads at once."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.outbox = Outbox(transport, 2**25)
        for number in range(MANY):
            self.outbox.line(b"%8192d\n" % number)
        self.waited = self.outbox.waiting

    def resume_writing(self) -> None:
        self.outbox.flush()


@needs_openssl
def test_slow_reader_receives_all_lines_over_tls(files: Path) -> None:
    async def run() -> list[int]:
        loop = asyncio.get_running_loop()
        context = server_context(files / "one.pem", files / "one.key")
        sender = Sender()
        server = await loop.create_server(lambda: sender, "127.0.0.1", 0, ssl=context)
        port = server.sockets[0].getsockname()[1]
        trusting = ssl.create_default_context(cafile=files / "one.pem")
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=trusting)
        received = [int(await reader.readline()) for _ in range(MANY)]
        writer.close()
        server.close()
        assert sender.waited > 0, "no line had to wait"
        assert sender.outbox.waiting == sender.outbox.dropped == 0
        return received

    assert asyncio.run(run()) == list(range(MANY))


@needs_openssl
@pytest.mark.parametrize(
    ("certificate", "key", "complaint"),
    [
        ("none.pem", "one.key", "none.pem: cannot be read"),
        ("one.pem", "none.key", "none.key: cannot be read"),
        ("one.key", "one.key", "one.key: is no certificate"),
        ("one.pem", None, "one.pem: holds no private key"),
        ("one.pem", "two.key", "do not match"),
        ("one.pem", "locked.key", "is encrypted"),
    ],
)
def test_wrong_certificate_or_key_is_reported_in_one_sentence(
    files: Path, certificate: str, key: str | None, complaint: str
) -> None:
    with pytest.raises(BadValue, match=complaint):
        server_context(files / certificate, files / key if key else None)


@needs_openssl
def test_hint_contains_the_fingerprint_of_openssl(files: Path) -> None:
    certificate = str(files / "one.pem")
    command = ["openssl", "x509", "-in", certificate, "-noout", "-fingerprint", "-sha256"]
    shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert shown.strip().endswith(fingerprint(files / "one.pem"))
    assert fingerprint(files / "one.pem") in client_hint(files / "one.pem")
