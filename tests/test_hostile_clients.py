"""Hostile clients of a running server: they delay themselves only."""

import contextlib
import os
import platform
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.certificates import CertificateFiles
from support.server_fixtures import (
    CONTROL_ONLY,
    TIMEOUT,
    ServerProcess,
    environment,
    pipe,
    wait_until,
)

from grouser.client.connection import join
from grouser.client.pictures import watch
from grouser.errors import WorldFileError
from grouser.protocol.usarsim.extensions import Notice
from grouser.world.file import MOST, load

TOKEN = "quite-a-secret-token"
RENDERER = "good-for-drawing-only"
SLIP = "mistyped-secret-word"


def time_of(served: ServerProcess) -> float:
    return float(served.console("time").split()[0])


# -- ports -----------------------------------------------------------------------------------


def test_silent_unauthenticated_connections_use_little_memory_and_lock_out_no_client(
    tmp_path: Path, certificate_files: CertificateFiles
) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text(f"all: {TOKEN}\n")
    tokens.chmod(0o600)
    safe = (
        "--certificate",
        str(certificate_files.certificate),
        "--key",
        str(certificate_files.key),
    )
    options = (*CONTROL_ONLY, "--token-file", str(tokens), *safe, "-v")
    with (
        ServerProcess(tmp_path, "pioneer_room", *options) as served,
        contextlib.ExitStack() as stack,
    ):
        port, before = served.ports["control"], served.rss
        for _ in range(300):
            wire = stack.enter_context(socket.socket())
            wire.bind(("127.0.0.2", 0))  # another address than that of the client
            wire.connect(("127.0.0.1", port))
        for _ in range(20):  # these never finish the TLS handshake
            wire = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            wire.sendall(b"\x16")
        with join(
            "P3AT", port=port, token=TOKEN, tls=certificate_files.certificate, timeout=TIMEOUT
        ) as robot:
            assert robot.geometry()
        assert served.rss - before < 30e6
        assert len(served.log) < 20_000


# -- lockstep --------------------------------------------------------------------------------


def test_stalled_client_is_logged_and_dropped_from_lockstep_after_timeout(tmp_path: Path) -> None:
    options = (*CONTROL_ONLY, "--longest-wait", "2", "-v")
    with (
        ServerProcess(tmp_path, "pioneer_room", *options) as served,
        served.join("P3AT", "Sleeper", at=(0, 0, 0)) as sleeper,
    ):
        sleeper.lockstep(0.1)
        sleeper.turn()
        begin = time_of(served)
        assert served.console("waits") == "Sleeper"
        wait_until(lambda: time_of(served) > begin)
        assert served.console("waits") == "none"
        notices = (received for received in sleeper.listen() if isinstance(received, Notice))
        assert "removed from lockstep" in next(one.text for one in notices if one.kind == "Dropped")
        assert "waiting for the turn of 'Sleeper' to end" in served.log
        assert "its turn took over 2 s" in served.log
        sleeper.drive(1.0, 1.0)  # the client still owns its robot


# -- cost ------------------------------------------------------------------------------------

CREATE = "CONTROL {{Type Create}} {{ClassName Crate}} {{Name made{0}}} {{Location {0},0,-1}}\r\n"


def test_requests_of_a_closed_socket_are_dropped(tmp_path: Path) -> None:
    with (
        ServerProcess(tmp_path, "pioneer_room", *CONTROL_ONLY) as served,
        served.join("P3AT", "Quiet", at=(0, 0, 0)),
    ):
        with served.open_socket() as wire:
            lines = "INIT {ClassName USARBot.WorldController}\r\n"
            wire.sendall((lines + "".join(CREATE.format(n) for n in range(180))).encode())
            wait_until(lambda: "made0 " in served.console("list objects"))
        lists: list[str] = []

        def are_removed() -> bool:
            lists.append(served.console("list objects"))
            return "made" not in lists[-1]

        wait_until(are_removed)
        assert not any("made179" in objects for objects in lists), "all requests were processed"
        before = time_of(served)
        wait_until(lambda: time_of(served) > before + 0.5)


GROW_AND_FREE = """
import sys
from pathlib import Path
import numpy as np
from grouser.gateways.malloc import release_large_blocks

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

np.ones(2**20)  # freed at once: glibc raises its threshold
if sys.argv[1] == "set":
    release_large_blocks()
before, kept, large = resident(), [], []
for _ in range(40):
    large.append(np.ones(2**17))
    kept.append(np.ones(2**12))  # stays, above the large block
large.clear()
print(resident() - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the setting is one of glibc")
def test_freed_models_return_to_the_system() -> None:
    sizes = {}
    for setting in ("set", "default"):
        command = [sys.executable, "-c", GROW_AND_FREE, setting]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        sizes[setting] = int(done.stdout)
    assert sizes["set"] < 8e6, "the retained blocks have 1.3 MB"
    assert sizes["default"] > 30e6, "otherwise the setting is not needed"


# -- render workers --------------------------------------------------------------------------


def test_render_worker_uses_its_own_token_and_tls_and_leaves_no_files(
    tmp_path: Path, certificate_files: CertificateFiles
) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text(f"all: {TOKEN}\ndraw: {RENDERER}\n")
    tokens.chmod(0o600)
    safe = (
        "--certificate",
        str(certificate_files.certificate),
        "--key",
        str(certificate_files.key),
    )
    ports = ("--images", "0", "--truth", "-1", "--eyes", "0", "--eye-processes", "0")
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    with ServerProcess(
        tmp_path, "pioneer_room", *ports, "--token-file", str(tokens), *safe, token=TOKEN
    ) as served:
        command = [sys.executable, "-m", "grouser", "eyes", "--port", "0", *safe]
        command += [
            "--server",
            f"127.0.0.1:{served.ports['eyes']}",
            "--trust",
            str(certificate_files.certificate),
        ]
        worker = subprocess.Popen(
            [*command, "--token", RENDERER],
            stdout=subprocess.PIPE,
            text=True,
            env=environment() | {"TMPDIR": str(temporary)},
            start_new_session=True,
        )
        try:
            output = pipe(worker.stdout).readline()
            port = int(output.rsplit(":", 1)[1])
            assert "accepted this render worker" in pipe(worker.stdout).readline()
            where: dict[str, Any] = {
                "port": served.ports["control"],
                "token": TOKEN,
                "tls": certificate_files.certificate,
            }
            with (
                join("P3AT", timeout=TIMEOUT, **where) as robot,
                watch(robot, port=port) as pictures,
            ):
                # The image comes from the port of the worker, over TLS as well.
                assert pictures.take(timeout=TIMEOUT).shape[2] == 3
            assert list(temporary.iterdir()), "files of the world"
        finally:
            worker.send_signal(signal.SIGTERM)
            assert worker.wait(TIMEOUT) == 0
            pipe(worker.stdout).close()
        assert not list(temporary.iterdir())
        with pytest.raises(ProcessLookupError):  # no process of its session remains
            os.killpg(worker.pid, 0)


# -- secrets and old clients -----------------------------------------------------------------


def test_mistyped_token_is_not_logged(tmp_path: Path) -> None:
    slips = (
        f"LOGN {{Token {SLIP}}}",
        f"LOGIN {SLIP}",
        SLIP,
        f"INIT {{ClassName {SLIP}}}",
        f"INIT {{ClassName P3AT}} {{Battery {SLIP}}}",
        f"LOGIN {{Tokne {SLIP}}}",
    )
    ports = ("--images", "0", "--truth", "0", "--eyes", "0", "--eye-processes", "0")
    with ServerProcess(tmp_path, "pioneer_room", *ports, "-vv", token=TOKEN) as served:
        for port in ("control", "truth", "images", "eyes"):
            for slip in slips:
                with served.open_socket(port) as wire:
                    wire.sendall(f"{slip}\r\n".encode())
                    wire.settimeout(0.1)
                    with contextlib.suppress(OSError):
                        wire.recv(4096)
        with served.connect() as client:
            client.console("time")
        assert SLIP not in served.log


def test_radio_messages_are_not_sent_to_old_clients(tmp_path: Path) -> None:
    with (
        ServerProcess(tmp_path, "pioneer_room", *CONTROL_ONLY) as served,
        served.join("P3AT", "Talker", at=(0, 0, 0)) as talker,
        served.open_socket() as old,
    ):
        old.sendall(b"INIT {ClassName USARBot.P3AT} {Name Old} {Location 1.5,1.5,0}\r\n")
        wait_until(lambda: "Old " in served.console("list robots"))
        received = b""
        for _ in range(20):
            talker.transmit(b"x" * 100)
        wait_until(lambda: talker.console("time"))
        old.settimeout(TIMEOUT)
        while received.count(b"STA ") < 5:  # several states after the radio messages
            received += old.recv(65536)
    assert b"RADIO" not in received


# -- console input ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["nothing", "closed", "pipe"])
def test_console_input_does_not_block_a_server(tmp_path: Path, kind: str) -> None:
    command = [sys.executable, "-m", "grouser", "serve", "pioneer_room", "--console", "--port", "0"]
    command += [*CONTROL_ONLY, "--seconds", "1.0"]
    how = {"nothing": subprocess.DEVNULL, "closed": None, "pipe": subprocess.PIPE}[kind]
    if kind == "closed":
        command = ["sh", "-c", 'exec "$@" <&-', "sh", *command]
    with subprocess.Popen(
        command, stdin=how, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    ) as process:
        if kind == "pipe":
            pipe(process.stdin).write(b"list robots\ntim")  # then an incomplete line
            pipe(process.stdin).flush()
        assert process.wait(TIMEOUT) == 0
        output = pipe(process.stdout).read().decode()
        assert pipe(process.stderr).read() == b""
    assert "listening" in output
    assert ("pioneer" in output.partition("\n")[2]) == (kind == "pipe")


# -- files -----------------------------------------------------------------------------------

BASE = "name: x\nphysics: {timestep: 0.001}\nterrain: [{kind: flat, friction: 0.8}]\n"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("name: " + "[" * 200_000, "nested more than 50 deep"),
        (
            BASE + "objects:\n" + "- {kind: box, size: [1, 1, 1]}\n" * 20_000,
            f"objects: more than {MOST['objects']}",
        ),
        (
            BASE + "robots:\n" + "- {name: a, kind: quince}\n" * 2_000,
            f"robots: more than {MOST['robots']}",
        ),
        ("name: x\ndescription: " + "x" * 10_000_000, "is larger than 8,000,000 bytes"),
        (BASE.replace("0.001", "1e-300"), "timestep is 1e-300, must be at least 1e-06"),
    ],
    ids=["brackets", "boxes", "robots", "long", "short step"],
)
def test_huge_world_file_is_refused_within_a_second_of_processor_time(
    tmp_path: Path, text: str, complaint: str
) -> None:
    path = tmp_path / "huge.yaml"
    path.write_text(text)
    begin = time.process_time()
    with pytest.raises(WorldFileError, match=complaint):
        load(path)
    assert time.process_time() - begin < 1.0


def file_size_limit(most: int) -> Callable[[], None]:
    """Return a function that limits files of this process to ``most`` bytes, like a full disk."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    return limit


@pytest.mark.parametrize(("option", "file"), [("--video", "v.mp4"), ("--picture", "p.png")])
def test_full_disk_is_reported_in_one_sentence_after_the_table(
    tmp_path: Path, option: str, file: str
) -> None:
    if option == "--video":
        pytest.importorskip("cv2")
    target = tmp_path / file
    command = [sys.executable, "-m", "grouser", "run", "pioneer_room", "--seconds", "0.4"]
    ran = subprocess.run(
        [*command, option, str(target), "--size", "320x240"],
        capture_output=True,
        text=True,
        env=environment(),
        cwd=tmp_path,
        preexec_fn=file_size_limit(2000),
    )
    assert ran.returncode != 0
    assert "pioneer" in ran.stdout
    assert "wrote" not in ran.stdout
    assert "Traceback" not in ran.stderr
    assert ran.stderr.count("grouser:") == 1
    assert file in ran.stderr
    assert not list(tmp_path.iterdir())
