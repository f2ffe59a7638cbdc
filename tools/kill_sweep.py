"""Kill a sweep at random moments, resume it, and compare its table with that of a whole run.

::

    grouser sweep examples/sweeps/quince_steps.yaml --out whole
    python tools/kill_sweep.py examples/sweeps/quince_steps.yaml --out killed --whole whole

Each life of the sweep ends with SIGKILL after a random time, the last one when the sweep has
finished. ``killed/lives.json`` has a row per life: its length and the numbers of runs on disk
before and after. With ``--pause-after`` the program ends between two lives; called again, it goes
on. Words after ``--`` are options of ``grouser sweep``. The exit status is 0 if both tables have
the same bytes.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from grouser import files
from grouser.sweeps.result_store import DESCRIPTION, PARTS, TABLE, read_rows


def main() -> None:
    """Run the command line."""
    given = _arguments()
    sweep, journal = given.out / "sweep", given.out / "lives.json"
    lives: list[dict[str, Any]] = json.loads(journal.read_text()) if journal.exists() else []
    began = time.monotonic()
    while not (sweep / TABLE).exists():
        if given.pause_after and lives and time.monotonic() - began > given.pause_after:
            print(f"paused after {len(lives)} lives; the same command goes on")
            return
        killed = sum(life["killed"] for life in lives) < given.kills
        moment = random.Random(f"{given.seed}/{len(lives)}").uniform(0.0, 2 * given.mean)
        life = _live(given.file, sweep, given.options, moment if killed else None)
        print(f"life {len(lives) + 1}: {life}", flush=True)
        lives.append(life)
        files.write_text(journal, json.dumps(lives, indent=1) + "\n")
    same = (sweep / TABLE).read_bytes() == (given.whole / TABLE).read_bytes()
    kills = sum(life["killed"] for life in lives)
    print(f"{kills} kills, tables have {'the same' if same else 'different'} bytes")
    sys.exit(not same)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", type=Path, help="sweep file")
    parser.add_argument("--out", type=Path, required=True, help="folder of the killed sweep")
    parser.add_argument("--whole", type=Path, required=True, help="folder of the whole sweep")
    parser.add_argument("--kills", type=int, default=20, help="number of kills")
    parser.add_argument("--mean", type=float, default=20.0, help="mean wall time of a life, s")
    parser.add_argument("--seed", type=int, default=35, help="seed of the moments")
    parser.add_argument("--pause-after", type=float, help="wall time of this program, s")
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    given = parser.parse_args(words[:cut])
    given.options = words[cut + 1 :]
    return given


def _live(file: Path, sweep: Path, options: list[str], moment: float | None) -> dict[str, Any]:
    """Run the sweep until ``moment`` (s) or its end; return the row of this life."""
    before = _count(sweep)
    resume = ["--resume"] if (sweep / DESCRIPTION).exists() else []
    command = [sys.executable, "-m", "grouser", "sweep", str(file), "--out", str(sweep)]
    began = time.monotonic()
    process = subprocess.Popen([*command, *resume, *options], stdout=subprocess.DEVNULL)
    try:
        process.wait(moment)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.returncode not in (0, -signal.SIGKILL):
        sys.exit(f"the sweep ended with status {process.returncode}")
    return {
        "seconds": round(time.monotonic() - began, 2),
        "killed": process.returncode != 0,
        "before": before,
        "after": _count(sweep),
    }


def _count(sweep: Path) -> int:
    """Return the number of runs on disk."""
    table = sweep / TABLE
    if table.exists():
        return len(read_rows(table))
    return sum(len(read_rows(path)) for path in (sweep / PARTS).glob("[0-9]*.parquet"))


if __name__ == "__main__":
    main()
