"""Viewer window on a virtual display: opening, key commands, rendering."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from grouser.cli import app
from grouser.cli.window import (
    COMMA,
    DOWN,
    END,
    FLIPPER_STEP,
    HOME,
    INSERT,
    LEFT,
    NOTCH,
    SPACE,
    UP,
    KeyDriver,
)
from grouser.robots.drive_command import drivable
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, load, shipped

TIMEOUT = 90.0  # s; the machine may be busy


def test_missing_display_is_reported_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("DISPLAY is Linux's")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    for command in (["view", "quince_step"], ["run", "quince_step", "--view"]):
        printed = CliRunner().invoke(app, command)
        assert printed.exit_code == 2
        assert "needs a display" in printed.output
        assert "--video F.webm" in printed.output
    printed = CliRunner().invoke(app, ["run", "quince_step", "--view", "--gif", "a.gif"])
    assert "cannot be combined with output files" in printed.output


@pytest.mark.parametrize("kind", ["quince", "p3at", "ers7", "velociroach", "qrio", "lugged_rover"])
def test_keys_drive_tracks_wheels_and_legs(kind: str) -> None:
    """Two key presses move the robot forwards; Home stops it."""
    world = load("roach_circle").changed(
        robots=(RobotEntry(name="it", kind=kind, position=(0.0, 0.0, 0.0)),)
    )
    sim = Simulation(world, crash_folder=None)
    keys = KeyDriver(sim, 1.0)
    assert keys.robot == "it"
    keys.press(UP)
    keys.press(UP)
    assert keys.status == "it: 50%, 1 x real time"
    sim.step(1.0)
    assert sim.pose("it").position[0] > 0.02
    keys.press(HOME)
    assert keys.status == "it: 0%, 1 x real time"


def test_left_key_turns_left_and_down_key_reverses() -> None:
    sim = Simulation(load("quince_step", ["robots.0.command={}"]), crash_folder=None)
    keys = KeyDriver(sim, 1.0)
    for _ in range(9):
        keys.press(DOWN)
    assert keys.status.startswith("quince: -100%")
    sim.step(0.5)
    assert sim.pose("quince").position[0] < -0.01
    keys.press(HOME)
    keys.press(LEFT)
    assert keys.status == f"quince: 0%, {NOTCH:.0%} left, 1 x real time"
    before = sim.angles("quince")
    sim.step(0.3)
    after = sim.angles("quince")
    assert after["right"] - before["right"] > 0 > after["left"] - before["left"]


def test_keys_for_flippers_pause_slow_motion_and_next_robot() -> None:
    sim = Simulation(load("match_2v2"), crash_folder=None)
    keys = KeyDriver(sim, 1.0)
    first = keys.robot
    keys.press(END)
    assert keys.robot != first
    keys.press(COMMA)
    keys.press(SPACE)
    assert (keys.factor, keys.paused) == (0.5, True)
    sim = Simulation(load("rubble"), crash_folder=None)
    keys, before = KeyDriver(sim, 1.0), sim.angles("kenaf")
    keys.press(INSERT)
    sim.step(1.0)
    moved = {name: angle - before[name] for name, angle in sim.angles("kenaf").items()}
    front = sim.scene.robots["kenaf"].groups["front"]
    assert [moved[name] for name in front] == pytest.approx([FLIPPER_STEP] * 2, abs=0.05)


def test_every_shipped_world_can_be_viewed_and_driven() -> None:
    still = {"conveyor", "drone"}
    for name in shipped():
        world = load(name)
        for entry in world.robots[:1]:
            robot = Simulation(
                load("roach_circle").changed(robots=(entry,)), crash_folder=None
            ).scene.robots[entry.name]
            assert drivable(robot) or entry.kind in still | {"air_traffic"}, name


def skip_without(*programs: str) -> None:
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)} (Debian: xvfb, xdotool, imagemagick)")


@pytest.fixture
def display() -> Iterator[str]:
    skip_without("Xvfb")
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1000x700x24"],
        pass_fds=(writing,),
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    with os.fdopen(reading) as shown_number:
        number = shown_number.readline().strip()
    yield f":{number}"
    server.terminate()
    server.wait()


def take_screenshot(path: Path, environment: dict[str, str]) -> np.ndarray:
    from PIL import Image

    subprocess.run(["import", "-window", "root", str(path)], env=environment, check=True)
    return np.asarray(Image.open(path).convert("RGB")).astype(int)


@pytest.mark.slow
def test_window_opens_is_driven_by_keys_and_closes(display: str, tmp_path: Path) -> None:
    """xdotool presses the arrow keys; the final table has the distance."""
    skip_without("xdotool", "import")
    environment = os.environ | {"DISPLAY": display, "LIBGL_ALWAYS_SOFTWARE": "1"}
    environment.pop("WAYLAND_DISPLAY", None)
    command = [sys.executable, "-m", "grouser", "view", "quince_step", "--set"]
    with (tmp_path / "output.txt").open("w") as printed:
        viewer = subprocess.Popen(
            [*command, "robots.0.command={}"], env=environment, stdout=printed, stderr=printed
        )

        def grouser_view(*words: str) -> str:
            done = subprocess.run(
                ["xdotool", *words], env=environment, capture_output=True, text=True
            )
            return done.stdout.strip()

        try:
            end = time.monotonic() + TIMEOUT
            while not (window := grouser_view("search", "--onlyvisible", "--name", "MuJoCo")):
                assert viewer.poll() is None, (tmp_path / "output.txt").read_text()
                assert time.monotonic() < end, "no window"
                time.sleep(0.5)
            window = window.splitlines()[0]
            while take_screenshot(tmp_path / "a.png", environment).max() < 100:
                assert time.monotonic() < end, "nothing is drawn"
                time.sleep(0.5)
            time.sleep(2.0)
            before = take_screenshot(tmp_path / "a.png", environment)
            grouser_view("mousemove", "400", "300")
            for key in ("Up", "Up", "Up", "Up"):
                grouser_view("key", "--window", window, key)
                time.sleep(0.2)
            time.sleep(10.0)
            after = take_screenshot(tmp_path / "b.png", environment)
        finally:
            viewer.send_signal(signal.SIGINT)
            viewer.wait(timeout=120)
    text = (tmp_path / "output.txt").read_text()
    assert "arrows" in text
    row = next(line.split() for line in text.splitlines() if line.startswith("quince "))
    assert float(row[1]) > 0.05, f"it has not driven ahead:\n{text}"
    changed = np.abs(after - before).max(axis=-1) > 30
    assert changed.mean() > 0.01


PLAY = """
import json, sys
from pathlib import Path
from grouser.cli import playback_window, window
from grouser.recording.playback import Playback
from grouser.recording.recording import Recording

KEYS = {5: window.RIGHT, 10: window.HOME, 11: window.SPACE, 20: window.SPACE, 21: window.PERIOD}
KEYS[25] = window.END
shown = []

class Driven(window.SimulationWindow):
    def update(self, simulation, status):
        super().update(simulation, status)
        shown.append((status, simulation.pose("rover").position.tolist()))
        if key := KEYS.get(len(shown)):
            self._keys.put(key)  # as its key callback does
        if len(shown) == 40:
            self._handle.close()

playback_window.SimulationWindow = Driven
with Recording(Path(sys.argv[1])) as recording:
    playback_window.play(Playback(recording), 1.0)
print(json.dumps(shown))
"""


@pytest.mark.slow
def test_recording_is_played_in_a_window(display: str, tmp_path: Path) -> None:
    """Keys seek, pause and change the speed of a recording."""
    world = load("roach_circle").changed(
        robots=(RobotEntry(name="rover", kind="p2at", position=(0.0, 0.0, 0.0)),)
    )
    sim = Simulation(world, crash_folder=None)
    with sim.record(tmp_path / "run"):
        sim.command("rover", forward=0.5)
        sim.step(2.0)
    environment = os.environ | {"DISPLAY": display, "LIBGL_ALWAYS_SOFTWARE": "1"}
    environment.pop("WAYLAND_DISPLAY", None)
    command = [sys.executable, "-c", PLAY, str(tmp_path / "run")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    times = [float(status.split()[0]) for status, _ in shown]
    assert len(shown) == 40
    assert times[0] < times[4] < 2.0
    assert times[9] == 2.0, "the arrow seeks 5 s, to the end"
    assert shown[9][1] == pytest.approx(sim.pose("rover").position.tolist(), abs=1e-6)
    assert times[11] == times[18] < 0.5, "paused soon after the start"
    assert shown[15][0].endswith("s, paused")
    assert shown[30][0].endswith("s, 2 x real time")
    assert times[30] > times[18]


@pytest.mark.slow
def test_best_quality_renders_offscreen(display: str, tmp_path: Path) -> None:
    from PIL import Image

    best, high, film = (tmp_path / name for name in ("best.png", "high.png", "best.webm"))
    run = [sys.executable, "-m", "grouser", "run", "kenaf_step", "--seconds", "0.2"]
    run += ["--size", "240x160"]
    printed = subprocess.run(
        [*run, "--picture", best, "--video", film, "--quality", "best"],
        env=os.environ | {"DISPLAY": display},
        capture_output=True,
        text=True,
    )
    assert (printed.returncode, printed.stderr) == (0, "")  # no output of Filament itself
    subprocess.run([*run, "--picture", high], check=True)
    ours, theirs = (np.asarray(Image.open(path)).astype(float).mean(-1) for path in (best, high))
    assert ours.shape == theirs.shape == (160, 240)
    edges = [np.hypot(*np.gradient(grey)).ravel() for grey in (ours, theirs)]
    assert np.corrcoef(*edges)[0, 1] > 0.6  # the same view with other lighting
    assert film.stat().st_size > 10_000
