"""Runners of clusters: Ray with a killed node, Ray's client port, submitit, chunks."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.cheap_trials import cheap_trials
from support.cli_runner import grouser
from test_trials import outcome_bits

from grouser.errors import BadValue, Disconnected, GrouserError
from grouser.trials.chunk_queue import CHUNKS, ChunkQueue
from grouser.trials.packing import PackedTrial
from grouser.trials.ray_runner import RayRunner
from grouser.trials.runner import find_runner, run_trials
from grouser.trials.slurm_runner import SlurmRunner

TESTS = Path(__file__).parent


def pack_trials(count: int) -> list[PackedTrial]:
    return [PackedTrial(number, b"", ()) for number in range(count)]


def test_chunks_become_smaller_towards_the_end() -> None:
    queue = ChunkQueue(pack_trials(300), {}, shares=4)
    sizes = []
    while chosen := queue.take(64):
        sizes.append(len(chosen))
    assert sizes[0] == 64
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 1
    assert sum(sizes) == 300


def test_only_suspect_trials_count_lost_workers() -> None:
    queue = ChunkQueue(pack_trials(1), {}, shares=1)
    for _ in range(2 * len(CHUNKS)):
        queue.put_back(queue.take(), "its node was lost", suspect=False)
    for _ in range(len(CHUNKS) - 1):
        queue.put_back(queue.take(), "signal SIGKILL")
    with pytest.raises(GrouserError, match=r"trial 0: .* ended 4 times, .* signal SIGKILL"):
        queue.put_back(queue.take(), "signal SIGKILL")


def test_addresses_of_ray() -> None:
    for name, address in {
        "ray": "",
        "ray://head:10001": "ray://head:10001",
        "ray:10.0.0.1:6379": "10.0.0.1:6379",
        "ray:auto": "auto",
    }.items():
        runner = find_runner(name)
        assert isinstance(runner, RayRunner)
        assert runner.address == address
    for mistaken in ("ray:head", "ray://head:70000"):
        with pytest.raises(BadValue, match=f"runner '{mistaken}': must be ray, ray://HOST:PORT"):
            find_runner(mistaken)


def test_settings_of_slurm() -> None:
    runner = find_runner("slurm:3,slurm_partition=long,cpus_per_task=8")
    assert isinstance(runner, SlurmRunner)
    assert (runner.jobs, runner.workers) == (3, 24)
    assert runner.settings == {"slurm_partition": "long", "cpus_per_task": 8}
    for name in ("slurm:0", "slurm:many", "slurm:2,long"):
        with pytest.raises(BadValue, match=f"runner '{name}': "):
            find_runner(name)


@pytest.mark.slow
def test_trials_of_a_killed_node_run_elsewhere(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    done = subprocess.run(
        [sys.executable, "-m", "support.ray_cluster", str(tmp_path / "result")],
        cwd=TESTS,
        env=os.environ | {"PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "result").read_text())
    assert result["nodes"] == [3, 2]
    assert result["twice"] == []
    expected = {str(i): o.fingerprint for i, o in enumerate(run_trials(cheap_trials(300)))}
    assert result["received"] == expected


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def accepts(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
        return True
    return False


CLIENT = {"RAY_AUTH_MODE": "token", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""Environment of Ray with tokens on loopback."""


@pytest.fixture
def ray_head(tmp_path: Path) -> Iterator[tuple[int, int, dict[str, str]]]:
    """Return client port, process group and environment of a Ray head on loopback."""
    pytest.importorskip("ray")
    port, token = free_port(), tmp_path / "token"
    token.write_text(secrets.token_hex(32))
    environment = os.environ | CLIENT | {"RAY_AUTH_TOKEN_PATH": str(token)}
    folder = tempfile.mkdtemp(prefix="ray-")  # short: it has sockets
    options = {
        "node-ip-address": "127.0.0.1",
        "port": free_port(),
        "ray-client-server-port": port,
        "include-dashboard": "false",
        "num-cpus": 2,
        "temp-dir": folder,
    }
    head = subprocess.Popen(
        [sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--block"]
        + [f"--{name}={value}" for name, value in options.items()],
        env=environment | {"RAY_raylet_start_wait_time_s": "200", "PYTHONPATH": str(TESTS)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        until = time.monotonic() + 200
        while not accepts(port):
            assert head.poll() is None
            assert time.monotonic() < until
            time.sleep(0.2)
        yield port, head.pid, environment
    finally:
        with suppress(ProcessLookupError):
            os.killpg(head.pid, signal.SIGKILL)
        head.wait()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.slow
def test_trials_through_the_client_port(
    ray_head: tuple[int, int, dict[str, str]], tmp_path: Path
) -> None:
    port, head, environment = ray_head

    def client(result: str, killed: int, **more: str) -> subprocess.CompletedProcess[str]:
        arguments = [f"ray://127.0.0.1:{port}", str(tmp_path / result), str(killed)]
        return subprocess.run(
            [sys.executable, "-m", "support.ray_client", *arguments],
            cwd=TESTS,
            env=environment | {"PYTHONPATH": str(TESTS)} | more,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    other = {"RAY_AUTH_TOKEN": secrets.token_hex(32), "RAY_CLIENT_MAX_CONNECTION_TIMEOUT_S": "1"}
    refused = client("refused", 0, **other)
    assert "Disconnected: Ray runner: no connection to ray://127.0.0.1" in refused.stderr
    assert "does the token agree?" in refused.stderr
    lost = client("result", head, RAY_CLIENT_RECONNECT_GRACE_PERIOD="2")
    result = json.loads((tmp_path / "result").read_text())
    expected = [o.fingerprint for o in run_trials(cheap_trials(24))]
    assert result == {"nodes": 1, "fingerprints": [expected, expected]}
    assert "Disconnected: Ray runner: the connection to ray://127.0.0.1" in lost.stderr, lost.stderr
    assert "was lost" in lost.stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="finds sockets in /proc")
def test_local_ray_listens_on_loopback_and_requires_a_token(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    done = subprocess.run(
        [sys.executable, "-m", "support.ray_local"],
        cwd=TESTS,
        env={k: v for k, v in os.environ.items() if not k.startswith("RAY_")}
        | {"PYTHONPATH": str(TESTS), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=400,
        start_new_session=True,
        check=True,
    )
    seen = json.loads(done.stdout)
    assert seen["mode"] == "token"
    assert seen["token"]
    assert set(seen["listening"]) <= {"127.0.0.1", "::1", "::ffff:127.0.0.1"}
    assert seen["listening"]


def test_a_port_without_a_program_is_reported_at_once() -> None:
    pytest.importorskip("ray")
    with pytest.raises(Disconnected, match=r"no connection to ray://127\.0\.0\.1:\d+ \(.*refused"):
        run_trials(cheap_trials(1), runner=f"ray://127.0.0.1:{free_port()}")


@pytest.mark.slow
def test_jobs_of_submitit_give_the_same_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("submitit")
    monkeypatch.chdir(tmp_path)
    trials = cheap_trials(12)
    outcomes = run_trials(trials, runner="slurm:2,cluster=local")
    assert outcome_bits(outcomes) == outcome_bits(run_trials(trials))
    assert not list(tmp_path.iterdir()), "no folder of jobs is left"


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        "plan bumps --from=-1.6,0 --to=1.6,0 --candidates 4 --trials 2 --rounds 2",
        "mobility quince --sheet --report page",
    ],
)
def test_commands_give_the_same_table_with_ray(
    arguments: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not find_spec("ray"):  # not imported here: Ray reads the settings of tokens when it is
        pytest.skip("Ray is not installed")
    monkeypatch.chdir(tmp_path)
    shown, written = [], []
    for runner in ("threads", "ray"):
        done = grouser(*arguments.split(), "--json", "table.json", "--runner", runner)
        assert done.exit_code == 0, done.output
        shown.append(done.stdout)
        written.append(Path("table.json").read_bytes())
    assert written[0] == written[1]
    assert shown[0] == shown[1]
