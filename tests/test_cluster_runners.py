"""Runners of clusters: Ray with a killed node, submitit, and the division into chunks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.cheap_trials import cheap_trials
from test_trials import outcome_bits

from grouser.errors import BadValue, GrouserError
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
    with pytest.raises(BadValue, match="runner 'ray:head': must be ray, ray://HOST:PORT"):
        find_runner("ray:head")


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
