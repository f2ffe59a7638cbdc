"""Queue of the trials of a run, which divides them into chunks for workers.

A worker receives one chunk at a time. Chunks become smaller towards the end of the run, so that all
workers end at about the same time. The unfinished trials of a lost worker return to the queue.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Mapping, Sequence

from grouser.errors import GrouserError
from grouser.trials.packing import PackedTrial, Part, unpack_outcome
from grouser.trials.threads import SLOTS
from grouser.trials.trial import Outcome, Trial
from grouser.trials.worker_process import Finished

CHUNKS = (SLOTS, 4, 1, 1)
"""Largest chunk for trials that have lost no worker, one, two, three. A trial that loses one more
is an error; trials that were only in the same chunk are not affected by then."""


class ChunkQueue:
    """Unfinished trials of a run, and the division of waiting ones into chunks."""

    def __init__(
        self, packed: Sequence[PackedTrial], parts: Mapping[str, Part], shares: int
    ) -> None:
        self.parts = parts
        """Worlds and files by SHA-256."""
        self.unfinished = {trial.number for trial in packed}
        self.lost_starts = 0
        """Number of workers that ended before they were ready."""
        self.shares = shares
        """Number of parts into which the waiting trials are divided, such as 2 per worker."""
        self._waiting = deque(packed)
        self._lost: Counter[int] = Counter()

    def take(self, most: int = CHUNKS[0]) -> list[PackedTrial]:
        """Return the next chunk: a part of the waiting trials, smaller towards the end.

        Args:
            most: largest chunk for trials that have lost no worker.
        """
        chosen: list[PackedTrial] = []
        if self._waiting:
            lost = self._lost[self._waiting[0].number]
            largest = CHUNKS[lost] if lost else most
            size = min(largest, math.ceil(len(self._waiting) / self.shares))
            while (
                self._waiting and len(chosen) < size and self._lost[self._waiting[0].number] == lost
            ):
                chosen.append(self._waiting.popleft())
        return chosen

    def put_back(self, trials: Sequence[PackedTrial], reason: str, *, suspect: bool = True) -> None:
        """Put the unfinished trials of a lost worker at the front.

        Args:
            trials: unfinished trials.
            reason: end of the worker, for the error.
            suspect: True if a trial may have ended the worker; False: its machine was lost.

        Raises:
            GrouserError: a trial has been in too many lost workers.
        """
        for trial in trials if suspect else ():
            self._lost[trial.number] += 1
            if self._lost[trial.number] == len(CHUNKS):
                raise GrouserError(
                    f"trial {trial.number}: its worker process ended {len(CHUNKS)} times, the last "
                    f"time with {reason}"
                )
        self._waiting.extendleft(reversed(trials))

    def finish(self, message: Finished, trials: Sequence[Trial]) -> Outcome:
        """Return the outcome of a message, and remove its trial."""
        self.unfinished.remove(message.number)
        return unpack_outcome(message.outcome, trials)
