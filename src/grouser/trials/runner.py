"""Runner interface: `run_trials`, and the table of runners, which simulate trials somewhere.

==========  ===================================================================================
threads     threads of this process (default)
processes   worker processes of this machine
ray         workers on this machine or on the nodes of a Ray cluster (extra ``cluster``)
slurm       jobs of a Slurm cluster (extra ``cluster``)
warp        MuJoCo Warp, thousands at once on a GPU (extra ``gpu``); results are not bit-equal
==========  ===================================================================================

The outcomes have the same bits on threads, processes and clusters, at every number of workers. A
runner is named as in ``--runner``: ``threads``, ``processes:4``, ``ray://head:10001``. Packages add
runners with entry points in the group ``grouser.runners``.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import Protocol, Self, runtime_checkable

from grouser import plugins
from grouser.cores import Progress
from grouser.errors import BadValue, unknown
from grouser.trials.threads import ThreadRunner
from grouser.trials.trial import Outcome, Trial

RUNNERS: dict[str, str] = {
    "threads": "grouser.trials.threads:ThreadRunner",
    "processes": "grouser.trials.processes:ProcessRunner",
    "ray": "grouser.trials.ray_runner:RayRunner",
    "slurm": "grouser.trials.slurm_runner:SlurmRunner",
    "warp": "grouser.trials.warp.runner:WarpRunner",
}
"""Name of a runner → ``module:class``; imported on use."""


@runtime_checkable
class Runner(Protocol):
    """Runs trials; an outcome does not depend on the other trials."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the runner of ``--runner NAME:text``; ``text`` is empty without a colon."""
        ...

    def run(
        self, trials: Sequence[Trial], *, stop: Callable[[], bool] | None = None
    ) -> Generator[tuple[int, Outcome], None, None]:
        """Yield index and outcome of each trial as soon as it has finished, each exactly once.

        Closing the generator cancels all running trials, as an exception in it does.

        Args:
            trials: trials to run.
            stop: called often, by any thread; True cancels all running trials within one sample
                period. Outcomes of finished trials are still yielded.

        Raises:
            BadValue: a trial cannot be run; the message names it.
        """
        ...


RunnerChoice = Runner | str | None
"""A runner, its name as in ``--runner``, or None: threads, one per core."""


def runners() -> dict[str, str]:
    """Return all runners, name → ``module:class``; those of installed packages last."""
    return RUNNERS | plugins.entry_point_targets(plugins.RUNNERS, RUNNERS)


def find_runner(choice: RunnerChoice) -> Runner:
    """Return the runner of a name such as ``processes:4``; a runner is returned unchanged.

    Raises:
        UnknownName: there is no such runner.
        BadValue: the text after the colon is invalid.
    """
    if choice is None:
        return ThreadRunner()
    if not isinstance(choice, str):
        return choice
    name, _, text = choice.partition(":")
    if name not in (known := runners()):
        raise unknown("runner", "runner", name, known)
    kind = plugins.load(name, RUNNERS, plugins.RUNNERS, "runner")
    try:
        made: Runner = kind.parse(text)
    except BadValue as error:
        raise BadValue(f"runner '{choice}': {error}") from error
    return made


def run_trials(
    trials: Sequence[Trial], *, runner: RunnerChoice = None, progress: Progress | None = None
) -> list[Outcome]:
    """Run ``trials`` and return their outcomes in the same order.

    Args:
        trials: trials to run.
        runner: runner, or its name as in ``--runner``; None: threads, one per core.
        progress: called whenever a trial has finished.
    """
    outcomes: dict[int, Outcome] = {}
    with closing(find_runner(runner).run(trials)) as finished:
        for number, outcome in finished:
            outcomes[number] = outcome
            if progress:
                progress(len(outcomes), len(trials))
    return [outcomes[number] for number in range(len(trials))]
