"""Run the tutorial of an own robot and check its output.

``python tests/support/own_robot_walkthrough.py FOLDER`` copies what ships into
``FOLDER/clone`` and runs the commands of the tutorial there: a URDF with three faults and its
correction, tracks and flippers in YAML, a step, the mobility sheet, Grouser's client and a plain
socket. With a virtual X server (Xvfb) the step is also climbed in a window.
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
"""s; on two idle cores the page takes two minutes."""
FAULTS = (
    "link 'base_link' has the mass -12 kg, it must be above 0",
    "the mesh 'hul.stl' of link 'base_link' is not in",
    "joint 'mast_joint' is revolute, but has no limits",
)
TOP = 0.12 + 0.07 + 0.01
"""m; height of the robot's middle on the step: step, pulley, grouser."""


def main(folder: Path) -> str:
    """Run everything; return the output."""
    clone = folder / "clone"
    copy_clone(clone)
    with (folder / "output.log").open("w") as log:
        ran = subprocess.run(
            [sys.executable, ROOT / "tests" / "support" / "doc_runner.py", PAGE],
            cwd=clone,
            env=environment(clone),
            stdout=log,
            stderr=subprocess.STDOUT,
            timeout=TIMEOUT,
        )
    text = (folder / "output.log").read_text(encoding="utf-8")
    assert ran.returncode == 0, text[-4000:]
    output = " ".join(text.split())
    check_output(output, clone)
    if shutil.which("Xvfb"):
        output += climb_in_window(clone, folder)
    return output


def environment(clone: Path) -> dict[str, str]:
    """Return the environment with the sources of the clone and this Python's commands."""
    kept = clean_environment()
    path = f"{Path(sys.executable).parent}{os.pathsep}{kept['PATH']}"
    return kept | {"PATH": path, "PYTHONPATH": str(clone / "src"), "COLUMNS": "200"}


def check_output(output: str, clone: Path) -> None:
    """Check the output and the files of the page's commands."""
    sound, _, rest = output.partition("wrong.urdf")
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
    for client in ("our client", "a plain socket"):
        distance = re.search(rf"{client} drove ([\d.]+) m ==", output)
        assert distance, client
        assert float(distance[1]) > 0.1, client


def heights(output: str) -> list[float]:
    """Return the height of the rover at the end of every run, m."""
    return [float(z) for z in re.findall(r"energy m m m .*? J rover \S+ \S+ (\S+)", output)]


def climb_in_window(clone: Path, folder: Path) -> str:
    """Climb the step in a window on a virtual display; return the output."""
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
    output = " ".join(ran.stdout.split())
    (high,) = heights(output)
    assert abs(high - TOP) < 0.005, f"in the window it ends {high} m high"
    return output


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
    print("the URDF is checked, the robot climbs, has its sheet and is driven over the network")
