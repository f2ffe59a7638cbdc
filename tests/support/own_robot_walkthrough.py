"""A lab's own robot, from a clone to its sheet: what the tutorial prints, run and looked at.

``python tests/support/own_robot_walkthrough.py FOLDER`` copies what ships into
``FOLDER/clone`` and runs the tutorial there as its reader does: a
student's URDF with three faults, mended; tracks and flippers by YAML
alone; a step climbed; the mobility sheet; our client and a plain socket over the network. Where
there is an X server that nobody sees (Xvfb), the step is climbed in a window, too.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # also a program of its own

from support.readme_walkthrough import clean_environment, colours, copy_clone
from support.source_tree import ROOT

PAGE = ROOT / "docs" / "tutorials" / "own-robot.md"
TIMEOUT = 3000.0
"""s; on two cores that nobody else uses the page takes two minutes."""
FAULTS = (
    "link 'base_link' has the mass -12 kg, it must be above 0",
    "the mesh 'hul.stl' of link 'base_link' is not in",
    "joint 'mast_joint' is revolute, but has no limits",
)
TOP = 0.12 + 0.07 + 0.01
"""m; step, pulley, grouser: where the middle is when it stands on the step."""


def main(folder: Path) -> str:
    """Run everything; return all that was said."""
    clone = folder / "clone"
    copy_clone(clone)
    with (folder / "said.log").open("w") as log:
        ran = subprocess.run(
            [sys.executable, ROOT / "tests" / "support" / "doc_runner.py", PAGE],
            cwd=clone,
            env=environment(clone),
            stdout=log,
            stderr=subprocess.STDOUT,
            timeout=TIMEOUT,
        )
    text = (folder / "said.log").read_text(encoding="utf-8")
    assert ran.returncode == 0, text[-4000:]
    said = " ".join(text.split())
    look(said, clone)
    if shutil.which("Xvfb"):
        said += watch(clone, folder)
    return said


def environment(clone: Path) -> dict[str, str]:
    """Return this process's, with the clone's sources and this Python's commands."""
    kept = clean_environment()
    path = f"{Path(sys.executable).parent}{os.pathsep}{kept['PATH']}"
    return kept | {"PATH": path, "PYTHONPATH": str(clone / "src"), "COLUMNS": "200"}


def look(said: str, clone: Path) -> None:
    """Look at what the page's commands said and wrote."""
    sound, _, rest = said.partition("wrong.urdf")
    assert sound.count(" yes ") == 5, "the URDF as it is keeps the contract"
    for fault in FAULTS:
        assert fault in rest.partition("exit code 1")[0].partition("|| echo")[2], fault
    assert "mass 15.02 kg" in rest
    climbed, flat = heights(rest)
    assert abs(climbed - TOP) < 0.005, f"it ends {climbed} m high, on the step it would be {TOP}"
    assert flat < TOP - 0.03, "its flippers make no difference"
    for picture in ("rover.png", "climbed.png"):
        assert colours(Path(sys.executable), clone / picture) > 100, f"{picture} is empty"
    sheet = (clone / "mobility_rover" / "index.html").read_text(encoding="utf-8")
    assert sheet.count("<img") == 11
    assert "grouser mobility my_robot/rover.yaml --sheet" in sheet
    assert "left to defaults" in rest
    for who in ("our client", "a plain socket"):
        way = re.search(rf"{who} drove ([\d.]+) m ==", said)
        assert way, who
        assert float(way[1]) > 0.1, who


def heights(said: str) -> list[float]:
    """Return how high the rover is at the end of every run."""
    return [float(z) for z in re.findall(r"energy m m m .*? J rover \S+ \S+ (\S+)", said)]


def watch(clone: Path, folder: Path) -> str:
    """Climb the step in a window on a display of its own; return what was said."""
    display = folder / "display"
    with display.open("w") as number:
        server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(number.fileno()), "-screen", "0", "800x600x24"],
            pass_fds=(number.fileno(),),
            stderr=subprocess.DEVNULL,
        )
    try:
        until = time.monotonic() + 60
        while not (shown := display.read_text().strip()):
            assert time.monotonic() < until, "Xvfb does not start"
            time.sleep(0.1)
        ran = subprocess.run(
            [sys.executable, "-m", "grouser", "view", "my_robot/step.yaml", "--seconds", "5"],
            cwd=clone,
            env=environment(clone) | {"DISPLAY": f":{shown}"},
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
        )
    finally:
        server.terminate()
        server.wait()
    assert ran.returncode == 0, ran.stderr[-3000:]
    said = " ".join(ran.stdout.split())
    (high,) = heights(said)
    assert abs(high - TOP) < 0.005, f"in the window it ends {high} m high"
    return said


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
    print("the URDF is checked, the robot climbs, has its sheet and is driven over the network")
