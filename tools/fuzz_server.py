"""Fuzzing of a server with random sequences of valid lines of four clients.

Every sequence has a seed. A sequence that finds a fault is shortened to the steps that it needs and
written to a file, which ``--replay`` runs again::

    python tools/fuzz_server.py --seconds 600 --out found
    python tools/fuzz_server.py --lines 10000000 --seed 100000 --log progress.txt
    python tools/fuzz_server.py --replay found/*.txt

At the end it prints what was sent. The server runs in this process without sockets, in virtual
time; see `support.fuzzing.run`.
"""

from __future__ import annotations

import argparse
import logging
import math
import re
import sys
import time
import warnings
from collections import Counter
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.fuzzing.run import Finding, fails_like, run_sequence
from support.fuzzing.sequence import FuzzSequence, minimise, random_sequence

REPORT_EVERY = 60.0
"""Wall seconds between two lines of progress."""
LONGEST = 300.0
"""Wall seconds after which a sequence is not shortened further."""


class Run:
    """Random sequences of successive seeds, and what they contained."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._begin = self._shown = time.monotonic()
        self.faults: set[str] = set()
        self._seed, self._lines = options.seed, 0
        self._worlds, self._ports, self._words = Counter[str](), Counter[str](), Counter[str]()
        self._kinds: set[str] = set()

    def run(self) -> None:
        """Run sequences until the time is over or the lines are sent."""
        options = self._options
        while self._lines < options.lines and time.monotonic() - self._begin < options.seconds:
            sequence = random_sequence(self._seed, options.steps)
            for finding in run_sequence(sequence, self._kinds):
                if finding.where not in self.faults:
                    self.faults.add(finding.where)
                    self._log(f"{sequence.note}: {finding.where}\n{finding.details}")
                    self._log(_shorten(sequence, finding, Path(options.out)))
            self._count(sequence)
            self._seed += 1
            if time.monotonic() - self._shown > REPORT_EVERY:
                self._shown = time.monotonic()
                self._log(self._progress())
        self._log("\n".join([self._progress(), *self._contents()]))

    def _count(self, sequence: FuzzSequence) -> None:
        ports: dict[str, str] = {}
        self._lines += sequence.lines
        self._worlds[f"{sequence.setting}, {sequence.mode}"] += sequence.lines
        for step in sequence.steps:
            if step.verb == "open":
                ports[step.client] = step.text
                self._words["(open)"] += 1
            elif step.verb == "send":
                port = ports[step.client]
                self._ports[port] += 1
                self._words[step.text.split()[0] if "control" in port else f"({port})"] += 1
            elif step.verb != "wait":
                self._words[f"({step.verb})"] += 1

    def _progress(self) -> str:
        rate = self._lines / (time.monotonic() - self._begin)
        seeds = f"seeds {self._options.seed} to {self._seed - 1}"
        faults = f"{len(self.faults)} faults"
        return f"{seeds}: {self._lines} lines, {rate:.0f} per second, {faults}"

    def _contents(self) -> list[str]:
        """Return what was sent."""
        counts = {"worlds": self._worlds, "ports": self._ports, "lines": self._words}
        shown = [
            f"{title}: {', '.join(f'{name} {number}' for name, number in count.most_common())}"
            for title, count in counts.items()
        ]
        return [*shown, f"robots: {', '.join(sorted(self._kinds))}"]

    def _log(self, text: str) -> None:
        print(text, flush=True)
        if self._options.log:
            with Path(self._options.log).open("a") as file:
                file.write(f"{text}\n")


def main() -> int:
    """Run sequences; return 1 if a fault was found."""
    options = _options()
    logging.getLogger().addHandler(logging.NullHandler())
    warnings.simplefilter("ignore")  # numpy's, about extreme numbers
    if options.replay:
        return _replay([Path(name) for name in options.replay])
    if options.lines is None and options.seconds is None:
        options.seconds = 60.0
    options.lines = math.inf if options.lines is None else options.lines
    options.seconds = math.inf if options.seconds is None else options.seconds
    run = Run(options)
    run.run()
    return 1 if run.faults else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of the first sequence")
    parser.add_argument("--seconds", type=float, help="wall time; default: 60, or as --lines needs")
    parser.add_argument("--lines", type=int, help="number of lines after which it ends")
    parser.add_argument("--steps", type=int, default=4000, help="of a sequence")
    parser.add_argument("--out", default="found", help="folder for sequences with faults")
    parser.add_argument("--log", help="file to which progress and faults are appended")
    parser.add_argument("--replay", nargs="+", help="files to run again")
    return parser.parse_args()


def _shorten(sequence: FuzzSequence, finding: Finding, folder: Path) -> str:
    """Write the shortened sequence of a fault; return where."""
    fails, until = fails_like(finding), time.monotonic() + LONGEST
    short = minimise(sequence, lambda part: time.monotonic() < until and fails(part))
    folder.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^a-z0-9]+", "_", finding.where.lower()).strip("_")[:60]
    path = folder / f"{name}.txt"
    path.write_text(str(replace(short, note=f"{sequence.note}: {finding.where}")))
    return f"{path}: {len(short.steps)} steps"


def _replay(paths: list[Path]) -> int:
    """Run the sequences of files; print what they find."""
    faults = 0
    for path in paths:
        findings = run_sequence(FuzzSequence.parse(path.read_text()))
        faults += len(findings)
        print(f"{path}: {', '.join(finding.where for finding in findings) or 'no fault'}")
        for finding in findings:
            print(finding.details)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
