"""Interactive viewer: MuJoCo's passive viewer with keyboard driving and mouse perturbation.

The viewer has its own model and data; changes in its panels affect the display only. Two inputs
are passed to the simulation: pressed keys, and the perturbation force of the mouse. The viewer
reports key presses but not releases, so a robot keeps its command until the next key.
"""

from __future__ import annotations

import copy
import itertools
import math
import os
import sys
import threading
import time
import warnings
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any

import mujoco
import numpy as np
from rich.console import Console
from rich.text import Text

from grouser.cli.paced_run import RunSummary, advance, begin_summary, whole_steps
from grouser.cli.terminal import plain_table
from grouser.errors import MissingDependency, PolicyFailed
from grouser.rendering.render_state import copy_appearance
from grouser.rendering.renderer import FINE_SHADOWS, SHADOW_REACH
from grouser.robots.drive_command import drivable, drive_command
from grouser.service.pace import RealTimePacer
from grouser.simulation.simulation import Simulation

RATE = 50
"""Frames per wall second."""
MAX_FRAME_TIME = 0.1
"""Wall time (s) per frame above which the simulation runs slower than the real-time factor."""
HINT = "arrows: drive   Home: stop   Space: pause   , . : speed   End: next robot"

NOTCH = 0.25
"""Change of speed or turn rate per key press, as a share of the largest."""
FLIPPER_STEP = math.tau / 24
"""Change of a flipper angle per key press, rad."""
SLOWEST, FASTEST = 1 / 16, 4.0
"""Limits of the real-time factor."""

UP, DOWN, LEFT, RIGHT = 265, 264, 263, 262  # GLFW key codes
SPACE, HOME, END = 32, 268, 269
INSERT, DELETE, PAGE_UP, PAGE_DOWN = 260, 261, 266, 267
COMMA, PERIOD = 44, 46

KEYS = {
    "arrows": "faster, slower or back, turn left, turn right",
    "Home": "stop",
    "Ins, Del": "front flippers up, down",
    "PgUp, PgDn": "rear flippers up, down",
    "End": "drive the next robot",
    "Space": "pause, go on",
    ", .": "slow motion, faster",
    "mouse": "turn, move and zoom the view; double-click a body, then Ctrl-drag: push it",
}
"""Keys -> description."""


def check_display() -> None:
    """Raise `MissingDependency` if no window can be opened; the message lists alternatives."""
    instead = (
        "instead: grouser run WORLD --picture F.png or --video F.webm, "
        "'ssh -X' to a machine with a screen, or xvfb-run"
    )
    if sys.platform.startswith("linux") and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        raise MissingDependency(
            f"a window needs a display, and neither DISPLAY nor WAYLAND_DISPLAY is set; {instead}"
        )
    if sys.platform == "darwin" and not _under_mjpython():
        raise MissingDependency(
            "on macOS a window needs MuJoCo's own Python: mjpython -m grouser view WORLD"
        )
    import glfw

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # reported below instead
        opened = bool(glfw.init())
        if opened and sys.platform != "darwin":
            glfw.window_hint(glfw.VISIBLE, False)
            trial = glfw.create_window(16, 16, "grouser", None, None)
            opened = bool(trial)
            if opened:
                glfw.destroy_window(trial)
            glfw.default_window_hints()
    if not opened:
        raise MissingDependency(f"this display cannot open a window with OpenGL; {instead}")


def print_keys(console: Console) -> None:
    """Print the functions of keys and mouse."""
    grid = plain_table()
    for keys, meaning in KEYS.items():
        grid.add_row(Text(keys, "bold cyan"), Text(meaning))
    console.print(grid, "")


def watch(simulation: Simulation, *, factor: float, seconds: float = math.inf) -> RunSummary:
    """Show a simulation in a window until it is closed, or for ``seconds`` of simulated time.

    ``factor`` is the initial real-time factor.
    """
    driver, summary = KeyDriver(simulation, factor), begin_summary(simulation)
    end = whole_steps(simulation, seconds)
    almost = end - simulation.scene.timestep / 2
    window = SimulationWindow(simulation)
    began = time.perf_counter()
    pacer = RealTimePacer(factor, max_lag=MAX_FRAME_TIME)
    frames = RealTimePacer(RATE, max_lag=0.0)
    try:
        for frame in itertools.count(1):
            if not window.is_open or summary.simulated >= almost:
                break
            for key in window.drain_keys():
                driver.press(key)
            if window.shows is not simulation.model:  # the scene was rebuilt
                window.close()
                window = SimulationWindow(simulation)
            if driver.paused or driver.factor != pacer.factor:
                pacer.restart(simulation.time, driver.factor)
            until = simulation.time + pacer.due(simulation.time)
            advance(simulation, summary, min(end, until))
            window.update(simulation, driver.status)
            frames.sleep(frame)
    except KeyboardInterrupt:
        summary.interrupted = True
    except PolicyFailed:
        pass  # stored in the control of the policy
    finally:
        window.close()
    summary.clock = time.perf_counter() - began
    return summary


class SimulationWindow:
    """MuJoCo's passive viewer on a copy of a simulation's model and data."""

    def __init__(self, simulation: Simulation, hint: str = HINT) -> None:
        import mujoco.viewer

        self._hint = hint

        self.shows = simulation.model
        self._keys: SimpleQueue[int] = SimpleQueue()
        self._model = copy.copy(simulation.model)
        view = simulation.view()
        self._reach = SHADOW_REACH * view.distance
        self._model.vis.quality.shadowsize = FINE_SHADOWS
        self._model.vis.map.shadowclip = self._reach / self._model.stat.extent
        self._data = mujoco.MjData(self._model)
        _copy_state(simulation.data, self._model, self._data)
        others = set(threading.enumerate())
        self._handle: Any = mujoco.viewer.launch_passive(
            self._model,
            self._data,
            key_callback=self._keys.put,
            show_left_ui=False,
            show_right_ui=False,
        )
        self._drawing = set(threading.enumerate()) - others
        self._lookat = np.array(view.lookat)
        with self._handle.lock():
            camera = self._handle.cam
            camera.lookat[:] = view.lookat
            camera.distance = view.distance
            camera.azimuth, camera.elevation = view.azimuth_deg, view.elevation_deg
            self._handle.opt.sitegroup[:] = 0

    @property
    def is_open(self) -> bool:
        """False after the window was closed."""
        return bool(self._handle.is_running())

    def drain_keys(self) -> list[int]:
        """Return the keys pressed since the last call."""
        pressed: list[int] = []
        while True:
            try:
                pressed.append(self._keys.get_nowait())
            except Empty:
                return pressed

    def update(self, simulation: Simulation, status: str) -> None:
        """Show the present state, and apply the perturbation force of the mouse."""
        if self.shows is not simulation.model:
            return
        _copy_state(simulation.data, self._model, self._data)
        copy_appearance(simulation.model, self._model)
        lookat = np.array(simulation.view().lookat)
        # Shadows are centred on the tracked point, as in pictures.
        sun = self._model.light_type == mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
        self._data.light_xpos[sun] = lookat - 2 * self._reach * self._data.light_xdir[sun]
        with self._handle.lock():
            self._handle.cam.lookat[:] += lookat - self._lookat  # relative to the user's change
        self._lookat = lookat
        above, below = mujoco.mjtGridPos.mjGRID_TOPLEFT, mujoco.mjtGridPos.mjGRID_BOTTOMLEFT
        self._handle.set_texts([(None, above, status, ""), (None, below, self._hint, "")])
        self._handle.sync()
        with self._handle.lock():
            self._data.xfrc_applied[:] = 0.0
            mujoco.mjv_applyPerturbForce(self._model, self._data, self._handle.perturb)
        simulation.data.xfrc_applied[:] = self._data.xfrc_applied

    def close(self) -> None:
        """Close the window and wait for its render thread; may be called twice."""
        self._handle.close()
        for thread in self._drawing:  # closing during rendering would crash the process
            thread.join(timeout=5.0)


def _copy_state(source: mujoco.MjData, model: mujoco.MjModel, target: mujoco.MjData) -> None:
    """Copy positions and velocities, and update the kinematics of ``target``."""
    target.time = source.time
    target.qpos[:], target.qvel[:] = source.qpos, source.qvel
    target.mocap_pos[:], target.mocap_quat[:] = source.mocap_pos, source.mocap_quat
    mujoco.mj_fwdPosition(model, target)
    mujoco.mj_fwdVelocity(model, target)  # for the damping of the perturbation force


def _under_mjpython() -> bool:
    import mujoco.viewer

    return mujoco.viewer._MJPYTHON is not None


@dataclass
class Helm:
    """Key command of one robot."""

    throttle: float = 0.0
    """Share of the largest speed, -1 (backwards) to 1."""
    rudder: float = 0.0
    """Share of the largest turn rate, -1 (right) to 1 (left)."""


class KeyDriver:
    """Conversion of key presses to robot commands, pause and real-time factor."""

    def __init__(self, simulation: Simulation, factor: float) -> None:
        """Select the first robot; ``factor`` is the real-time factor."""
        self.paused = False
        self.factor = factor
        self._simulation = simulation
        self._chosen = 0
        self._helms: dict[str, Helm] = {}

    @property
    def robot(self) -> str:
        """Name of the driven robot; empty if there is none."""
        names = [name for name, robot in self._simulation.scene.robots.items() if drivable(robot)]
        return names[self._chosen % len(names)] if names else ""

    @property
    def status(self) -> str:
        """Driven robot, its command and the real-time factor, for display."""
        pace = "paused" if self.paused else f"{self.factor:g} x real time"
        if not self.robot:
            return pace
        helm = self._helms.get(self.robot, Helm())
        turn = f", {abs(helm.rudder):.0%} {'left' if helm.rudder > 0 else 'right'}"
        return f"{self.robot}: {helm.throttle:.0%}{turn if helm.rudder else ''}, {pace}"

    def press(self, key: int) -> None:
        """Process a key press; unassigned keys are ignored."""
        helm = self._helms.setdefault(self.robot, Helm())
        if key == SPACE:
            self.paused = not self.paused
        elif key in (COMMA, PERIOD):
            faster = 2.0 if key == PERIOD else 0.5
            self.factor = min(FASTEST, max(SLOWEST, self.factor * faster))
        elif key == END:
            self._chosen += 1
        elif key in (UP, DOWN):
            helm.throttle = _clamp(helm.throttle + (NOTCH if key == UP else -NOTCH))
            self._steer(helm)
        elif key in (LEFT, RIGHT):
            helm.rudder = _clamp(helm.rudder + (NOTCH if key == LEFT else -NOTCH))
            self._steer(helm)
        elif key == HOME:
            helm.throttle = helm.rudder = 0.0
            self._steer(helm)
        elif key in (INSERT, DELETE):
            self._flip("front", FLIPPER_STEP if key == INSERT else -FLIPPER_STEP)
        elif key in (PAGE_UP, PAGE_DOWN):
            self._flip("rear", FLIPPER_STEP if key == PAGE_UP else -FLIPPER_STEP)

    def _steer(self, helm: Helm) -> None:
        if self.robot:
            robot = self._simulation.scene.robots[self.robot]
            self._simulation.command(self.robot, drive_command(robot, helm.throttle, helm.rudder))

    def _flip(self, group: str, step: float) -> None:
        """Rotate flippers by ``step`` (rad, up positive) from their present angles."""
        if not self.robot:
            return
        robot = self._simulation.scene.robots[self.robot]
        drives = robot.groups.get(group, ())
        angles = self._simulation.angles(self.robot)
        wanted = {}
        for drive in drives:
            low, high = robot.limits.get(drive, (-math.inf, math.inf))
            wanted[f"{drive}_angle"] = min(high, max(low, angles[drive] + step))
        if wanted:
            self._simulation.command(self.robot, wanted)


def _clamp(share: float) -> float:
    return min(1.0, max(-1.0, share))
