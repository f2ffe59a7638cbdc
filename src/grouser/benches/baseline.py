"""Speed of robots compared with another commit: ``grouser bench tracks --baseline COMMIT``.

The commit's sources are extracted into a temporary folder. Each case starts one process with them
and one with these sources; both step the same world alternately, interval by interval, and measure
their processor time. The median of the ratios of neighbouring intervals is robust against other
load on the machine; several pairs of processes average over the placement of arrays in memory.

The installed packages (MuJoCo, NumPy) are those of this environment for both.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, NamedTuple, cast

import numpy as np

from grouser.errors import BadValue

SETTLED, SECONDS = 1.0, 0.12
"""Simulated time before the measurement, and of one interval, s."""
REPEATS, PAIRS = 60, 3
"""Number of intervals of a pair of processes, and of pairs."""

_WORKER = """
import sys, time
import grouser
simulation = grouser.Simulation(sys.argv[1])
simulation.step(simulation.round_to_steps(float(sys.argv[2])))
interval = simulation.round_to_steps(float(sys.argv[3]))
print("ready", flush=True)
for _ in sys.stdin:
    start = time.process_time()
    simulation.step(interval)
    print(time.process_time() - start, flush=True)
"""


def speed_over(commit: str, worlds: Sequence[tuple[str, str, str]]) -> dict[str, float]:
    """Return the speed of these sources over that of ``commit``, by case.

    Args:
        commit: name of a git commit.
        worlds: name of a case, text of its world file for these sources, and for the commit's.

    Raises:
        BadValue: these sources are not in a git repository, or it has no such commit.
    """
    ours = Path(__file__).parents[2]
    with tempfile.TemporaryDirectory(prefix="grouser-baseline-") as text:
        folder = Path(text)
        _extract(commit, ours, folder)
        figures: dict[str, float] = {}
        for name, own, other in worlds:
            files = folder / "own.yaml", folder / "other.yaml"
            for file, content in zip(files, (own, other), strict=True):
                file.write_text(content)
            pair = (ours, files[0]), (folder / "src", files[1])
            figures[name] = float(np.median([_ratio(*pair) for _ in range(PAIRS)]))
    return figures


def _extract(commit: str, sources: Path, folder: Path) -> None:
    """Extract the sources of ``commit`` into ``folder``."""
    command = ["git", "-C", str(sources.parent), "archive", "--format=tar", commit, "src"]
    try:
        done = subprocess.run(command, capture_output=True, check=True)
    except OSError as error:
        raise BadValue(f"bench: --baseline needs git: {error}") from error
    except subprocess.CalledProcessError as error:
        reason = error.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise BadValue(f"bench: --baseline {commit}: {''.join(reason)}") from error
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")


def _ratio(own: tuple[Path, Path], other: tuple[Path, Path]) -> float:
    """Return the speed of the first of two (sources, world file) over that of the second."""
    with ExitStack() as stack:
        workers = [stack.enter_context(_worker(*each)) for each in (own, other)]
        rounds = []
        for turn in range(REPEATS):
            times = [0.0, 0.0]
            for number in (0, 1) if turn % 2 else (1, 0):
                times[number] = _interval(workers[number])
            rounds.append(times)
    first, second = np.array(rounds).T
    return float(np.median(second / first))


class _Worker(NamedTuple):
    """Pipes of a process that steps a world."""

    orders: IO[str]
    answers: IO[str]

    def answer(self) -> str:
        """Return the next line that the process writes."""
        return self.answers.readline().strip()


@contextmanager
def _worker(sources: Path, world: Path) -> Iterator[_Worker]:
    """Start a process that steps ``world`` with ``sources``; end it on exit."""
    command = [sys.executable, "-W", "ignore", "-c", _WORKER]
    command += [str(world), str(SETTLED), str(SECONDS)]
    variables = {**os.environ, "PYTHONPATH": str(sources), "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(
        command, env=variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    worker = _Worker(cast(IO[str], process.stdin), cast(IO[str], process.stdout))
    try:
        if worker.answer() != "ready":
            raise BadValue(f"bench: --baseline: the sources in {sources} cannot run the world")
        yield worker
    finally:
        process.kill()
        process.communicate()


def _interval(worker: _Worker) -> float:
    """Return the processor time that a worker needs for one interval, s."""
    worker.orders.write("\n")
    worker.orders.flush()
    return float(worker.answer())
