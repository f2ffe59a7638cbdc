"""Warp runner: trials in MuJoCo Warp, thousands at once on a GPU.

Trials, drivers, drives, belts and verdicts are those of the thread runner; only the physics between
two control intervals is MuJoCo Warp's (`grouser.trials.warp.physics`). Results are not bit-equal to
those of other runners: its numbers have 32 bits.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import partial

from grouser.errors import BadValue
from grouser.trials.simulation_lane import needs_simulation
from grouser.trials.threads import run_lanes
from grouser.trials.trial import Outcome, Trial
from grouser.trials.warp.physics import WarpPhysics, find_device

SLOTS = {"cuda": 2048, "cpu": 32}
"""Concurrent simulations of one layout that suit a device, by its kind."""


@dataclass(frozen=True)
class WarpRunner:
    """Runs trials in MuJoCo Warp on a GPU, such as warp:cuda:0, or on warp:cpu."""

    device: str = ""
    """Name of the device, such as ``cuda:0``; empty: the first GPU, else ``cpu``."""
    slots: int = SLOTS["cpu"]
    """Concurrent simulations of one layout."""

    def __post_init__(self) -> None:
        if self.slots < 1:
            raise BadValue(f"slots is {self.slots}, must be at least 1")

    @classmethod
    def parse(cls, text: str) -> WarpRunner:
        """Return the runner of ``--runner warp:text``."""
        device = find_device(text)
        return cls(device, SLOTS["cpu" if device == "cpu" else "cuda"])

    def run(
        self, trials: Sequence[Trial], *, stop: Callable[[], bool] | None = None
    ) -> Generator[tuple[int, Outcome], None, None]:
        """Yield index and outcome of each trial as soon as it has finished.

        Raises:
            BadValue: a trial needs sensors, events or triggers, which this runner does not have.
        """
        for number, trial in enumerate(trials):
            if reason := needs_simulation(trial):
                raise BadValue(
                    f"trial {number} cannot run in MuJoCo Warp: {reason}; use --runner threads"
                )
        physics = partial(WarpPhysics, device=find_device(self.device))
        yield from run_lanes(trials, stop=stop, workers=1, slots=self.slots, physics=physics)
