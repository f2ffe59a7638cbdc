"""Videos: drawn by worker processes, equal to those of a single process."""

import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest

from grouser.errors import GrouserError, MissingDependency, UnknownName
from grouser.frames import Pose
from grouser.physics.contacts import HULL
from grouser.render_workers.offline_render_pool import OfflineRenderPool
from grouser.render_workers.run_camera import FEW, RunCamera
from grouser.rendering.decoration import round_hulls
from grouser.rendering.image_plane import ImagePlane
from grouser.rendering.render_state import RenderState, RenderStateLoader
from grouser.rendering.renderer import Renderer
from grouser.simulation.changes.actions import Join, SwitchLamp
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, load

SIZE = (96, 64)


def draw_in_process(renderer: Renderer, sim: Simulation) -> bytes:
    data = RenderStateLoader().load(RenderState.of(sim.model, sim.data))
    return renderer.picture(sim.model, data, sim.view()).tobytes()


def test_pool_draws_every_frame_in_order_while_the_world_changes() -> None:
    """A robot joins and a lamp is switched off: each frame equals that of this process."""
    sim = Simulation(load("gate"), crash_folder=None)
    got: list[bytes] = []
    want: list[bytes] = []
    with (
        OfflineRenderPool(*SIZE, quality="fast", coded=False, workers=2) as pool,
        Renderer(*SIZE, shadows=False, smooth=False) as renderer,
    ):
        for number in range(12):
            sim.step(0.02)
            if number == 4:
                sim.apply(Join(RobotEntry(name="second", kind="ers7", position=(0.2, 0.3, 0.0))))
            if number == 8:
                sim.apply(SwitchLamp("lamp", False))
            got += pool.submit(sim, sim.view())
            want.append(draw_in_process(renderer, sim))
        got += pool.finish()
    assert len({*want}) == 12, "all frames differ"
    assert got == want


def test_killed_worker_raises_grouser_error() -> None:
    sim = Simulation(load("roach_circle"), crash_folder=None)
    with OfflineRenderPool(*SIZE, quality="fast", coded=True, workers=1) as pool:
        pool.submit(sim, sim.view())
        process = pool._pool._local[0].process
        assert process is not None
        process.kill()
        with pytest.raises(GrouserError, match="exited before the video was complete"):
            pool.finish()


def test_video_by_worker_processes_equals_video_by_one_process(tmp_path: Path) -> None:
    for name, frames in (("one", 1), ("many", FEW + 1)):
        sim = Simulation(load("roach_circle"), crash_folder=None)
        with RunCamera(*SIZE, [tmp_path / f"{name}.webm"], frames=frames) as camera:
            for _ in range(5):
                sim.step(0.04)
                camera.film(sim)
    assert (tmp_path / "one.webm").read_bytes() == (tmp_path / "many.webm").read_bytes()


def test_recording_a_video_does_not_change_the_simulation(tmp_path: Path) -> None:
    fingerprints = []
    for videos in ([], [tmp_path / "a.webm", tmp_path / "a.gif"]):
        sim = Simulation(load("roach_circle"), crash_folder=None)
        with RunCamera(*SIZE, videos) as camera:
            for _ in range(5):
                sim.step(0.04)
                camera.film(sim)
        fingerprints.append(sim.fingerprint())
    assert fingerprints[0] == fingerprints[1]


def test_unknown_quality_is_rejected_before_drawing(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match=r"--quality: there is no quality 'hihg' .*mean 'high'"):
        RunCamera(*SIZE, [tmp_path / "a.webm"], quality="hihg")
    assert list(tmp_path.iterdir()) == []


def test_best_quality_requires_a_display(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform != "linux":
        pytest.skip("other systems always have a display")
    for name in ("", ":987"):  # no display, and one that does not answer
        monkeypatch.setenv("DISPLAY", name)
        with pytest.raises(MissingDependency, match="needs an X11 display.* xvfb-run"):
            RunCamera(*SIZE, [tmp_path / "a.webm"], quality="best")
    assert list(tmp_path.iterdir()) == []


def test_high_quality_adds_texture_and_rounded_hulls_to_the_scene_only() -> None:
    """The model, and the pictures of robots' cameras, are unchanged."""
    sim = Simulation(load("quince_step"), crash_folder=None)
    sim.step(0.1)
    before = sim.model.tex_data.tobytes(), sim.model.geom_size.tobytes()
    plane = ImagePlane(96, 64, (80.0, 80.0), (47.5, 31.5))
    seen = [np.empty(96 * 64 * 3, np.uint8) for _ in range(2)]
    eye = Pose.at(x=-1.0, z=0.3)
    with Renderer(240, 160, shadows=False, smooth=False) as fast, Renderer(240, 160) as good:
        fast.draw_camera(sim.model, sim.data, eye, plane, seen[0])
        plain = fast.picture(sim.model, sim.data, sim.view()).astype(int)
        dressed = good.picture(sim.model, sim.data, sim.view()).astype(int)
        fast.draw_camera(sim.model, sim.data, eye, plane, seen[1])
    assert before == (sim.model.tex_data.tobytes(), sim.model.geom_size.tobytes())
    np.testing.assert_array_equal(seen[0], seen[1])
    corner = slice(-30, None), slice(0, 60), 1  # ground only
    grain, none = (np.abs(np.diff(each[corner])).mean() for each in (dressed, plain))
    assert grain > 1.0 > none

    scene = mujoco.MjvScene(sim.model, maxgeom=5000)
    camera, option = mujoco.MjvCamera(), mujoco.MjvOption()
    mujoco.mjv_updateScene(sim.model, sim.data, option, None, camera, 7, scene)
    drawn = scene.ngeom
    round_hulls(scene, sim.model)
    boxes = sim.model.geom_type == mujoco.mjtGeom.mjGEOM_BOX
    hulls = int((boxes & (sim.model.geom_contype & HULL > 0)).sum())
    assert hulls >= 1
    assert scene.ngeom - drawn == 14 * hulls


def test_shadow_map_follows_the_camera() -> None:
    """The shadow of a robot is equally sharp far from the origin."""
    shares = []
    for x in (0.0, 10.0):
        sim = Simulation(load("roach_circle", [f"robots.0.position=[{x}, 0]"]), crash_folder=None)
        sim.step(0.1)
        with Renderer(192, 128) as lit, Renderer(192, 128, shadows=False) as unlit:
            with_shadow = lit.picture(sim.model, sim.data, sim.view()).astype(int)
            without = unlit.picture(sim.model, sim.data, sim.view()).astype(int)
        shares.append(float((np.abs(with_shadow - without).max(axis=-1) > 20).mean()))
    assert shares[0] > 0.005
    assert shares[1] == pytest.approx(shares[0], rel=0.25)
