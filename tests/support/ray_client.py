"""Program: trials through Ray's client port; writes JSON with their fingerprints.

Arguments: address of the runner, file to write, process group of Ray's head, which is killed in a
last run; 0: there is no last run.
"""

import json
import os
import signal
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from grouser.errors import GrouserError
from grouser.trials.ray_runner import RayRunner
from grouser.trials.runner import run_trials
from support.cheap_trials import cheap_trials


def main(address: str, result: Path, head: int) -> None:
    """Run the trials twice, then long ones while the head is killed."""
    trials = cheap_trials(24)
    with RayRunner(address) as runner:
        both = [[o.fingerprint for o in run_trials(trials, runner=runner)] for _ in range(2)]
        result.write_text(json.dumps({"nodes": runner.nodes, "fingerprints": both}))
        if head:
            long = [replace(trial, limit=60.0) for trial in trials[1:]]
            with closing(runner.run([trials[0], *long])) as outcomes:
                for _ in outcomes:
                    os.killpg(head, signal.SIGKILL)


if __name__ == "__main__":
    try:
        main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
    except GrouserError as error:
        sys.exit(f"{type(error).__name__}: {error}")
