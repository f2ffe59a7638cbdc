"""Unauthenticated clients of a running server: tokens, TLS, floods, connection limits."""

import contextlib
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.certificates import CertificateFiles
from support.client_helpers import instance_of
from support.narrowing import not_none
from support.server_fixtures import (
    CONTROL_ONLY,
    TIMEOUT,
    ServerProcess,
    ground_truth,
    pipe,
    wait_until,
)
from typer.testing import CliRunner

from grouser.cli import app
from grouser.client.connection import RemoteRobot
from grouser.client.pictures import watch
from grouser.errors import Disconnected, GrouserError, Refused
from grouser.protocol.usarsim.commands import GetStartPoses, StartPoses
from grouser.protocol.usarsim.geo_conf import RobotGeometry
from grouser.protocol.usarsim.sensor_messages import GroundTruth
from grouser.service.access import is_loopback

TOKEN = "quite-a-secret-token"
DRIVER = "good-for-driving-only"
GUESS = "a-guess-that-is-wrong"
LONGEST_EFFECT = 10.0
"""Longest time from a command to its effect, simulated s; below 1 s on an idle machine."""
PORTS = ("--images", "0", "--truth", "0", "--eyes", "0", "--eye-processes", "0")


def own_address() -> str | None:
    """Return an address of this machine other than loopback, or None; no packet is sent."""
    found = []
    with contextlib.suppress(OSError):
        found += socket.gethostbyname_ex(socket.gethostname())[2]
    with contextlib.suppress(OSError), socket.socket(type=socket.SOCK_DGRAM) as probe:
        probe.connect(("198.51.100.1", 9))
        found.append(probe.getsockname()[0])
    return next((address for address in found if not is_loopback(address)), None)


ADDRESS = own_address()
beyond = pytest.mark.skipif(ADDRESS is None, reason="this machine has only the loopback address")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """Return a server that is reachable from other machines, with two tokens."""
    folder = tmp_path_factory.mktemp("unauthenticated")
    tokens = folder / "tokens"
    tokens.write_text(f"drive: {DRIVER}\n")
    tokens.chmod(0o600)
    options = ("--token-file", str(tokens), "-v")
    with ServerProcess(
        folder, "pioneer_room", *PORTS, *options, token=TOKEN, host="0.0.0.0"
    ) as server:
        server.host = ADDRESS or "127.0.0.1"
        yield server


def answer(server: ServerProcess, port: str, data: bytes) -> bytes:
    """Send ``data`` to a port; return the answer until the server closes."""
    with server.open_socket(port) as wire:
        wire.sendall(data)
        wire.shutdown(socket.SHUT_WR)
        received = b""
        with contextlib.suppress(ConnectionResetError):
            while more := wire.recv(65536):
                received += more
        return received


# -- tokens -------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_server_beyond_loopback_does_not_start_without_a_token(host: str) -> None:
    command = ["serve", "pioneer_room", *CONTROL_ONLY, "--port", "0", "--host", host]
    ended = CliRunner().invoke(app, command, env={"GROUSER_TOKEN": None})
    assert ended.exit_code == 2
    output = " ".join(ended.stderr.split())
    assert "which needs a token" in output
    assert "--token-file" in output
    assert "GROUSER_TOKEN" in output


@beyond
def test_requests_without_a_token_are_refused_at_every_port(server: ServerProcess) -> None:
    before = _names(server)
    output = answer(
        server,
        "control",
        b"INIT {ClassName USARBot.P3AT} {Name Thief}\r\nDRIVE {Left 1} {Right 1}\r\n"
        b"GETSTARTPOSES\r\nGETCONF {Type Robot}\r\nCONSOLE {Line remove pioneer}\r\n"
        b"INIT {ClassName USARBotAPI.WorldController}\r\nCONTROL {Type KillAll}\r\n"
        b"RADIO {Data aGVsbG8=}\r\nLOCKSTEP {Every 0.1}\r\nSTEP\r\n",
    )
    greeting, *lines = output.splitlines()
    assert greeting.startswith(b"NFO {Gametype")
    assert all(line.startswith((b"NOTICE {Kind Refused}", b"RES")) for line in lines)
    assert b"this server demands a token" in output
    assert answer(server, "truth", b"{class P3AT}\r\n") == b""
    for request in (b"OK", b"U 0 0 10 10", b"key 00112233\nOK", b"token x\nOK"):
        assert answer(server, "images", request) == b""
    assert answer(server, "eyes", b"\x00" * 64) == b""
    assert _names(server) == before


def _names(server: ServerProcess) -> list[str]:
    output = server.console("list robots"), server.console("list objects")
    return [line.split()[0] for text in output for line in text.splitlines()]


@beyond
def test_wrong_token_is_refused_and_logged_without_its_text(server: ServerProcess) -> None:
    with pytest.raises(Refused, match="this token is not one of the server's"):
        server.join("P3AT", "Thief", token=GUESS)
    wait_until(lambda: f"{ADDRESS}: wrong token" in server.log)
    for secret in (GUESS, TOKEN, DRIVER):
        assert secret not in server.log
    with server.join(
        "P3AT", "Friend", at=(0, 0, 0)
    ) as robot:  # a single wrong token causes no delay
        assert instance_of(RobotGeometry, robot.geometry()).name == "P3AT"
    assert answer(server, "truth", f"{{token {TOKEN}}}\r\n{{name pioneer}}\r\n".encode())


@beyond
def test_token_grants_its_roles_only(server: ServerProcess) -> None:
    with server.join("P3AT", "Driver", at=(0, 0, 0), token=DRIVER) as robot:
        with pytest.raises(Refused, match="role 'control'"):
            robot.console("remove pioneer")
        robot.drive(1.0, 1.0)
        robot.reading("Odometry")
    assert answer(server, "truth", f"{{token {DRIVER}}}\r\n{{class P3AT}}\r\n".encode()) == b""
    with pytest.raises(Refused, match="role 'control'"):
        server.control(token=DRIVER)


def test_loopback_client_needs_a_token_where_tokens_are_set(server: ServerProcess) -> None:
    with pytest.raises(Refused, match="demands a token"):
        server.join("P3AT", "Thief", token=None, host="127.0.0.1")


@pytest.mark.slow  # waits for the time-out
def test_connection_without_token_is_rejected_after_timeout(server: ServerProcess) -> None:
    with contextlib.ExitStack() as stack:
        wires = [
            stack.enter_context(server.open_socket(port)) for port in ("control", *server.ports)
        ]
        wires[0].sendall(b"LOGIN {Tok")
        for wire in wires:
            received = b""
            with contextlib.suppress(ConnectionResetError):
                while more := wire.recv(4096):
                    received += more
            *_, last = received.splitlines() or [
                b"no token came within"
            ]  # other ports send nothing
            assert b"no token came within" in last


# -- TLS ----------------------------------------------------------------------------------------


def test_tls_end_to_end(tmp_path: Path, certificate_files: CertificateFiles) -> None:
    pem, key = certificate_files.certificate, certificate_files.key
    options = ("--certificate", str(pem), "--key", str(key))
    with ServerProcess(tmp_path, "pioneer_room", *CONTROL_ONLY, *options, token=TOKEN) as server:
        assert "SHA-256" in server.log
        with server.join("P3AT", "A", at=(0, 0, 0), tls=pem) as robot:
            assert process_of_server(server) == b""
            assert instance_of(RobotGeometry, robot.geometry()).name == "P3AT"
            assert robot.reading("Odometry")
        with server.connect(tls=pem) as client:  # many records in one packet
            for _ in range(200):
                client.send(GetStartPoses())
            client.console("time")
            assert sum(isinstance(received, StartPoses) for received in client.listen(0.1)) == 200
        with pytest.raises(GrouserError):  # not signed by a known authority
            server.connect(tls=True)
        with pytest.raises(Disconnected):  # without TLS no byte is sent
            server.connect(timeout=2)
        with server.open_socket() as stalled, server.connect(tls=pem) as client:
            stalled.sendall(b"\x16\x03\x01")  # an unfinished handshake
            assert client.console("list robots")


def test_remote_render_worker_draws_over_tls(
    tmp_path: Path, certificate_files: CertificateFiles
) -> None:
    pem, key = certificate_files.certificate, certificate_files.key
    options = ("--certificate", str(pem), "--key", str(key))
    with ServerProcess(tmp_path, "pioneer_room", *PORTS, *options, token=TOKEN) as server:
        with (
            server.join("P3AT", "A", at=(0, 0, 0), tls=pem) as robot,
            render_worker(server, "--trust", str(pem)) as worker,
            watch(robot, port=server.ports["images"]) as pictures,
        ):
            assert next(
                line for line in pipe(worker.stdout) if "accepted this render worker" in line
            )
            picture = pictures.take(timeout=TIMEOUT)  # the server itself renders nothing
            assert picture.shape == (240, 320, 3)
            assert picture.std() > 10, "the picture is not uniform"
        with render_worker(server) as worker:  # a worker that does not trust the certificate ends
            assert worker.wait(TIMEOUT) == 2
            assert "certificate" in pipe(worker.stdout).read()


@contextlib.contextmanager
def render_worker(server: ServerProcess, *options: str) -> Iterator[subprocess.Popen[str]]:
    """Run ``grouser render-worker`` for a server in a process."""
    command = (sys.executable, "-m", "grouser", "eyes", "--port", "0", *options)
    address = ("--server", f"{server.host}:{server.ports['eyes']}", "--token", TOKEN)
    with subprocess.Popen(
        (*command, *address), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as worker:
        try:
            yield worker
        finally:
            worker.terminate()


def process_of_server(server: ServerProcess) -> bytes:
    return answer(server, "control", b"INIT {ClassName USARBot.P3AT}\r\n" * 100)


# -- attacks ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def open_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(
        tmp_path_factory.mktemp("attacks"), "pioneer_room", *CONTROL_ONLY, "--speed", "2"
    ) as server:
        yield server


def oversize(server: ServerProcess, stop: threading.Event) -> None:
    """Send one endless line."""
    with server.open_socket() as wire:
        while not stop.is_set():
            wire.sendall(b"DRIVE {Left 1" + b"1" * 65536)


def flood(server: ServerProcess, stop: threading.Event) -> None:
    """Send queries at full speed without reading answers."""
    while not stop.is_set():
        with contextlib.suppress(OSError), server.open_socket() as wire:
            wire.settimeout(0.3)
            while not stop.is_set():
                wire.sendall(b"GETSTARTPOSES\r\nGETGEO {Type Robot}\r\nnonsense\r\n" * 100)


def half_open_connections(server: ServerProcess, stop: threading.Event) -> None:
    """Open 100 connections that send nothing or half a line."""
    with contextlib.ExitStack() as stack:
        for number in range(100):
            wire = stack.enter_context(server.open_socket())
            if number % 2:
                wire.sendall(b"INIT {ClassName USARBot.P3AT} {Na")
        stop.wait(TIMEOUT)


def reset_connections(server: ServerProcess, stop: threading.Event) -> None:
    """Reset connections in the middle of a line."""
    while not stop.is_set():
        with server.open_socket() as wire:
            wire.sendall(b"INIT {ClassName USARBot.P2DX} {Name R}\r\nDRIVE {Left 1} {Ri")
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        stop.wait(0.2)


@pytest.mark.parametrize("attack", [oversize, flood, half_open_connections, reset_connections])
def test_attack_does_not_delay_another_client(
    open_server: ServerProcess, attack: Callable[..., Any]
) -> None:
    stop = threading.Event()
    with open_server.join("P3AT", "Other", at=(-1, -1, 0)) as robot:
        _effect(robot)
        before = open_server.rss
        thread = threading.Thread(target=attack, args=(open_server, stop))
        thread.start()
        try:
            list(robot.listen(0.2))
            took = [_effect(robot) for _ in range(2)]
            stamps = [not_none(m.time) for m in robot.listen(0.4) if isinstance(m, GroundTruth)]
        finally:
            stop.set()
            thread.join()
        assert max(took) < LONGEST_EFFECT
        assert np.diff(stamps) == pytest.approx(0.2, abs=1e-6)
        assert open_server.rss - before < 5 * 2**20
        print(f"{attack.__name__}: {max(took):.2f} s to an effect")


def test_unauthenticated_flood_does_not_delay_another_client(server: ServerProcess) -> None:
    stop = threading.Event()
    crowd = [threading.Thread(target=flood, args=(server, stop)) for _ in range(10)]
    with server.join("P3AT", "Other", at=(-1, -1, 0)) as robot:
        before = server.rss
        for thread in crowd:
            thread.start()
        try:
            took = [_effect(robot) for _ in range(3)]
        finally:
            stop.set()
            for thread in crowd:
                thread.join()
        assert max(took) < LONGEST_EFFECT
        assert server.rss - before < 5 * 2**20


def _effect(robot: RemoteRobot) -> float:
    """Return the simulated seconds from a command to a reading (5 Hz) that shows its effect."""
    spin = -3.0 if ground_truth(robot).location[0] > -1 else 3.0
    begin = ground_truth(robot)
    robot.drive(spin, spin)
    while abs((now := ground_truth(robot)).location[0] - begin.location[0]) < 0.02:
        pass
    robot.stop()
    return not_none(now.time) - not_none(begin.time)


@pytest.mark.slow  # until the limit of unread bytes is exceeded
def test_slow_reader_loses_old_lines_and_does_not_delay_others(tmp_path: Path) -> None:
    with (
        ServerProcess(tmp_path, "pioneer_room", *CONTROL_ONLY, "--speed", "max") as server,
        server.join("P2DX", "Other", at=(-1, -1, 0)) as other,
        socket.socket() as slow,
    ):
        other.lockstep(0.5)
        times = [other.turn().time]
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.connect((server.host, server.ports["control"]))
        slow.settimeout(1.0)
        slow.sendall(b"INIT {ClassName USARBot.P3AT} {Name Slow} {Location -1,1,0}\r\n")
        wait_until(lambda: "Slow" in server.console("list robots"))
        before = server.rss
        received = []
        for _ in range(400):
            turn = other.step()
            times.append(turn.time)
            received += [not_none(m.time) for m in turn.messages if isinstance(m, GroundTruth)]
        grown = server.rss - before
        assert np.diff(times) == pytest.approx(0.5, abs=1e-6)
        assert np.diff(received) == pytest.approx(0.2, abs=1e-6)
        assert grown < 5 * 2**20
        stamps = _stamps(slow)
        assert max(np.diff(stamps)) > 1.0, "old lines were dropped"
        assert stamps[-1] > times[-1] - 1.0, "the newest were kept"
        assert np.all(np.diff(stamps) >= 0)
        print(f"slow reader: RSS grew by {grown / 2**20:.2f} MB in {times[-1]:.0f} s")


def _stamps(wire: socket.socket) -> list[float]:
    """Read all remaining lines; return the times of the ground truths."""
    data = b""
    with contextlib.suppress(TimeoutError):
        while more := wire.recv(65536):
            data += more
    lines = [line for line in data.split(b"\r\n") if b"GroundTruth" in line]
    return [float(line.split(b"{Time ")[1].split(b"}")[0]) for line in lines]


def test_full_server_refuses_until_a_connection_closes(tmp_path: Path) -> None:
    with ServerProcess(tmp_path, "pioneer_room", *CONTROL_ONLY, "--connections", "2") as server:
        with server.connect() as first, server.open_socket():
            assert b"there are 2 connections already" in answer(server, "control", b"")
            assert first.console("time")
        wait_until(lambda: b"NOTICE" not in answer(server, "control", b""))
