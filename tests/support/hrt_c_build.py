"""Build of the robot library in C for tests, with strict warnings and memory checks."""

import functools
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CLIB, SQUARE = ROOT / "clib", ROOT / "examples" / "c" / "square.c"
COMPILER = shutil.which("cc") if shutil.which("make") else None

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C compiler (cc, make) is here")


@functools.cache
def libraries() -> Path:
    """Return the folder with libhrt_sim and libhrt_can, built once per process."""
    folder = Path(tempfile.mkdtemp(prefix="hrt"))
    made = subprocess.run(
        ["make", "-C", CLIB, f"BUILD={folder}"], capture_output=True, text=True, timeout=120
    )
    assert made.returncode == 0, made.stderr
    return folder


def compile_program(source: Path, library: str) -> Path:
    """Return a program linked with a library, ``sim`` or ``can``; the source has no #include."""
    assert COMPILER is not None
    program = libraries() / f"{source.stem}_{library}"
    command: list[str | Path] = [COMPILER, "-std=c11", "-include", CLIB / "hrt.h", source]
    made = subprocess.run(
        [*command, "-o", program, libraries() / f"libhrt_{library}.a", "-lm"],
        capture_output=True,
        text=True,
    )
    assert made.returncode == 0, made.stderr
    return program
