"""Runner that carries one trial at a time, the last one first."""

from collections.abc import Callable, Generator, Sequence

from grouser.errors import BadValue
from grouser.trials.threads import ThreadRunner
from grouser.trials.trial import Outcome, Trial


class Rocket:
    """Runs trials one after another."""

    @classmethod
    def parse(cls, text: str) -> "Rocket":
        """Return the runner of ``--runner moon_rocket:text``."""
        if text not in ("", "saturn"):
            raise BadValue(f"there is no rocket '{text}', only saturn")
        return cls()

    def run(
        self, trials: Sequence[Trial], *, stop: Callable[[], bool] | None = None
    ) -> Generator[tuple[int, Outcome], None, None]:
        """Yield index and outcome of each trial."""
        for number, trial in reversed(list(enumerate(trials))):
            for _, outcome in ThreadRunner(1).run([trial], stop=stop):
                yield number, outcome
