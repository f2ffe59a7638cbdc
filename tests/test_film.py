"""Films: drawn in processes, coded, and the same as if one process had drawn them."""

import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest

from grouser.errors import GrouserError, MissingDependency, UnknownName
from grouser.frames import Pose
from grouser.gateways.images.film_crew import FilmCrew
from grouser.gateways.images.run_camera import FEW, RunCamera
from grouser.physics.contacts import HULL
from grouser.rendering.dress import round_hulls
from grouser.rendering.image_plane import ImagePlane
from grouser.rendering.renderer import Renderer
from grouser.rendering.snapshot import Snapshot, SnapshotLoader
from grouser.simulation.changes.actions import Join, SwitchLamp
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, load

SIZE = (96, 64)


def drawn_here(renderer: Renderer, sim: Simulation) -> bytes:
    data = SnapshotLoader().load(Snapshot.of(sim.model, sim.data))
    return renderer.picture(sim.model, data, sim.view()).tobytes()


def test_a_crew_draws_every_frame_in_order_though_the_world_changes() -> None:
    """Somebody joins and a lamp goes out in the middle: each frame is what this process draws."""
    sim = Simulation(load("gate"), crash_folder=None)
    got: list[bytes] = []
    want: list[bytes] = []
    with (
        FilmCrew(*SIZE, quality="fast", coded=False, workers=2) as crew,
        Renderer(*SIZE, shadows=False, smooth=False) as renderer,
    ):
        for number in range(12):
            sim.step(0.02)
            if number == 4:
                sim.do(Join(RobotEntry(name="guest", kind="ers7", position=(0.2, 0.3, 0.0))))
            if number == 8:
                sim.do(SwitchLamp("lamp", False))
            got += crew.take(sim, sim.view())
            want.append(drawn_here(renderer, sim))
        got += crew.finish()
    assert len({*want}) == 12, "every frame shows something else"
    assert got == want


def test_a_dead_worker_is_one_sentence() -> None:
    sim = Simulation(load("roach_circle"), crash_folder=None)
    with FilmCrew(*SIZE, quality="fast", coded=True, workers=1) as crew:
        crew.take(sim, sim.view())
        crew._workers[0]._process.kill()
        with pytest.raises(GrouserError, match="has ended before the film was"):
            crew.finish()


def test_a_film_by_processes_is_the_film_by_one(tmp_path: Path) -> None:
    for name, frames in (("one", 1), ("many", FEW + 1)):
        sim = Simulation(load("roach_circle"), crash_folder=None)
        with RunCamera(*SIZE, [tmp_path / f"{name}.webm"], frames=frames) as camera:
            for _ in range(5):
                sim.step(0.04)
                camera.film(sim)
    assert (tmp_path / "one.webm").read_bytes() == (tmp_path / "many.webm").read_bytes()


def test_filming_changes_nothing(tmp_path: Path) -> None:
    prints = []
    for videos in ([], [tmp_path / "a.webm", tmp_path / "a.gif"]):
        sim = Simulation(load("roach_circle"), crash_folder=None)
        with RunCamera(*SIZE, videos) as camera:
            for _ in range(5):
                sim.step(0.04)
                camera.film(sim)
        prints.append(sim.fingerprint())
    assert prints[0] == prints[1]


def test_an_unknown_quality_is_told_before_anything_is_drawn(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match=r"--quality: there is no quality 'hihg' .*mean 'high'"):
        RunCamera(*SIZE, [tmp_path / "a.webm"], quality="hihg")
    assert list(tmp_path.iterdir()) == []


def test_the_best_quality_says_beforehand_that_it_needs_a_display(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sys.platform != "linux":
        pytest.skip("other systems always have a display")
    for name in ("", ":987"):  # none, and one that does not answer
        monkeypatch.setenv("DISPLAY", name)
        with pytest.raises(MissingDependency, match="needs an X11 display.* xvfb-run"):
            RunCamera(*SIZE, [tmp_path / "a.webm"], quality="best")
    assert list(tmp_path.iterdir()) == []


def test_good_pictures_have_grain_and_round_hulls_and_nothing_else_changes() -> None:
    """What is drawn is dressed; the model, and what cameras see of it, is not."""
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
    corner = slice(-30, None), slice(0, 60), 1  # ground alone
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


def test_shadows_fall_where_the_camera_looks() -> None:
    """However far from the world's middle a robot is, its shadow is there, and sharp."""
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
