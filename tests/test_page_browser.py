"""The page in Debian's Chromium: drawn, driven, replayed, edited."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from support.browser import BrowserPage, chromium
from support.server_fixtures import wait_until
from support.threaded_server import ThreadedServer

from grouser.gateways.page.gateway import PageGateway
from grouser.rendering.renderer import Renderer
from grouser.rendering.viewpoint import Viewpoint
from grouser.world.file import load, parse

SILHOUETTE = 0.03
"""Allowed share of pixels that belong to the robot in one picture only, of those in either."""


def test_page_is_drawn() -> None:
    with (
        chromium() as browser,
        ThreadedServer(load("pioneer_room"), PageGateway(port=0)) as server,
        BrowserPage(browser, server.server.ports["page"], size="640x400") as page,
    ):
        page.wait("grouserPage.drawn > 0")
        assert np.ptp(page.pixels().reshape(-1, 3), axis=0).min() > 50
        assert page.evaluate("grouserPage.state.holders") == {}


def mask(pixels: Any, colour: tuple[int, int, int] = (255, 0, 255)) -> Any:
    return (np.abs(pixels.astype(int) - colour) < 60).all(axis=-1)


@pytest.mark.slow
def test_silhouette_is_that_of_the_offscreen_renderer() -> None:
    """The robot alone is drawn in one colour by both; camera, field of view and size are equal."""
    with (
        chromium() as browser,
        ThreadedServer(load("kenaf_step"), PageGateway(port=0)) as server,
        BrowserPage(browser, server.server.ports["page"]) as page,
    ):
        page.click("Pause")
        page.wait("grouserPage.state.paused")
        page.wait("grouserPage.drawn > 0")
        page.evaluate("grouserPage.view.silhouette('kenaf')")
        shown = mask(page.pixels())[::-1]
        height, width = shown.shape
        simulation = server.server.host.simulation
        model, data = server.call(lambda: (simulation.model, simulation.data))
        view = simulation.view()
        with Renderer(width, height, shadows=False, smooth=False) as renderer:
            expected = _robot_mask(renderer, model, data, view)
    both, either = (shown & expected).sum(), (shown | expected).sum()
    assert either > 2000
    assert 1 - both / either < SILHOUETTE


def _robot_mask(renderer: Renderer, model: Any, data: Any, view: Viewpoint) -> Any:
    """Return the pixels of the robot: those nearer than without it."""
    with_robot = renderer.depth(model, data, view)
    own = [model.geom(i).id for i in range(model.ngeom) if model.geom(i).name.startswith("kenaf/")]
    bodies = {int(model.geom_bodyid[i]) for i in own}
    owned = [i for i in range(model.ngeom) if int(model.geom_bodyid[i]) in bodies]
    groups = model.geom_group.copy()
    model.geom_group[owned] = mujoco.mjNGROUP - 1
    without = renderer.depth(model, data, view)
    model.geom_group[:] = groups
    return with_robot < without - 1e-4


@pytest.mark.slow
def test_kenaf_is_driven_up_its_step_by_keys() -> None:
    world = load("kenaf_step", ["objects=[]"])
    with (
        chromium() as browser,
        ThreadedServer(world, PageGateway(port=0, dead_man_s=2.0, rate_hz=5)) as server,
        BrowserPage(browser, server.server.ports["page"], size="640x400") as page,
    ):
        page.page.click(".drivebar .primary")
        page.wait("grouserPage.state.holders.kenaf != null")
        page.page.evaluate(
            "grouserPage.connection.send('order', {robot: 'kenaf', command: {front_angle: 0.8}})"
        )
        page.page.keyboard.down("w")

        def height() -> float:
            return float(
                server.call(lambda: server.server.host.simulation.pose("kenaf")).position[2]
            )

        wait_until(lambda: height() > 0.25)
        page.page.keyboard.up("w")


@pytest.mark.slow
def test_door_is_opened_by_console_and_the_past_is_shown() -> None:
    with (
        chromium() as browser,
        ThreadedServer(load("gate"), PageGateway(port=0), speed=2.0) as server,
        BrowserPage(browser, server.server.ports["page"]) as page,
    ):
        page.console("open gate")
        simulation = server.server.host.simulation
        wait_until(lambda: server.server.console("where gate").endswith("100% open"))
        page.wait("grouserPage.state.end - grouserPage.state.begin > 6")
        page.click("Pause")
        page.wait("grouserPage.state.paused")
        now = page.evaluate("grouserPage.state.time")
        page.click("−5 s")
        page.wait("grouserPage.state.shown != null")
        shown = page.evaluate("grouserPage.state.shown.time")
        assert shown == pytest.approx(now - 5, abs=0.3)
        # A busy server stores fewer states: the nearest one is shown.
        page.wait(f"Math.abs(grouserPage.view.time - {shown}) < 1")
        page.click("Live")
        page.wait("grouserPage.state.shown == null")
        with BrowserPage(browser, server.server.ports["page"], "?role=spectator") as other:
            assert not other.page.is_visible(".drivebar .primary")
            assert not other.page.is_visible("button:text-is('Play')")
        assert simulation.paused


@pytest.mark.slow
def test_world_is_edited_and_saved() -> None:
    with (
        chromium() as browser,
        ThreadedServer(load("gate"), PageGateway(port=0)) as server,
        BrowserPage(browser, server.server.ports["page"]) as page,
    ):
        page.tab("Edit")
        page.click("Edit this world")
        valid = "document.querySelector('.verdict').textContent === 'valid'"
        page.wait(valid)
        page.page.select_option("[aria-label='Add to objects']", "box")
        page.wait(valid)
        page.page.fill("details[open] [aria-label=mass]", "heavy")
        page.wait("document.querySelector('[data-path$=\"/mass\"]').textContent.includes('number')")
        page.click("Undo")
        page.wait(valid)
        with page.page.expect_download() as saved:
            page.click("Save YAML")
        text = Path(saved.value.path()).read_text()
        world = parse(text, where="saved")
        assert [thing.name for thing in world.objects][-1] == "box1"


@pytest.mark.slow
def test_recording_is_played(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "grouser"]
    run = ["run", "gate", "--seconds", "3", "--record", str(tmp_path / "run")]
    subprocess.run([*command, *run], check=True, stdout=subprocess.DEVNULL)
    words = ["replay", str(tmp_path / "run"), "--page", "--page-port", "0"]
    with (
        chromium() as browser,
        subprocess.Popen([*command, *words], stdout=subprocess.PIPE, text=True) as server,
    ):
        try:
            port = int(next(iter(server.stdout or ())).strip().rpartition("=")[2])
            with BrowserPage(browser, port) as page:
                page.wait("grouserPage.drawn > 0")
                before = page.evaluate("grouserPage.view.bodyPose(grouserPage.view.followed).p[0]")
                page.page.click("[aria-label='Play from here']")
                page.wait("grouserPage.state.shown.time > 2.5")
                after = page.evaluate("grouserPage.view.bodyPose(grouserPage.view.followed).p[0]")
                assert after > before + 0.2
        finally:
            server.terminate()
