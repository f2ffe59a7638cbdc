"""Screenshots of the browser page for the documentation, with Debian's Chromium.

::

    python tools/page_screenshots.py [NAME...]

Writes ``docs/pictures/page_*.png``. Needs ``pip install playwright`` and ``apt-get install
chromium``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = ["--no-sandbox", "--headless=new", "--use-gl=angle", "--use-angle=swiftshader"]
SIZE = {"width": 1280, "height": 720}
FIRST_FRAME = 60.0
"""Longest wait for the first picture, s."""


@contextmanager
def page_server(*words: str) -> Iterator[str]:
    """Return the address of a page that ``grouser WORDS`` serves."""
    command = [sys.executable, "-m", "grouser", *words, "--page-port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=_environment())
    try:
        listening = next(iter(process.stdout or ())).split()
        ports = dict(word.split("=") for word in listening[1:])
        yield f"http://127.0.0.1:{ports['page']}/"
    finally:
        process.terminate()
        process.wait()


def _environment() -> dict[str, str]:
    return os.environ | {"BROWSER": "true"}  # `grouser replay --page` opens nothing


def wait_for(page: Any, condition: str, seconds: float = FIRST_FRAME) -> None:
    """Wait until a JavaScript expression is true; the page's policy forbids Playwright's own."""
    end = time.monotonic() + seconds
    while not page.evaluate(condition):
        if time.monotonic() > end:
            raise TimeoutError(f"{condition} did not become true within {seconds:g} s")
        time.sleep(0.05)


def open_page(browser: Any, url: str) -> Any:
    """Return a page that has drawn the world."""
    page = browser.new_page(viewport=SIZE)
    page.goto(url)
    wait_for(page, "window.grouserPage?.state != null")
    return page


def drive(page: Any, seconds: float) -> None:
    """Take the robot and hold the key W."""
    page.click(".drivebar .primary")
    wait_for(page, "document.querySelector('.drivebar .primary').ariaPressed === 'true'")
    page.keyboard.down("w")
    time.sleep(seconds)
    page.keyboard.up("w")


def wait_for_cameras(page: Any) -> None:
    """Wait until every camera tile shows a picture."""
    wait_for(
        page, "[...document.querySelectorAll('.tiles img')].every((one) => one.naturalWidth > 0)"
    )


def overview(browser: Any) -> Iterator[Any]:
    """Kenaf drives to its step."""
    with page_server("open", "kenaf_step", "--no-browser") as url:
        page = open_page(browser, url + "?theme=light")
        drive(page, 2.0)
        page.click("text=Shadows")
        wait_for_cameras(page)
        yield page


def dark(browser: Any) -> Iterator[Any]:
    """An ERS-7 at its door, in dark colours, with contacts and triggers."""
    with page_server("open", "gate", "--no-browser") as url:
        page = open_page(browser, url + "?theme=dark")
        for name in ("Shadows", "Triggers"):
            page.click(f"text={name}")
        page.click("text=Console")
        page.fill(".console input", "list doors")
        page.keyboard.press("Enter")
        time.sleep(3.0)
        yield page


def operator(browser: Any) -> Iterator[Any]:
    """Operator of a Kenaf: cameras and sensors only."""
    with page_server("open", "kenaf_step", "--no-browser") as url:
        page = open_page(browser, url + "?theme=light&role=operator")
        drive(page, 2.0)
        page.click("summary >> nth=1")
        wait_for_cameras(page)
        time.sleep(2.0)
        yield page


def faults(browser: Any) -> Iterator[Any]:
    """A trainer has disturbed the link of an operator's robot; its rays are shown."""
    with page_server("open", "pioneer_room", "--no-browser") as url:
        page = open_page(browser, url + "?theme=light")
        driver = open_page(browser, url + "?role=operator")
        page.click("text=Rays")
        page.click("nav >> text=Faults")
        drive(driver, 1.5)
        page.fill("[aria-label='Link delay']", "0.5")
        page.fill("[aria-label='Link loss']", "0.2")
        page.click("text=Disturb link")
        time.sleep(3.0)
        yield page
        driver.close()


def planning(browser: Any) -> Iterator[Any]:
    """A VelociRoACH among bumps: eight candidates, coloured by energy."""
    with page_server("open", "bumps", "--no-browser", "--no-pictures") as url:
        page = open_page(browser, url + "?theme=light")
        page.click("text=Pause")
        page.click("nav >> text=Plan")
        page.evaluate("grouserPage.plans.setGoal(1.6, 0)")
        page.click(".panel >> text=Plan >> nth=0")
        wait_for(page, "document.querySelector('.candidate') != null", 900.0)
        yield page


def editor(browser: Any) -> Iterator[Any]:
    """A wall is added to a world; one field has a fault."""
    with page_server("open", "gate", "--no-browser", "--no-pictures") as url:
        page = open_page(browser, url + "?theme=light")
        page.click("nav >> text=Edit")
        page.click("text=Edit this world")
        wait_for(page, "document.querySelector('.verdict').textContent === 'valid'")
        page.select_option("[aria-label='Add to objects']", "box")
        page.fill("details[open] [aria-label=position]", "[-0.5, 0.6, 0.15]")
        wait_for(page, "document.querySelector('.verdict').textContent === 'valid'")
        time.sleep(2.0)
        page.fill("details[open] [aria-label=mass]", "heavy")
        wait_for(page, "document.querySelector('.verdict').classList.contains('bad')")
        page.evaluate("document.querySelector('details[open]').scrollIntoView({block: 'center'})")
        yield page


def replay(browser: Any) -> Iterator[Any]:
    """A recorded run of an ERS-7, in the middle."""
    with TemporaryDirectory() as folder:
        recording = f"{folder}/run"
        words = [sys.executable, "-m", "grouser", "run", "gate", "--seconds", "8"]
        subprocess.run([*words, "--record", recording], check=True, stdout=subprocess.DEVNULL)
        with page_server("replay", recording, "--page") as url:
            page = open_page(browser, url + "?theme=light")
            page.evaluate("grouserPage.timeline.seek(5)")
            time.sleep(1.0)
            page.click("text=Mark")
            yield page


def ghost(browser: Any) -> Iterator[Any]:
    """Two recordings of an ERS-7 that walks to its door, from two places."""
    with TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "grouser", "run", "gate", "--seconds", "4"]
        for name, more in (("a", []), ("b", ["--set", "robots.rex.position=[-0.9, 0.25]"])):
            record = [*words, "--record", f"{folder}/{name}", *more]
            subprocess.run(record, check=True, stdout=subprocess.DEVNULL)
        with page_server("replay", f"{folder}/a", "--page", "--ghost", f"{folder}/b") as url:
            page = open_page(browser, url + "?theme=light")
            page.click("nav >> text=Robot")
            page.evaluate("grouserPage.timeline.seek(3)")
            time.sleep(1.0)
            yield page


SHOTS: dict[str, Callable[[Any], Iterator[Any]]] = {
    "overview": overview,
    "dark": dark,
    "operator": operator,
    "planning": planning,
    "editor": editor,
    "replay": replay,
    "faults": faults,
    "ghost": ghost,
}
"""Name → generator that yields the page when it is ready."""


def main(names: list[str]) -> None:
    """Write the screenshots ``names``, all without names."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for name in names or SHOTS:
            for page in SHOTS[name](browser):
                time.sleep(1.0)
                page.screenshot(path=PICTURES / f"page_{name}.png")
                page.close()
            print(f"page_{name}.png")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
