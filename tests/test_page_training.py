"""Operator training in the browser: inputs that stop the robot, faults, recording, debriefing."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.browser import BrowserPage, chromium
from support.certificates import CertificateFiles
from support.page_world import yard
from support.server_fixtures import wait_until
from support.threaded_server import ThreadedServer

from grouser.gateways.page.gateway import PageGateway
from grouser.tls import server_context

pytestmark = pytest.mark.slow

SMALL = "640x400"
GAMEPAD = """
window.pad = {axes: [0, 0, 0, 0]};
navigator.getGamepads = () => [window.pad];
"""
"""Stub of the browser's Gamepad API: Chromium without a screen has no gamepads."""
COMMAND = [sys.executable, "-m", "grouser"]


class Robot:
    """Robot ``one`` of the yard, as the server has it."""

    def __init__(self, server: ThreadedServer) -> None:
        self._server = server

    def x(self) -> float:
        pose = self._server.call(lambda: self._server.server.host.simulation.pose("one"))
        return float(pose.position[0])

    def yaw_rate(self) -> float:
        return self._velocity()[1]

    def moves(self) -> bool:
        linear, angular = self._velocity()
        return abs(linear) > 0.05 or abs(angular) > 0.1

    def _velocity(self) -> tuple[float, float]:
        velocity = self._server.call(
            lambda: self._server.server.host.simulation.robots["one"].velocity
        )
        return float(velocity.linear[0]), float(velocity.angular[2])

    def starts(self) -> None:
        wait_until(self.moves)

    def stops(self) -> None:
        wait_until(lambda: not self.moves())


@contextmanager
def driving_page(
    query: str = "", dead_man: float = 0.5, **tab: Any
) -> Iterator[tuple[BrowserPage, Robot]]:
    """Serve the yard; yield a tab that drives robot ``one``, and the robot."""
    with (
        chromium() as browser,
        ThreadedServer(yard(), PageGateway(port=0, dead_man_s=dead_man)) as server,
        BrowserPage(browser, server.server.ports["page"], query, **tab) as page,
    ):
        page.drive()
        yield page, Robot(server)


# -- inputs ----------------------------------------------------------------------------------------


def test_key_up_hidden_tab_lost_focus_and_busy_page_stop_the_robot() -> None:
    with driving_page(size=SMALL, dead_man=1.0) as (page, robot):
        keyboard = page.page.keyboard
        keyboard.down("w")
        robot.starts()
        keyboard.up("w")
        robot.stops()
        page.page.evaluate("window.sent = []")
        for event in (
            "dispatchEvent(new Event('blur'))",
            "Object.defineProperty(document, 'hidden', {get: () => true, configurable: true});"
            "document.dispatchEvent(new Event('visibilitychange'))",
        ):
            keyboard.down("s")
            robot.starts()
            page.evaluate(f"(() => {{ {event} }})()")
            robot.stops()
            keyboard.up("s")
        page.evaluate("delete document.hidden")
        keyboard.down("w")
        robot.starts()
        # The page hangs for longer than the time-out: the server stops the robot.
        page.evaluate(
            "setTimeout(() => { const end = Date.now() + 6000; while (Date.now() < end); })"
        )
        robot.stops()
        keyboard.up("w")


def test_lost_connection_stops_the_robot() -> None:
    with driving_page(size=SMALL, dead_man=5.0) as (page, robot):
        page.page.keyboard.down("w")
        robot.starts()
        page.evaluate("grouserPage.connection.socket.close()")
        robot.stops()
        page.page.keyboard.up("w")


def test_gamepad_drives() -> None:
    with driving_page(size=SMALL, script=GAMEPAD) as (page, robot):
        page.evaluate("window.pad.axes = [0, -1, 0, 0]")
        begin = robot.x()
        wait_until(lambda: robot.x() > begin + 0.1)
        page.evaluate("window.pad.axes = [0, 0.05, 0, 0]")  # within the dead zone
        robot.stops()
        page.evaluate("window.pad.axes = [0, 0, 1, 0]")
        wait_until(lambda: robot.yaw_rate() < -0.1)  # to the right
        page.evaluate("window.pad.axes = [0, 0, 0, 0]")
        robot.stops()


def test_stick_is_dragged_on_a_tablet() -> None:
    with driving_page(size="1024x768", has_touch=True) as (page, robot):
        layout = page.evaluate(
            "[document.documentElement.scrollWidth, innerWidth, document.body.scrollHeight,"
            " innerHeight]"
        )
        assert layout[0] <= layout[1]
        assert layout[2] <= layout[3]
        box = page.page.locator(".stick").bounding_box()
        assert box["x"] + box["width"] <= 1024
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        touch = page.page.context.new_cdp_session(page.page)

        def send(kind: str, *places: tuple[float, float]) -> None:
            points = [{"x": px, "y": py} for px, py in places]
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

        begin = robot.x()
        send("touchStart", (x, y))
        send("touchMove", (x, y - 45))
        wait_until(lambda: robot.x() > begin + 0.1)
        send("touchEnd")
        robot.stops()


def test_page_works_over_tls(certificate_files: CertificateFiles) -> None:
    context = server_context(certificate_files.certificate, certificate_files.key)
    with (
        chromium() as browser,
        ThreadedServer(yard(), PageGateway(port=0), tls=context) as server,
        BrowserPage(
            browser,
            server.server.ports["page"],
            size=SMALL,
            scheme="https",
            ignore_https_errors=True,
        ) as page,
    ):
        page.drive()
        page.page.keyboard.down("w")
        Robot(server).starts()
        page.page.keyboard.up("w")


# -- panels ----------------------------------------------------------------------------------------


def test_world_is_stepped_reset_and_filmed() -> None:
    with (
        chromium() as browser,
        ThreadedServer(yard(), PageGateway(port=0)) as server,
        BrowserPage(browser, server.server.ports["page"], size="1280x720") as page,
    ):
        page.page.select_option("header select", "2")
        page.wait("grouserPage.state.speed === 2")
        page.click("Pause")
        page.wait("grouserPage.state.paused")
        before = page.evaluate("grouserPage.state.clock")
        page.click("Step")
        page.wait(f"Math.abs(grouserPage.state.clock - {before} - 0.1) < 0.01")
        page.click("Clip")
        page.click("Play")
        page.page.keyboard.press("Escape")
        page.wait("document.querySelector('.plot canvas') !== null")  # power
        page.wait("grouserPage.state.end > 3")
        page.click("Mark")
        page.wait("document.querySelector('.tick.bookmark') !== null")
        page.page.click("button.mark")
        page.wait("grouserPage.state.shown != null")
        page.click("Live")
        page.click("Rays")
        page.wait("grouserPage.view.rays.geometry.getAttribute('position')?.count > 0")
        page.click("Reset")
        page.wait("grouserPage.state.clock < grouserPage.state.time - 1")  # the session goes on
        page.tab("Console")
        page.wait("document.querySelector('.log').innerText.includes('the world is reset')")
        with page.page.expect_download() as saved:
            page.click("Save clip")
        film = Path(saved.value.path()).read_bytes()
        assert film[:4] == b"\x1a\x45\xdf\xa3"  # EBML, the container of WebM
        assert len(film) > 5000


def test_plan_is_made_and_its_best_path_driven_in_the_browser() -> None:
    from grouser.world.file import as_world

    roach = {"name": "roach", "kind": "velociroach", "position": [0, 0]}
    flat = as_world(
        {"name": "flat", "terrain": [{"kind": "flat", "friction": 0.8}], "robots": [roach]}
    )
    with (
        chromium() as browser,
        ThreadedServer(flat, PageGateway(port=0, rate_hz=10), speed=4.0) as server,
        BrowserPage(browser, server.server.ports["page"], size=SMALL) as page,
    ):
        page.tab("Plan")
        page.evaluate("grouserPage.plans.setGoal(0.8, 0)")
        page.page.click("section.panel:visible button:text-is('Plan')")
        page.wait("document.querySelector('.candidate') !== null")
        colours = page.evaluate(
            "[...new Set(Array.from(grouserPage.view.path.geometry.getAttribute('color').array,"
            " (one) => one.toFixed(2)))].length"
        )
        assert colours > 3  # candidates differ in energy
        page.click("Drive this path")
        page.wait(
            "document.querySelector('.panel:not([hidden]) [role=status]').textContent"
            ".startsWith('arrived')"
        )
        page.click("From its start")
        page.wait("document.querySelector('.candidates .primary').disabled")
        page.wait(
            "document.querySelector('.panel:not([hidden]) [role=status]').textContent"
            ".startsWith('arrived')"
        )


def test_token_is_needed() -> None:
    from grouser.service.access import Token

    with (
        chromium() as browser,
        ThreadedServer(yard(), PageGateway(port=0), tokens=(Token("referee-secret-1"),)) as server,
    ):
        port = server.server.ports["page"]
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{port}/")
        page.wait_for_selector(".notice:not([hidden])")
        assert "token" in page.inner_text(".notice")
        assert not page.evaluate("grouserPage.state")
        with BrowserPage(browser, port, "#token=referee-secret-1", size=SMALL) as other:
            assert other.page.is_visible(".drivebar .primary")


# -- recordings ------------------------------------------------------------------------------------


@contextmanager
def grouser_page(*words: str) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """Run a command that serves the page; yield its port and the process."""
    with subprocess.Popen([*COMMAND, *words], stdout=subprocess.PIPE, text=True) as process:
        try:
            yield int(next(iter(process.stdout or ())).strip().rpartition("=")[2]), process
        finally:
            process.terminate()


def test_second_recording_is_a_ghost(tmp_path: Path) -> None:
    for name, change in (("a", ()), ("b", ("--set", "robots.rex.position=[-1.2, 0.3]"))):
        run = ["run", "gate", "--seconds", "2", "--record", str(tmp_path / name), *change]
        subprocess.run([*COMMAND, *run], check=True, stdout=subprocess.DEVNULL)
    words = ["replay", str(tmp_path / "a"), "--page", "--page-port", "0"]
    with (
        chromium() as browser,
        grouser_page(*words, "--ghost", str(tmp_path / "b")) as (port, _),
        BrowserPage(browser, port) as page,
    ):
        name = page.evaluate("grouserPage.scene.robots[0].name")
        place = f"grouserPage.view.ghost.position('{name}')"
        page.wait(f"{place} !== null && {place}.y > 0.2")
        page.wait("document.querySelector('header').innerText.includes('ghost')")
        page.page.click("[aria-label='Play from here']")
        before = page.evaluate(f"{place}.x")
        page.wait(f"{place}.x > {before} + 0.1")


SESSION = 60
"""Simulated duration of the training session, s."""


def test_operator_session_with_faults_is_recorded_replayed_and_verified(tmp_path: Path) -> None:
    """A trainer disturbs link, light and motors of an operator's robot by the page."""
    folder = str(tmp_path / "session")
    serve = ["open", "pioneer_room", "--no-browser", "--page-port", "0", "--record", folder]
    with (
        chromium() as browser,
        grouser_page(*serve, "--seconds", str(SESSION)) as (port, process),
        BrowserPage(browser, port, "?role=operator", size=SMALL) as operator,
        BrowserPage(browser, port, size=SMALL) as trainer,
    ):
        operator.drive()
        assert not operator.page.is_visible(".stage")
        operator.page.keyboard.down("w")
        trainer.tab("Faults")
        steps = (
            (5, lambda: _disturb(trainer, delay="0.5", loss="0.3")),
            (15, lambda: trainer.click("Clear link")),
            (20, lambda: trainer.page.click("[aria-label='sun off']")),
            (25, lambda: trainer.page.click("[aria-label='sun on']")),
            (30, lambda: trainer.page.click("[aria-label='Motor all off']")),
            (35, lambda: trainer.page.click("[aria-label='Motor all on']")),
            (40, lambda: _disturb(trainer, delay="0", loss="1")),
        )
        for at, action in steps:
            trainer.wait(f"grouserPage.state.time > {at}")
            action()
        operator.wait("document.querySelector('.link').classList.contains('warn')")
        operator.page.keyboard.up("w")
        process.wait()
        operator.errors.clear()  # the server has ended
    verified = subprocess.run(
        [*COMMAND, "replay", folder, "--verify"], check=True, capture_output=True, text=True
    )
    assert verified.stdout.endswith("verified\n")
    with (
        chromium() as browser,
        grouser_page("replay", folder, "--page", "--page-port", "0") as (port, _),
        BrowserPage(browser, port, size="1280x720") as page,
    ):
        page.wait("document.querySelectorAll('.tick.fault').length === 7")
        log = page.evaluate("document.querySelector('.log').innerText")
        for text in ("delay 0.5 s, loss 30%", "daylight 0%", "motors of pioneer off", "loss 100%"):
            assert text in log
        page.page.click(".log p:has-text('motors of pioneer off') button")
        page.wait("Math.abs(grouserPage.state.shown.time - 30) < 3")
        assert page.evaluate("grouserPage.state.end") == pytest.approx(SESSION, abs=0.1)


def _disturb(trainer: BrowserPage, *, delay: str, loss: str) -> None:
    trainer.page.fill("[aria-label='Link delay']", delay)
    trainer.page.fill("[aria-label='Link loss']", loss)
    trainer.click("Disturb link")


def test_plan_of_a_command_is_shown_and_driven_again(tmp_path: Path) -> None:
    """``grouser plan --json`` and ``grouser open --plan``."""
    world, plan = tmp_path / "flat.yaml", tmp_path / "plan.json"
    world.write_text(
        "name: flat\nterrain:\n  - {kind: flat, friction: 0.8}\n"
        "robots:\n  - {name: roach, kind: velociroach, position: [0, 0]}\n"
    )
    sizes = ["--candidates", "2", "--trials", "1", "--rounds", "1"]
    words = ["plan", str(world), "--from", "0,0", "--to", "0.6,0", *sizes, "--json", str(plan)]
    subprocess.run([*COMMAND, *words], check=True, stdout=subprocess.DEVNULL)
    serve = ["open", str(world), "--no-browser", "--page-port", "0", "--no-pictures"]
    with (
        chromium() as browser,
        grouser_page(*serve, "--plan", str(plan)) as (port, _),
        BrowserPage(browser, port, size=SMALL) as page,
    ):
        page.tab("Plan")
        page.wait("document.querySelectorAll('.candidate').length === 2")
        status = "document.querySelector('.panel:not([hidden]) [role=status]').textContent"
        page.wait(f"{status}.includes('plan.json')")
        page.click("From its start")
        page.wait(f"{status}.startsWith('arrived')")
