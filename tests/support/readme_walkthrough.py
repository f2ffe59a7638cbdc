"""Run the installation of README and the tutorials in a clean environment.

``python tests/support/readme_walkthrough.py FOLDER`` copies what ships into
``FOLDER/clone``, installs it there as README says, in an environment without the developers'
tools, and runs the commands of the tutorials in ``FOLDER/work``. The output of every step is
checked.
"""

import os
import shutil
import struct
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # also a program of its own

from support.doc_blocks import blocks
from support.source_tree import ROOT

TUTORIALS = ("student", "rescue", "robocup", "researcher")
TOOLS = ("pytest", "mypy", "ruff", "hypothesis", "mkdocs")
"""Tools of developers, which users do not have."""
LIMIT = 600.0
"""s, on two idle cores."""


def main(folder: Path) -> dict[str, float]:
    """Run everything; return the duration of each part, s."""
    clone, work = folder / "clone", folder / "work"
    work.mkdir(parents=True)
    took = {}
    began = time.monotonic()
    copy_clone(clone)
    install(clone)
    took["install"] = time.monotonic() - began
    python = clone / "venv" / "bin" / "python"
    for tool in TOOLS:
        found = subprocess.run([python, "-c", f"import {tool}"], capture_output=True)
        assert found.returncode != 0, f"{tool} is a developers' tool and is installed"
    for tutorial in TUTORIALS:
        began = time.monotonic()
        output = run_tutorial(python, tutorial, work)
        CHECKS[tutorial](output, work, python)
        took[tutorial] = time.monotonic() - began
    return took


def copy_clone(clone: Path) -> None:
    """Copy the files under version control and new files that are not ignored."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file():
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, clone / name)


def install(clone: Path) -> None:
    """Run the first shell block of the section "Install" of README."""
    readme = clone / "README.md"
    start = readme.read_text(encoding="utf-8").partition("\n## Install\n")[0].count("\n")
    page = ROOT / "README.md"
    block = next(b for b in blocks(page) if b.language == "sh" and b.line > start)
    assert "pip install" in block.text
    subprocess.run(["bash", "-ec", block.text], cwd=clone, check=True, env=clean_environment())


def run_tutorial(python: Path, name: str, work: Path) -> str:
    """Run one tutorial; return its output."""
    runner, page = (
        ROOT / "tests" / "support" / "doc_runner.py",
        ROOT / "docs" / "tutorials" / f"{name}.md",
    )
    environment = clean_environment()
    environment["PATH"] = f"{python.parent}{os.pathsep}{environment['PATH']}"
    ran = subprocess.run(
        [python, runner, page],
        cwd=work,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    (work / f"{name}.log").write_text(ran.stdout, encoding="utf-8")
    assert ran.returncode == 0, ran.stdout[-4000:]
    return ran.stdout


def clean_environment() -> dict[str, str]:
    """Return the environment without references to the developers' environment."""
    kept = {k: v for k, v in os.environ.items() if k not in ("VIRTUAL_ENV", "PYTHONPATH")}
    mine = str(Path(sys.executable).parent)
    kept["PATH"] = os.pathsep.join(p for p in kept["PATH"].split(os.pathsep) if p != mine)
    return kept | {"PYTHONIOENCODING": "utf-8"}


def check_student(output: str, work: Path, python: Path) -> None:
    """Check the picture, the video, the own world and the effect of a changed number."""
    for name in ("step.png", "stairs.png", "higher.png"):
        assert picture_size(work / name) == (960, 640), name
        assert colours(python, work / name) > 100, f"{name} is empty"
    assert frames(python, work / "step.webm") == 126  # 5 s of 25, and the first
    assert "kind: stairs" in (work / "my_stairs.yaml").read_text(encoding="utf-8")
    assert "timestep: 0.001  # default" in output
    rows = [line.split() for line in output.splitlines() if line.startswith("scout ")]
    heights = [float(row[3]) for row in rows]
    assert heights[0] > 0.3, "the starter's robot does not climb its stairs"
    assert len(set(heights)) >= 3, "another number, and nothing changes"
    assert (work / "higher.png").read_bytes() != (work / "stairs.png").read_bytes()


def check_rescue(output: str, work: Path, python: Path) -> None:
    """Check the sheet, the other ground and the scanned world."""
    sheet = (work / "mobility_packbot" / "index.html").read_text(encoding="utf-8")
    assert sheet.count("<img") == 11
    assert "grouser mobility packbot --sheet" in sheet
    assert "mm passed" in sheet
    inclines = [line for line in output.splitlines() if line.startswith("incline")]
    assert inclines[-1].count("passed") < inclines[-2].count("passed"), "friction changes nothing"
    assert "50 % pass at" in output
    assert colours(python, work / "table.png") > 100


def check_robocup(output: str, work: Path, python: Path) -> None:
    """Check the camera picture received over the network, and the referee's messages."""
    assert "something is 0." in output
    assert picture_size(work / "seen.png") == (320, 240)
    assert colours(python, work / "seen.png") > 30
    assert "'initial" in output


def check_researcher(output: str, work: Path, python: Path) -> None:
    """Check the log, the comparison and the calibration."""
    rows = (work / "run.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0].startswith("t_s,x_m,y_m,z_m,")
    assert len(rows) == 1 + 131
    page = (work / "comparison" / "index.html").read_text(encoding="utf-8")
    assert "grouser compare kenaf_edge_and_slope run.csv --report comparison" in page
    assert output.count("determined ±") == 2
    assert "(quick: a short version" in (work / "table4" / "index.html").read_text()


CHECKS = {
    "student": check_student,
    "rescue": check_rescue,
    "robocup": check_robocup,
    "researcher": check_researcher,
}


def picture_size(path: Path) -> tuple[int, int]:
    """Return width and height of a PNG file."""
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n"), path
    width, height = struct.unpack(">II", content[16:24])
    return width, height


def colours(python: Path, path: Path) -> int:
    """Return the number of colours of a picture."""
    code = "import sys; from PIL import Image; im = Image.open(sys.argv[1]).convert('RGB')"
    return run_on_file(python, f"{code}; print(len(im.getcolors(1 << 24)))", path)


def frames(python: Path, path: Path) -> int:
    """Return the number of frames of a video."""
    code = "import cv2, sys; film = cv2.VideoCapture(sys.argv[1])"
    return run_on_file(
        python, f"{code}; print(sum(1 for _ in iter(lambda: film.read()[0], False)))", path
    )


def run_on_file(python: Path, code: str, path: Path) -> int:
    """Return the number that ``code`` prints for a file."""
    ran = subprocess.run([python, "-c", code, path], capture_output=True, text=True, check=True)
    return int(ran.stdout)


if __name__ == "__main__":
    for part, seconds in main(Path(sys.argv[1])).items():
        print(f"{part:12} {seconds:6.1f} s")
