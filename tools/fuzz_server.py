"""Fuzzing of a server with random sequences of valid lines of four clients.

Every sequence has a seed. A sequence that finds a fault is shortened to the steps that it needs and
written to a file, which ``--replay`` runs again::

    python tools/fuzz_server.py --seconds 600 --out found
    python tools/fuzz_server.py --replay found/*.txt

The server runs in this process without sockets, in virtual time; see `support.fuzzing.run`.
"""

from __future__ import annotations

import argparse
import logging
import re
import sys
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.fuzzing.run import Finding, fails_like, run_sequence
from support.fuzzing.sequence import FuzzSequence, minimise, random_sequence

REPORT_EVERY = 60.0
"""Wall seconds between two lines of progress."""
LONGEST = 300.0
"""Wall seconds after which a sequence is not shortened further."""


def main() -> int:
    """Run sequences until the time is over; return 1 if a fault was found."""
    options = _options()
    logging.getLogger().addHandler(logging.NullHandler())
    warnings.simplefilter("ignore")  # numpy's, about extreme numbers
    if options.replay:
        return _replay([Path(name) for name in options.replay])
    begin = shown = time.monotonic()
    lines, seed, known = 0, options.seed, set[str]()
    while time.monotonic() - begin < options.seconds:
        sequence = random_sequence(seed, options.steps)
        for finding in run_sequence(sequence):
            if finding.where not in known:
                known.add(finding.where)
                _report(sequence, finding, Path(options.out))
        lines, seed = lines + sequence.lines, seed + 1
        if time.monotonic() - shown > REPORT_EVERY:
            shown = time.monotonic()
            rate = lines / (shown - begin)
            print(f"seed {seed}: {lines} lines, {rate:.0f} per second", flush=True)
    print(f"seeds {options.seed} to {seed - 1}: {lines} lines, {len(known)} faults")
    return 1 if known else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of the first sequence")
    parser.add_argument("--seconds", type=float, default=60.0, help="wall time")
    parser.add_argument("--steps", type=int, default=1000, help="of a sequence")
    parser.add_argument("--out", default="found", help="folder for sequences with faults")
    parser.add_argument("--replay", nargs="+", help="files to run again")
    return parser.parse_args()


def _report(sequence: FuzzSequence, finding: Finding, folder: Path) -> None:
    """Print a fault; write its shortened sequence."""
    print(f"{sequence.note}: {finding.where}\n{finding.details}", flush=True)
    fails, until = fails_like(finding), time.monotonic() + LONGEST
    short = minimise(sequence, lambda part: time.monotonic() < until and fails(part))
    folder.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^a-z0-9]+", "_", finding.where.lower()).strip("_")[:60]
    path = folder / f"{name}.txt"
    note = f"{sequence.note}: {finding.where}"
    path.write_text(str(FuzzSequence(short.mode, short.steps, note)))
    print(f"{path}: {len(short.steps)} steps", flush=True)


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
