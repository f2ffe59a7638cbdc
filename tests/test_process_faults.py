"""Killed and stopped processes, full disks: nothing half-written, everything can be restarted."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.narrowing import not_none
from support.server_fixtures import (
    CONTROL_ONLY,
    TIMEOUT,
    ServerProcess,
    environment,
    ground_truth,
    wait_until,
)

from grouser.evaluation.trajectory import shipped_logs

OUTPUTS: dict[str, tuple[str, ...]] = {
    "sweep": ("sweep", "kenaf", "--over", "centre_x=-0.05,0.05", "--sizes", "100,150",
              "--json", "out/result.json"),
    "plan": ("plan", "bumps", "--from", "-1.6,0", "--to", "1.6,0", "--candidates", "2",
             "--trials", "1", "--rounds", "1", "--json", "out/result.json", "--report", "out/page"),
    "experiment": ("experiment", "roach-loop", "--quick", "--resume", "out/parts",
                   "--json", "out/result.json"),
    "run": ("run", "quince_step", "--seconds", "1", "--log", "out/log.csv",
            "--picture", "out/end.png"),
}  # fmt: skip
"""Commands that write files below ``out``."""

KILLS = 4
"""Kills of each command, at random moments."""


def start(words: Sequence[str], folder: Path, limit: int | None = None) -> subprocess.Popen[str]:
    """Start a command in a process group of its own; ``limit``: of the size of its files."""

    def restrict() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.Popen(
        [sys.executable, "-m", "grouser", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        preexec_fn=restrict,
        start_new_session=True,
    )


def visible_files(folder: Path) -> list[Path]:
    """Return the files below ``folder``; drafts, whose names begin with a dot, are left out."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return [p for p in found if not any(part.startswith(".") for part in p.parts[-2:])]


def assert_whole(folder: Path) -> None:
    """Check that every file below ``folder`` is complete."""
    for path in visible_files(folder):
        content = path.read_bytes()
        if path.suffix == ".json":
            json.loads(content)
        elif path.suffix == ".png":
            assert content.endswith(b"IEND\xaeB`\x82"), path
        elif path.suffix == ".html":
            assert content.rstrip().endswith(b"</html>"), path
        elif path.suffix == ".csv":
            rows = content.decode().splitlines()
            assert content.endswith(b"\n"), path
            assert len({row.count(",") for row in rows}) == 1, path


def child_processes(pid: int) -> list[int]:
    """Return all descendants of a process."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*"):
        for word in (task / "children").read_text().split():
            found += [int(word), *child_processes(int(word))]
    return found


def is_alive(pid: int) -> bool:
    """Return whether a process runs; one that has ended and waits for its parent does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def wait_until_dead(processes: Sequence[int]) -> None:
    wait_until(lambda: not any(map(is_alive, processes)))


@pytest.mark.slow
@pytest.mark.parametrize("name", OUTPUTS)
def test_killed_command_leaves_whole_files_and_can_be_restarted(name: str, tmp_path: Path) -> None:
    rng = random.Random(name)
    begin = time.monotonic()
    whole = start(OUTPUTS[name], tmp_path)
    _, errors = whole.communicate(timeout=10 * TIMEOUT)
    assert whole.returncode in (0, 1), errors
    assert "Traceback" not in errors
    duration = time.monotonic() - begin
    names = {path.relative_to(tmp_path) for path in visible_files(tmp_path / "out")}
    assert names
    for number in range(KILLS):
        folder = tmp_path / f"run{number}"
        folder.mkdir()
        for _ in range(2):  # the second start continues the first, where a command can
            process = start(OUTPUTS[name], folder)
            time.sleep(rng.uniform(0.2, 1.0) * duration)
            below = child_processes(process.pid) if process.poll() is None else []
            process.kill()
            process.communicate()
            assert_whole(folder)
            wait_until_dead(below)
    again = start(OUTPUTS[name], folder)
    _, errors = again.communicate(timeout=10 * TIMEOUT)
    assert again.returncode == whole.returncode, errors
    assert {path.relative_to(folder) for path in visible_files(folder / "out")} == names


@pytest.mark.slow
def test_killed_calibration_leaves_no_file_and_can_be_restarted(tmp_path: Path) -> None:
    log = next(iter(shipped_logs().values()))
    words = ("calibrate", str(log), "--world", "kenaf_edge_and_slope", "--robot", "kenaf",
             "--json", "out/result.json")  # fmt: skip
    for delay in (1.0, 3.0, 6.0):
        process = start(words, tmp_path)
        time.sleep(delay)
        below = child_processes(process.pid) if process.poll() is None else []
        process.kill()
        process.communicate()
        assert not visible_files(tmp_path / "out")
        wait_until_dead(below)


@pytest.mark.slow
@pytest.mark.parametrize("name", OUTPUTS)
def test_full_disk_is_one_sentence_and_leaves_no_file(name: str, tmp_path: Path) -> None:
    process = start(OUTPUTS[name], tmp_path, limit=64)
    output, errors = process.communicate(timeout=10 * TIMEOUT)
    assert process.returncode == 2, errors
    sentence = next(line for line in errors.splitlines() if line.startswith("grouser: "))
    assert "cannot be written (File too large)" in errors.replace("\n", " "), (sentence, output)
    assert "Traceback" not in errors
    assert not [path for path in (tmp_path / "out").rglob("*") if path.is_file()]


@pytest.mark.slow
@pytest.mark.parametrize("command", ["serve", "motors"])
def test_killed_server_frees_its_port_and_its_workers_end(
    command: str, yard_file: Path, tmp_path: Path
) -> None:
    place = str(yard_file) if command == "serve" else "kenaf_edge_and_slope"
    port = "0"
    for _ in range(3):
        server = ServerProcess(tmp_path, place, "--port", port, command=command)
        name = "control" if command == "serve" else "can"
        port = str(server.ports[name])  # the next server opens the same port
        with server.open_socket(name) as client:
            client.settimeout(TIMEOUT)
            assert client.recv(100)
            below = child_processes(server.process.pid)
            server.kill()
            while client.recv(65536):
                pass
        wait_until_dead(below)
    with (
        ServerProcess(tmp_path, place, "--port", port, command=command) as server,
        server.open_socket(name) as client,
    ):
        assert client.recv(100)


@pytest.mark.slow
def test_killed_bridge_stops_its_robot_and_can_be_restarted(
    yard_file: Path, tmp_path: Path
) -> None:
    with ServerProcess(tmp_path, yard_file, *CONTROL_ONLY) as server:
        words = ("bridge", "--server", f"127.0.0.1:{server.ports['control']}", "--port", "0")
        for _ in range(2):
            bridge = start(words, tmp_path)
            wait_until(lambda: "kenaf" in server.console("list").lower())
            assert bridge.poll() is None, bridge.communicate()
            bridge.kill()
            bridge.communicate()
            wait_until(lambda: "kenaf" not in server.console("list").lower())


@pytest.mark.slow
@pytest.mark.parametrize("stopped", ["client", "lockstep client", "render worker"])
def test_stopped_process_does_not_stop_others(
    stopped: str, yard_file: Path, tmp_path: Path
) -> None:
    with (
        ServerProcess(tmp_path, yard_file, "--truth", "-1", "--longest-wait", "2") as server,
        server.join("P2DX", "Other") as other,
    ):
        if stopped == "render worker":
            victims = child_processes(server.process.pid)
            assert victims
            process = None
        else:
            lines = ["INIT {ClassName USARBot.P2DX} {Name Still}"]
            lines += ["LOCKSTEP {Every 0.1}"] if stopped == "lockstep client" else []
            process = subprocess.Popen([sys.executable, "-c", CLIENT, str(server.ports["control"]),
                                        *lines])  # fmt: skip
            wait_until(lambda: "Still" in server.console("list"))
            victims = [process.pid]
        for pid in victims:
            os.kill(pid, signal.SIGSTOP)
        begin = not_none(ground_truth(other).time)
        wait_until(lambda: not_none(ground_truth(other).time) > begin + 3.0)
        for pid in victims:
            os.kill(pid, signal.SIGCONT)
        if process is not None:
            process.kill()
            process.wait()
            wait_until(lambda: "Still" not in server.console("list"))
        assert "Traceback" not in server.log


CLIENT = """
import socket, sys
wire = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
wire.sendall("".join(f"{line}\\r\\n" for line in sys.argv[2:]).encode())
while wire.recv(65536):
    pass
"""
"""A client that sends lines and reads; in lockstep it never ends its turn."""
