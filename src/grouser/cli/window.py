"""A window on a running world: MuJoCo's own viewer, with keys that drive and a mouse that pushes.

The viewer has a model and a state of its own: what its panels change is only what is shown. Two
things come back from it, keys and the force with which somebody pulls at a body.
"""

from __future__ import annotations

import copy
import math
import os
import sys
import threading
import time
import warnings
from queue import Empty, SimpleQueue
from typing import Any

import mujoco
import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from grouser.cli.key_driving import KEYS, KeyDriver
from grouser.cli.paced_run import LOG_RATE, RunSummary, Samples, advance, begin_summary
from grouser.errors import MissingDependency
from grouser.rendering.appearance import copy_appearance
from grouser.rendering.shadows import FINE, REACH
from grouser.simulation.run_log import RunLog
from grouser.simulation.simulation import Simulation

RATE = 50
"""Pictures per second of the clock."""
LATEST = 0.1
"""Time (s) between two pictures above which simulated time goes slower: it draws too slowly."""
HINT = "arrows: drive   Home: stop   Space: pause   , . : speed   End: next robot"


def check_display() -> None:
    """Refuse where no window can be opened, and say what else there is."""
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
        warnings.simplefilter("ignore")  # GLFW warns of what is told below
        opened = bool(glfw.init())
        if opened and sys.platform != "darwin":
            glfw.window_hint(glfw.VISIBLE, False)
            trial = glfw.create_window(16, 16, "grouser", None, None)
            opened = bool(trial)
            if opened:
                glfw.destroy_window(trial)
            glfw.default_window_hints()
    if not opened:
        raise MissingDependency(f"this display opens no window with OpenGL; {instead}")


def print_keys(console: Console) -> None:
    """Say what keys and mouse do."""
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    for keys, meaning in KEYS.items():
        grid.add_row(Text(keys, "bold cyan"), Text(meaning))
    console.print(grid, "")


def watch(
    simulation: Simulation,
    *,
    factor: float,
    seconds: float = math.inf,
    log: RunLog | None = None,
    log_rate: float = LOG_RATE,
) -> RunSummary:
    """Show a simulation in a window until it is closed, or ``seconds`` have been simulated.

    Args:
        simulation: a simulation that was not stepped yet.
        factor: simulated seconds per second of the clock, at first; keys change it.
        seconds: simulated time at most.
        log: notes what everybody does.
        log_rate: how often, Hz.
    """
    driver, summary = KeyDriver(simulation, factor), begin_summary(simulation)
    samples = Samples(simulation, log, log_rate)
    window = _Window(simulation)
    began = last = time.perf_counter()
    try:
        while window.is_open and summary.simulated < seconds:
            for key in window.drain_keys():
                driver.press(key)
            if window.shows is not simulation.model:  # somebody joined or left
                window.close()
                window = _Window(simulation)
            now = time.perf_counter()
            passed, last = min(LATEST, now - last), now
            if not driver.paused:
                until = simulation.time + driver.factor * passed
                advance(simulation, summary, min(seconds, until), samples)
            window.update(simulation, driver.status)
            time.sleep(max(0.0, now + 1 / RATE - time.perf_counter()))
    except KeyboardInterrupt:
        summary.interrupted = True
    finally:
        window.close()
    summary.clock = time.perf_counter() - began
    return summary


class _Window:
    """MuJoCo's passive viewer on a twin of a simulation's model and state."""

    def __init__(self, simulation: Simulation) -> None:
        import mujoco.viewer

        self.shows = simulation.model
        self._keys: SimpleQueue[int] = SimpleQueue()
        self._model = copy.copy(simulation.model)
        view = simulation.view()
        self._reach = REACH * view.distance
        self._model.vis.quality.shadowsize = FINE
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
        """Whether nobody has closed it."""
        return bool(self._handle.is_running())

    def drain_keys(self) -> list[int]:
        """Return the keys that were pressed since this was last called."""
        pressed: list[int] = []
        while True:
            try:
                pressed.append(self._keys.get_nowait())
            except Empty:
                return pressed

    def update(self, simulation: Simulation, status: str) -> None:
        """Show the simulation as it is now, and let it feel what the mouse pulls at."""
        if self.shows is not simulation.model:
            return
        _copy_state(simulation.data, self._model, self._data)
        copy_appearance(simulation.model, self._model)
        lookat = np.array(simulation.view().lookat)
        # Shadows fall around what is followed, as in pictures.
        sun = self._model.light_type == mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
        self._data.light_xpos[sun] = lookat - 2 * self._reach * self._data.light_xdir[sun]
        with self._handle.lock():
            self._handle.cam.lookat[:] += lookat - self._lookat  # from where the mouse left it
        self._lookat = lookat
        above, below = mujoco.mjtGridPos.mjGRID_TOPLEFT, mujoco.mjtGridPos.mjGRID_BOTTOMLEFT
        self._handle.set_texts([(None, above, status, ""), (None, below, HINT, "")])
        self._handle.sync()
        with self._handle.lock():
            self._data.xfrc_applied[:] = 0.0
            mujoco.mjv_applyPerturbForce(self._model, self._data, self._handle.perturb)
        simulation.data.xfrc_applied[:] = self._data.xfrc_applied

    def close(self) -> None:
        """Close it and wait until it no longer draws; closing twice does no harm."""
        self._handle.close()
        for thread in self._drawing:  # a window that goes while it is drawn ends the process
            thread.join(timeout=5.0)


def _copy_state(source: mujoco.MjData, model: mujoco.MjModel, target: mujoco.MjData) -> None:
    """Put everything in ``target`` where it is in ``source``."""
    target.time = source.time
    target.qpos[:], target.qvel[:] = source.qpos, source.qvel
    target.mocap_pos[:], target.mocap_quat[:] = source.mocap_pos, source.mocap_quat
    mujoco.mj_fwdPosition(model, target)
    mujoco.mj_fwdVelocity(model, target)  # a pull with the mouse is damped


def _under_mjpython() -> bool:
    import mujoco.viewer

    return mujoco.viewer._MJPYTHON is not None
