"""Slurm runner: trials in jobs of a Slurm cluster, through submitit (extra `cluster`).

Each job runs a share of the trials in the thread runner and writes each outcome to a folder that
all machines see. The trials of a job that ends early are submitted again.
"""

from __future__ import annotations

import math
import pickle
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from grouser import files
from grouser.cores import cores
from grouser.errors import BadValue, missing_extra
from grouser.trials.chunk_queue import ChunkQueue
from grouser.trials.packing import PackedTrial, PartStore, TrialPacker
from grouser.trials.trial import Outcome, Trial
from grouser.trials.worker_process import Chunk, Finished, failure, run_chunk

POLL = 0.5
"""Wall time between two looks at the folder of outcomes, s."""
TIMEOUT = 10.0
"""Longest wall time to wait for the end of jobs, s."""


@dataclass(frozen=True)
class SlurmRunner:
    """Runs trials in Slurm jobs; the working folder must be shared with the nodes."""

    jobs: int = 8
    """Number of jobs at the same time."""
    cluster: str = "slurm"
    """``slurm``, or ``local``: submitit's processes on this machine."""
    settings: dict[str, Any] = field(default_factory=dict)
    """Parameters of submitit, such as ``slurm_partition``, ``timeout_min``, ``cpus_per_task``."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the runner of ``--runner slurm:JOBS,KEY=VALUE,…``."""
        jobs, *pairs = text.split(",") if text else ["8"]
        cluster, settings = "slurm", dict[str, Any]()
        for pair in pairs:
            key, equals, value = pair.partition("=")
            if not (key and equals and value):
                raise BadValue(f"'{pair}' must be KEY=VALUE, such as slurm_partition=long")
            settings[key] = int(value) if value.isdecimal() else value
        cluster = str(settings.pop("cluster", cluster))
        if not (jobs.isascii() and jobs.isdecimal() and int(jobs) >= 1):
            raise BadValue("must be slurm:JOBS with a whole number of at least 1, such as slurm:16")
        return cls(int(jobs), cluster, settings)

    @property
    def workers(self) -> int:
        """Number of cores of all jobs."""
        return self.jobs * int(self.settings.get("cpus_per_task", 1))

    def run(
        self, trials: Sequence[Trial], *, stop: Callable[[], bool] | None = None
    ) -> Generator[tuple[int, Outcome], None, None]:
        """Yield index and outcome of each trial, soon after it has finished.

        Args:
            trials: trials to run; their policies must be picklable.
            stop: called regularly in this thread; True cancels all jobs.
        """
        stopped = stop or (lambda: False)
        packer = TrialPacker()
        packed = [packer.pack(i, trial) for i, trial in enumerate(trials) if not stopped()]
        queue = ChunkQueue(packed, packer.parts, shares=1)
        share_size = math.ceil(len(packed) / self.jobs)
        with tempfile.TemporaryDirectory(
            dir=Path.cwd(), prefix=".grouser-jobs-", ignore_cleanup_errors=True
        ) as name:
            folder = Path(name)
            files.write_bytes(folder / "parts", pickle.dumps(packer.parts))
            executor = self._executor(folder)
            jobs: dict[Any, dict[int, PackedTrial]] = {}
            try:
                while queue.unfinished and not stopped():
                    while len(jobs) < self.jobs and (share := queue.take(share_size)):
                        job = executor.submit(run_share, folder, share)
                        jobs[job] = {trial.number: trial for trial in share}
                    ended = [job for job in jobs if job.done()]  # before the folder is read
                    for path in folder.glob("*.outcome"):
                        message = pickle.loads(path.read_bytes())
                        path.unlink()
                        if not isinstance(message, Finished):
                            raise pickle.loads(message.error)
                        if message.number in queue.unfinished:
                            for share_of_job in jobs.values():
                                share_of_job.pop(message.number, None)
                            yield message.number, queue.finish(message, trials)
                    for job in ended:
                        queue.put_back(list(jobs.pop(job).values()), f"state {job.state}")
                    time.sleep(POLL if queue.unfinished else 0.0)
            finally:
                _end(list(jobs), cancel=bool(queue.unfinished))

    def _executor(self, folder: Path) -> Any:
        """Return submitit's executor with the settings."""
        try:
            import submitit
        except ImportError as error:
            raise missing_extra("the Slurm runner needs submitit", "cluster") from error
        try:
            executor = submitit.AutoExecutor(folder=folder / "log", cluster=self.cluster)
            executor.update_parameters(**{"name": "grouser", "timeout_min": 24 * 60})
            executor.update_parameters(**self.settings)
        except (RuntimeError, NameError, TypeError, ValueError) as error:
            reason = " ".join(str(error).split())
            raise BadValue(f"Slurm runner: submitit refuses its settings ({reason})") from error
        return executor


def _end(jobs: Sequence[Any], *, cancel: bool) -> None:
    """Wait until all ``jobs`` have ended, at most `TIMEOUT`."""
    until = time.monotonic() + TIMEOUT
    for job in jobs if cancel else ():
        with suppress(Exception):  # it may have ended
            job.cancel(check=False)
    while not all(job.done() for job in jobs) and time.monotonic() < until:
        time.sleep(0.1)


def run_share(folder: Path, share: Sequence[PackedTrial]) -> None:
    """Run a share of the trials in this job; each outcome is a file in ``folder``."""
    parts = pickle.loads((folder / "parts").read_bytes())

    def send(message: object, name: object) -> None:
        files.write_bytes(folder / f"{name}.outcome", pickle.dumps(message))

    with tempfile.TemporaryDirectory(prefix="grouser-") as own:
        chunk = Chunk(0, share, parts)
        try:
            run_chunk(
                chunk, PartStore(Path(own)), cores(), lambda: False, lambda m: send(m, m.number)
            )
        except Exception as error:
            send(failure(error), f"error-{share[0].number}")
