"""Coverage-guided fuzzing of all decoders of bytes from outside, with atheris.

A decoder may raise the errors of `grouser.errors` only; see `support.fuzzing.decoders`. One target
runs until an input raises another exception, which atheris writes to a file, or all targets run one
after another, for numbers of inputs in fixed proportions::

    python tools/fuzz_decoders.py --list
    python tools/fuzz_decoders.py usarsim_client -- -max_total_time=600 corpus
    python tools/fuzz_decoders.py --all --inputs 1000000 --out found
    python tools/fuzz_decoders.py --input found/can-crash-… can

Words after ``--`` are libFuzzer's. With ``--all`` the folder keeps inputs of each target and a
table of what has been done so far: a second run goes on from there.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import re
import shutil
import sys
import time
import warnings
from contextlib import suppress
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

with atheris.instrument_imports(include=["grouser"]):
    from support.fuzzing.decoders import TARGETS, folder_of

    from grouser import files
    from grouser.errors import GrouserError

SLOWEST = 60
"""Wall seconds after which an input counts as a fault; long, for a busy machine."""
Row = dict[str, float]
"""Results of a target: inputs, seconds, edges, faults."""


def main() -> int:
    """Fuzz one decoder or all."""
    at = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options = _options(sys.argv[1:at])
    if options.all:
        return _run_all(options.inputs, options.seed, options.rounds, Path(options.out))
    if options.list or not options.target:
        print("\n".join(TARGETS))
        return 0
    if options.input:
        with suppress(GrouserError):
            TARGETS[options.target].decode(options.input.read_bytes())
        return 0
    _fuzz(options.target, sys.argv[at + 1 :])
    return 0


def _fuzz(name: str, libfuzzer: list[str]) -> None:
    """Fuzz a target with options of libFuzzer, which ends this process."""
    target = TARGETS[name]
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")

    def run(data: bytes) -> None:
        with suppress(GrouserError):
            target.decode(data)

    for folder in [Path(word) for word in libfuzzer if not word.startswith("-")][:1]:
        folder.mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate(target.seeds):
            (folder / f"seed{number}").write_bytes(seed)
    limits = [f"-max_len={target.longest}", f"-timeout={SLOWEST}"]
    atheris.Setup([sys.argv[0], *limits, *libfuzzer], run)
    atheris.Fuzz()


def _options(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("target", nargs="?", choices=sorted(TARGETS))
    parser.add_argument("--list", action="store_true", help="list the targets")
    parser.add_argument("--input", type=Path, help="file to pass to the decoder once")
    parser.add_argument("--all", action="store_true", help="run all targets")
    parser.add_argument("--inputs", type=int, default=1_000_000, help="of all targets in a round")
    parser.add_argument("--rounds", type=int, default=1, help="number of rounds")
    parser.add_argument("--seed", type=int, default=1, help="of the first round")
    parser.add_argument("--out", default="found", help="folder of inputs and results")
    return parser.parse_args(words)


def _run_all(inputs: int, seed: int, rounds: int, out: Path) -> int:
    """Run every target in each round; keep the results in a file; return 1 if faults were found."""
    out.mkdir(parents=True, exist_ok=True)
    results = out / "results.json"
    rows: dict[str, Row] = json.loads(results.read_text()) if results.exists() else {}
    shares = sum(target.share for target in TARGETS.values())
    for number in range(rounds):
        for name, target in TARGETS.items():
            row = _run_target(name, round(inputs * target.share / shares), seed + number, out)
            before = rows.get(name, {"inputs": 0, "seconds": 0, "edges": 0, "faults": 0})
            rows[name] = {key: before[key] + row[key] for key in row}
            rows[name]["edges"] = max(before["edges"], row["edges"])
            files.write_text(results, json.dumps(rows, indent=1))
    print(_table(rows))
    return int(any(row["faults"] for row in rows.values()))


def _run_target(name: str, inputs: int, seed: int, out: Path) -> Row:
    """Fuzz one target in a process of its own, a copy of this one: imports take seconds."""
    libfuzzer = [f"-runs={inputs}", f"-seed={seed}", "-print_final_stats=1"]
    prefix, corpus = f"-artifact_prefix={out / name}-", str(out / "corpus" / name)
    log = out / f"{name}-{seed}.log"
    begin = time.monotonic()
    if not (process := os.fork()):
        with log.open("wb") as file:
            os.dup2(file.fileno(), sys.stderr.fileno())
        try:
            _fuzz(name, [*libfuzzer, prefix, corpus])
        finally:
            os._exit(1)  # libFuzzer ends the process itself
    failed = os.waitpid(process, 0)[1] != 0
    seconds = time.monotonic() - begin
    shutil.rmtree(folder_of(process), ignore_errors=True)
    text = log.read_text(errors="replace")
    if failed:
        print(f"{name}: see {log}", flush=True)
    else:
        log.unlink()

    def last(pattern: str) -> int:
        return int((re.findall(pattern, text) or ["0"])[-1])

    return {
        "inputs": last(r"number_of_executed_units: *(\d+)"),
        "seconds": seconds,
        "edges": last(r"cov: (\d+)"),
        "faults": int(failed),
    }


def _table(rows: dict[str, Row]) -> str:
    """Return the results as a table in Markdown."""
    lines = ["| decoder | inputs | per second | edges | faults |", "| --- " * 5 + "|"]
    for name, row in rows.items():
        rate = row["inputs"] / max(row["seconds"], 1e-9)
        lines.append(
            f"| {name} | {row['inputs']:,.0f} | {rate:,.0f} | {row['edges']:.0f} "
            f"| {row['faults']:.0f} |"
        )
    inputs, faults = (sum(row[key] for row in rows.values()) for key in ("inputs", "faults"))
    return "\n".join([*lines, f"| all | {inputs:,.0f} | | | {faults:.0f} |"])


if __name__ == "__main__":
    sys.exit(main())
