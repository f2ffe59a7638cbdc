"""Commands of the command line: run, list, experiment, bench; help, errors, interrupts."""

from __future__ import annotations

import json
import os
import platform
import struct
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from support.cli_runner import error_line, grouser

from grouser import errors
from grouser.benches import BENCHES, baseline
from grouser.benches import robot as robot_bench
from grouser.benches.machine import machine
from grouser.experiments import EXPERIMENTS
from grouser.experiments.run_options import RunOptions
from grouser.rendering import gl
from grouser.reports.report import Report
from grouser.reports.rules import SAME_LETTER
from grouser.reports.table import Row, Table
from grouser.simulation.simulation import Simulation
from grouser.world.file import shipped

pytestmark = pytest.mark.usefixtures("working_folder")

SOURCE = Path(errors.__file__).parents[1]
SHORT = ("--seconds", "0.2", "--size", "96x64")
TABLE = Table(
    "fake-table1",
    "A. U. Thor 2020, Table I",
    "Does it climb?",
    (
        Row({"height_mm": 120}, "S", "S", SAME_LETTER.judge("S", "S")),
        Row({"height_mm": 190}, "F", "S", SAME_LETTER.judge("F", "S"), "slips"),
    ),
    {"rtf": float("nan")},
)


def process(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | {"PYTHONPATH": str(SOURCE)} | environment,
    )


def world_file(folder: Path, old: str = "", new: str = "") -> Path:
    text = shipped()["quince_step"].read_text(encoding="utf-8")
    assert old in text
    file = folder / "w.yaml"
    file.write_text(text.replace(old, new, 1) if old else text, encoding="utf-8")
    return file


# -- run -----------------------------------------------------------------------------------------


def test_run_prints_final_poses_and_writes_the_picture(tmp_path: Path) -> None:
    result = grouser("run", "quince_step", *SHORT, "--picture", "new/end.png")
    assert result.exit_code == 0, result.output
    for word in ("quince", "0.20 s simulated", "× real time", "energy", "wrote new/end.png"):
        assert word in result.stdout
    assert result.stderr == ""
    content = (tmp_path / "new" / "end.png").read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", content[16:24]) == (96, 64)
    assert [file.name for file in (tmp_path / "new").iterdir()] == ["end.png"]


def test_run_films_25_frames_per_simulated_second(tmp_path: Path) -> None:
    cv2 = pytest.importorskip("cv2")
    assert grouser("run", "quince_step", *SHORT, "--video", "v.mp4").exit_code == 0
    video = cv2.VideoCapture(str(tmp_path / "v.mp4"))
    assert video.get(cv2.CAP_PROP_FPS) == 25
    assert video.get(cv2.CAP_PROP_FRAME_COUNT) == 6  # one frame at the start, then every 40 ms
    video.release()


def test_recording_does_not_change_the_run() -> None:
    pytest.importorskip("cv2")

    def numbers(*more: str) -> list[str]:
        lines = grouser("run", "quince_step", *SHORT, *more).stdout.splitlines()
        return next(line for line in lines if line.startswith("quince ")).split()

    assert numbers() == numbers("--video", "v.mp4")


def test_set_option_changes_the_world() -> None:
    result = grouser("run", "quince_step", *SHORT, "--set", "robots.quince.position=[-3, 1]")
    assert result.exit_code == 0
    assert " 1.000 " in result.stdout
    assert "-2.9" in result.stdout


def test_world_without_robots_runs(tmp_path: Path) -> None:
    text = world_file(tmp_path).read_text(encoding="utf-8").partition("robots:")[0]
    (tmp_path / "bare.yaml").write_text(text, encoding="utf-8")
    result = grouser("run", "bare.yaml", *SHORT)
    assert result.exit_code == 0, result.output
    assert "no robots" in result.stdout


def test_speed_option_limits_the_simulation_speed() -> None:
    began = time.perf_counter()
    result = grouser("run", "quince_step", "--seconds", "0.6", "--speed", "0.5")
    assert result.exit_code == 0
    assert time.perf_counter() - began >= 1.2


def test_ctrl_c_prints_and_writes_results_so_far(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    naps = []

    def press(_: Any, simulated: float) -> None:
        naps.append(simulated)
        if len(naps) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr("grouser.service.pace.RealTimePacer.sleep", press)
    result = grouser("run", "quince_step", "--speed", "1", "--size", "96x64", "--picture", "p.png")
    assert result.exit_code == 130
    assert "0.12 s simulated" in result.stdout
    assert result.stderr == "grouser: interrupted at 0.12 simulated seconds\n"
    assert (tmp_path / "p.png").is_file()


def test_ctrl_c_before_the_start_prints_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def press(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("grouser.world.file.load", press)
    result = grouser("run", "quince_step")
    assert (result.exit_code, result.stderr) == (130, "grouser: interrupted\n")


def test_divergence_prints_one_line_and_writes_no_picture(tmp_path: Path) -> None:
    result = grouser(
        "run", "quince_step", *SHORT, "--set", "physics.energy_limit=1e-9", "--picture", "p.png"
    )
    assert "diverged" in error_line(result)
    assert [file.suffix for file in tmp_path.iterdir()] == [".npz"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("kind: quince", "kind: quinze", "there is no robot 'quinze' "),
        ("friction: 0.6", "friction: -0.6", "friction"),
        ("height:", "heigth:", "did you mean 'height'?"),
        ("{forward: 0.1}", "{foward: 0.1}", "did you mean 'forward'?"),
        ("name: quince_step", "name: [", "line"),
    ],
)
def test_world_file_errors_print_one_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    sentence = error_line(grouser("run", world_file(tmp_path, old, new)))
    assert "w.yaml line" in sentence
    assert message in sentence


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["quince_stp"], "did you mean 'quince_step'?"),
        (["nowhere.yaml"], "no such file"),
        (["quince_step", "--seconds", "0"], "--seconds is 0, must be a number above 0"),
        (["quince_step", "--seconds", "-1"], "--seconds is -1"),
        (["quince_step", "--seconds", "nan"], "--seconds is nan"),
        (["quince_step", "--seconds", "inf"], "--seconds is inf"),
        (["quince_step", "--seconds", "1e-7"], "must be at least one time step"),
        (["quince_step", "--speed", "0"], "--speed is '0', must be 'max' or a number"),
        (["quince_step", "--speed", "fast"], "--speed is 'fast'"),
        (["quince_step", "--size", "10x"], "--size is '10x', must be width x height"),
        (["quince_step", "--size", "99999x9"], "each from 16 to 4096"),
        (["quince_step", "--picture", "p.jpg"], "p.jpg: the name must end in .png"),
        (["quince_step", "--picture", "folder.png"], "is a folder"),
        (["quince_step", "--picture", "file/p.png"], "cannot be written"),
        (["quince_step", "--video", "v.avi"], "v.avi: the name must end in .webm or .mp4"),
        (["quince_step", "--set", "terrain.1.heigth=1"], "did you mean 'height'?"),
    ],
)
def test_invalid_options_are_rejected_before_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    (tmp_path / "folder.png").mkdir()
    (tmp_path / "file").touch()
    monkeypatch.delattr(Simulation, "step")
    assert message in error_line(grouser("run", *arguments))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["file", "folder.png"]


def test_missing_opengl_is_reported_before_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> str:
        raise errors.MissingDependency("pictures need OpenGL")

    monkeypatch.setattr(gl, "back_end", none)
    monkeypatch.delattr(Simulation, "step")
    assert error_line(grouser("run", "quince_step", "--picture", "p.png")) == "pictures need OpenGL"


# -- list ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "name", "about"),
    [
        ("robots", "quince", "rescue crawler"),
        ("tracks", "segments", "roll-back"),
        ("worlds", "quince_step", "step of 120 mm"),
        ("experiments", "okada-table4", ""),
        ("benches", "tracks", ""),
        ("sensors", "truth", "Pose and velocity"),
        ("terrains", "stairs", "Equal stairs"),
    ],
)
def test_list_prints_names_and_descriptions(kind: str, name: str, about: str) -> None:
    full, plain = grouser("list", kind), grouser("list", kind, "--plain")
    assert (full.exit_code, plain.exit_code) == (0, 0)
    assert name in full.stdout
    assert about in full.stdout
    names = plain.stdout.splitlines()
    assert name in names
    assert all(" " not in line for line in names)


def test_unknown_kind_is_rejected_with_nearest_match() -> None:
    assert error_line(grouser("list", "robot")).endswith("did you mean 'robots'?")


# -- experiment and bench ------------------------------------------------------------------------


@pytest.fixture
def studies(monkeypatch: pytest.MonkeyPatch) -> list[RunOptions]:
    """Register the experiment ``fake-table1``, which records its options."""
    asked: list[RunOptions] = []

    def run(study: RunOptions) -> Report:
        asked.append(study)
        study.progress("climbing", 1, 2)
        return Report(TABLE)

    module = ModuleType("fake_table1")
    module.run = run  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "fake_table1", module)
    monkeypatch.setitem(EXPERIMENTS, "fake-table1", "fake_table1")
    return asked


def test_experiment_prints_the_table_and_writes_it(
    tmp_path: Path, studies: list[RunOptions]
) -> None:
    result = grouser("experiment", "fake_table1", "--quick", "--seed", 7, "--json", "a/t.json")
    assert result.exit_code == 0, result.output
    assert "DISAGREES" in result.stdout
    assert "1 of 2 judged rows agree" in result.stdout
    written = json.loads((tmp_path / "a" / "t.json").read_text(encoding="utf-8"))
    assert written == TABLE.to_json()
    assert written["figures"] == {"rtf": None}
    assert (studies[0].quick, studies[0].seed, studies[0].pictures) == (True, 7, False)


def test_experiment_writes_a_report(tmp_path: Path, studies: list[RunOptions]) -> None:
    result = grouser("experiment", "fake-table1", "--quick", "--seed", 3, "--report", "r")
    assert result.exit_code == 0, result.output
    assert studies[0].pictures
    page = (tmp_path / "r" / "index.html").read_text(encoding="utf-8")
    assert "Does it climb?" in page
    assert "grouser experiment fake-table1 --quick --seed 3 --report r" in page
    assert "(quick: a short version" in page
    for words in ("S: success", "F: failure", "rtf: real-time factor"):
        assert words in page
        assert words in result.stdout


def test_failing_routine_is_printed_and_makes_the_exit_code_1(tmp_path: Path) -> None:
    world = tmp_path / "world.yaml"
    world.write_text(
        "name: w\nterrain: [{kind: flat}]\nevents: [{name: tick, at: 0.1, call: 'nowhere:tick'}]\n"
    )
    result = grouser("run", world, "--seconds", "0.2")
    assert result.exit_code == 1
    assert "tick failed: call: there is no routine 'nowhere:tick'" in " ".join(
        result.stderr.split()
    )


def test_experiment_rejects_options_before_the_run(
    tmp_path: Path, studies: list[RunOptions]
) -> None:
    assert "is a folder" in error_line(grouser("experiment", "fake-table1", "--json", tmp_path))
    (tmp_path / "file").touch()
    assert "cannot be written" in error_line(
        grouser("experiment", "fake-table1", "--report", tmp_path / "file")
    )
    assert studies == []


def test_nearest_match_keeps_its_spelling() -> None:
    assert errors.nearest("frfliper", ["Left", "FRFlipper"]) == "; did you mean 'FRFlipper'?"
    assert errors.nearest("wing", ["Left", "FRFlipper"]) == ""


def test_unknown_experiment_or_bench_is_rejected_with_nearest_match() -> None:
    sentence = error_line(grouser("experiment", "okada-tabel4"))
    assert sentence.endswith("did you mean 'okada-table4'?")
    assert error_line(grouser("bench", "track")).endswith("did you mean 'tracks'?")


def test_bench_prints_figures_and_writes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType("fake_bench")
    module.run = lambda progress: {"segments_rtf": 12.5, "none": float("inf")}  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "fake_bench", module)
    monkeypatch.setitem(BENCHES, "fake", "fake_bench")
    result = grouser("bench", "fake", "--json", "b.json")
    assert result.exit_code == 0, result.output
    assert "segments rtf" in result.stdout
    assert "12.5" in result.stdout
    written = json.loads((tmp_path / "b.json").read_text(encoding="utf-8"))
    figures = {"segments_rtf": 12.5, "none": None}
    assert written == {"bench": "fake", "figures": figures, "machine": machine()}


def test_bench_compares_a_robot_file_with_packbot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robot_bench, "TURNS", 1)
    monkeypatch.setattr(robot_bench, "SETTLE", 0.05)
    file = Path(__file__).parents[1] / "examples" / "robots" / "student" / "rover.yaml"
    result = grouser("bench", "robot", "--robot", str(file))
    assert result.exit_code == 0, result.output
    for motion in ("standing", "driving", "turning"):
        assert f"{motion} rtf" in result.stdout
    assert error_line(grouser("bench", "tracks", "--robot", str(file))).endswith(
        "bench robot' does"
    )


def test_bench_refuses_baselines_that_do_not_exist() -> None:
    assert error_line(grouser("bench", "ground", "--baseline", "HEAD")).endswith(
        "'ground' takes no --baseline; only 'grouser bench tracks' does"
    )
    message = error_line(grouser("bench", "tracks", "--baseline", "no-such-commit"))
    assert message.startswith("bench: --baseline no-such-commit: ")


@pytest.mark.slow
@pytest.mark.skipif(not (Path(__file__).parents[1] / ".git").exists(), reason="no git checkout")
def test_speed_over_the_same_sources_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baseline, "PAIRS", 1)
    text = (
        "name: flat\nterrain: [{kind: flat}]\nrobots: [{name: p, kind: packbot, position: [0, 0]}]"
    )
    lossless = text + "\nphysics: {losses: false}"
    cases = (("same", text, text), ("lossless", lossless, text))
    figures = baseline.speed_over("HEAD", cases)
    assert 0.8 < figures["same"] < 1.25
    assert figures["lossless"] > figures["same"]


def test_machine_data_contain_no_host_or_user_name() -> None:
    here = machine()
    assert list(here) == [
        *("cpu", "cores", "memory_gib", "platform", "python", "mujoco", "numpy", "grouser")
    ]
    assert isinstance(here["cores"], int)
    assert here["cores"] >= 1
    assert all(platform.node() not in str(v) and "/home" not in str(v) for v in here.values())


# -- as a program --------------------------------------------------------------------------------


def test_help_and_version_do_not_import_mujoco() -> None:
    code = (
        "import sys\n"
        "from grouser.cli import app\n"
        "try: app(['--help'])\n"
        "except SystemExit as end: assert end.code in (0, None)\n"
        "heavy = {'mujoco', 'matplotlib', 'numpy', 'pydantic'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)\n"
    )
    done = process("-c", code)
    assert done.returncode == 0, done.stderr
    assert "experiment" in done.stdout
    assert grouser("--version").stdout.startswith("grouser ")


@pytest.mark.parametrize("command", ["run", "list", "experiment", "bench"])
def test_every_command_has_an_example_in_its_help(command: str) -> None:
    result = grouser(command, "--help")
    assert result.exit_code == 0
    assert f"grouser {command} " in result.stdout.partition("For example:")[2]


def test_user_error_exits_with_2_without_traceback(tmp_path: Path) -> None:
    done = process(
        "-m", "grouser", "run", str(world_file(tmp_path, "kind: quince", "kind: quinze"))
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("grouser: ")
    assert "did you mean 'quince'?" in done.stderr
    assert done.stderr.count("\n") == 1


def test_invalid_gl_back_end_prints_one_line_without_pictures() -> None:
    done = process("-m", "grouser", "list", "robots", MUJOCO_GL="bogus")
    assert done.returncode == 2
    assert done.stderr.startswith("grouser: MUJOCO_GL: there is no OpenGL back end 'bogus'")
    assert done.stderr.count("\n") == 1


def test_wrong_usage_exits_with_2() -> None:
    assert grouser("run").exit_code == 2
    assert grouser("rnu", "quince_step").exit_code == 2
    assert grouser("run", "quince_step", "--seed", "-1").exit_code == 2
