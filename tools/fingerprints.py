"""Fingerprints of results that a refactoring must not change.

The output is one JSON file: a hash of the physics state of every shipped world after some seconds,
a hash of a picture of each, the bytes of scripted lockstep sessions in three dialects, and the
quick table of every experiment. Two files are compared with ``--compare``::

    python tools/fingerprints.py --out before.json
    python tools/fingerprints.py --out after.json
    python tools/fingerprints.py --compare before.json after.json
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

PARTS = ("worlds", "pictures", "lockstep", "tables")
LONG = {"roach-loop"}
"""Experiments whose quick table takes longer than all others together."""

WORLD = """
import hashlib, sys, numpy, mujoco, grouser
sim = grouser.Simulation(grouser.load(sys.argv[1]))
sim.step(float(sys.argv[2]))
kind = mujoco.mjtState.mjSTATE_INTEGRATION
state = numpy.zeros(mujoco.mj_stateSize(sim.model, kind))
mujoco.mj_getState(sim.model, sim.data, state, kind)
readings = []
for robot in sim.world.robots:
    readings.append(repr((robot.name, sim.energy(robot.name), sim.pose(robot.name))))
print(hashlib.sha256(state.tobytes() + "".join(readings).encode()).hexdigest()[:24])
"""

PIXELS = """
import hashlib, sys
from PIL import Image
picture = Image.open(sys.argv[1]).convert("RGB")
print(hashlib.sha256(repr(picture.size).encode() + picture.tobytes()).hexdigest()[:24])
"""

SESSIONS = {
    "ut2004": ("pioneer_room", "P3AT", "DRIVE {Left 2.0} {Right 1.5}"),
    "ut3": ("pioneer_room", "P2DX", "DRIVE {Left 1.0} {Right 2.5}"),
    "udk": ("league_field", "ERS7", "DRIVE {Speed 0.1} {Turn 0.2}"),
}


def grouser(*words: str) -> str:
    """Run a command of grouser; return its output, or a line that begins with FAILED."""
    return _python("-m", "grouser", *words)


def _python(*words: str) -> str:
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        return f"FAILED {(done.stderr or done.stdout).strip().splitlines()[-1:]}"
    return done.stdout.strip()


def world_state(name: str, seconds: float) -> str:
    """Return the hash of a world's state after simulated seconds."""
    return _python("-c", WORLD, name, str(seconds))


def picture(name: str) -> str:
    """Return the hash of the pixels of a world after half a second."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "picture.png")
        answer = grouser("run", name, "--seconds", "0.5", "--picture", path)
        return answer if answer.startswith("FAILED") else _python("-c", PIXELS, path)


def lockstep(dialect: str) -> list[str]:
    """Return every line of a scripted lockstep session, in both directions."""
    world, robot, drive = SESSIONS[dialect]
    words = ["serve", world, "--port", "0", "--images", "-1", "--truth", "-1", "--speed", "max"]
    words += ["--dialect", dialect, "--players", "1", "--seed", "3"]
    server = subprocess.Popen(
        [sys.executable, "-m", "grouser", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert server.stdout is not None
    lines: list[str] = []
    try:
        first = server.stdout.readline()
        match = re.search(r"control=(\d+)", first)
        if match is None:
            return [f"FAILED {first}"]
        with socket.create_connection(("127.0.0.1", int(match[1])), timeout=20) as link:
            stream = link.makefile("rw", newline="", encoding="utf-8")

            def send(line: str) -> None:
                lines.append(f"> {line}")
                stream.write(line + "\r\n")
                stream.flush()

            def receive_turn() -> None:
                while line := stream.readline():
                    lines.append(f"< {line.rstrip()}")
                    if line.startswith("TICK"):
                        return
                lines.append("< end of stream")

            send(f"INIT {{ClassName USARBot.{robot}}} {{Name R1}} {{Location -1,0.5,0}}")
            send("LOCKSTEP {Every 0.1}")
            receive_turn()
            for turn in range(40):
                if turn == 0:
                    send("GETGEO {Type Robot}")
                    send("GETCONF {Type Robot}")
                    send("GETSTARTPOSES")
                if turn == 5:
                    send("GETGEO {Type Sonar}")
                    send("CONTROL {Type Create} {ClassName Box} {Name Box1} {Location 1,1,-1}")
                if turn == 20:
                    send("DRIVE {Wrong 1}")
                    send("CONTROL {Type Kill} {Name Box1}")
                if turn % 4 == 0:
                    send(drive)
                send("STEP")
                receive_turn()
    finally:
        server.terminate()
        server.wait()
    return lines


def table(name: str) -> Any:
    """Return an experiment's quick table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.json"
        answer = grouser("experiment", name, "--quick", "--json", str(path))
        return answer if answer.startswith("FAILED") else json.loads(path.read_text())


def capture(parts: list[str], seconds: float, jobs: int) -> dict[str, Any]:
    """Return the fingerprints, by part and name."""
    worlds = grouser("list", "worlds", "--plain").split()
    names = [name for name in grouser("list", "experiments", "--plain").split() if name not in LONG]
    work = [
        *(("worlds", name, lambda name=name: world_state(name, seconds)) for name in worlds),
        *(("pictures", name, lambda name=name: picture(name)) for name in worlds),
        *(("lockstep", name, lambda name=name: lockstep(name)) for name in SESSIONS),
        *(("tables", name, lambda name=name: table(name)) for name in names),
    ]
    found: dict[str, Any] = {part: {} for part in parts}
    with ThreadPoolExecutor(jobs) as pool:
        futures = [(p, name, pool.submit(do)) for p, name, do in work if p in parts]
        for part, name, future in futures:
            found[part][name] = future.result()
            print(part, name, _digest(found[part][name]), flush=True)
    return found


def _digest(value: Any) -> str:
    if isinstance(value, str):
        return value
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:24]


def compare(before: dict[str, Any], after: dict[str, Any]) -> int:
    """Print every difference; return their number."""
    differences = 0
    for part in sorted(before.keys() & after.keys()):
        for name in sorted(before[part].keys() | after[part].keys()):
            old, new = before[part].get(name), after[part].get(name)
            if old == new:
                continue
            differences += 1
            print(f"{part} {name}:")
            if isinstance(old, list) and isinstance(new, list):
                pairs = [pair for pair in zip(old, new, strict=False) if pair[0] != pair[1]]
                print(f"  {len(old)} lines before, {len(new)} after, {len(pairs)} differ")
                for one, other in pairs[:5]:
                    print(f"  - {one}\n  + {other}")
            else:
                _print_changes(old, new, "")
    total = sum(len(before[part]) for part in before.keys() & after.keys())
    print(f"{total} fingerprints, {differences} differ")
    return differences


def _print_changes(old: Any, new: Any, place: str) -> None:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            if old.get(key) != new.get(key):
                _print_changes(old.get(key), new.get(key), f"{place}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, (one, other) in enumerate(zip(old, new, strict=True)):
            if one != other:
                _print_changes(one, other, f"{place}[{number}]")
    else:
        print(f"  {place}\n  - {old}\n  + {new}")


def main() -> int:
    """Capture or compare fingerprints; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, help="file to write")
    parser.add_argument("--compare", nargs=2, type=Path, metavar=("BEFORE", "AFTER"))
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--seconds", type=float, default=10.0, help="simulated seconds per world")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    given = parser.parse_args()
    if given.compare:
        before, after = (json.loads(path.read_text()) for path in given.compare)
        return 1 if compare(before, after) else 0
    if given.out is None:
        parser.error("--out FILE or --compare BEFORE AFTER is required")
    given.out.write_text(json.dumps(capture(given.parts, given.seconds, given.jobs), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
