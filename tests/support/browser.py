"""Debian's Chromium with the browser page, for tests."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from support.server_fixtures import TIMEOUT

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = ["--no-sandbox", "--headless=new", "--use-gl=angle", "--use-angle=swiftshader"]


@contextmanager
def chromium() -> Iterator[Any]:
    """Return a browser; skip the test without Chromium or Playwright."""
    playwright = pytest.importorskip("playwright.sync_api")
    if not CHROMIUM.exists():
        pytest.skip(f"{CHROMIUM} is not installed")
    with playwright.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS, timeout=60_000)
        yield browser
        browser.close()


class BrowserPage:
    """One tab with the page; errors of scripts fail the test."""

    def __init__(
        self,
        browser: Any,
        port: int,
        query: str = "",
        size: str = "960x600",
        *,
        scheme: str = "http",
        script: str = "",
        **context: Any,
    ) -> None:
        """Open the page; ``script`` runs before those of the page, ``context``: of the tab."""
        width, height = map(int, size.split("x"))
        self.page = browser.new_page(viewport={"width": width, "height": height}, **context)
        if script:
            self.page.add_init_script(script)
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(f"{scheme}://127.0.0.1:{port}/{query}", timeout=1000 * TIMEOUT)
        self.wait("(window.grouserPage?.state ?? null) !== null")

    def __enter__(self) -> "BrowserPage":
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self.page.close()
        assert kind is not None or not self.errors

    def evaluate(self, expression: str) -> Any:
        """Return the value of a JavaScript expression."""
        return self.page.evaluate(expression)

    def wait(self, condition: str) -> None:
        """Wait until a JavaScript expression is true."""
        end = time.monotonic() + TIMEOUT
        while not self.evaluate(condition):
            assert time.monotonic() < end, f"{condition} did not become true: {self.errors}"
            time.sleep(0.05)

    def click(self, text: str) -> None:
        """Click the first visible button with this text."""
        self.page.click(f"button:visible:text-is('{text}')")

    def tab(self, name: str) -> None:
        """Open a tab of the side panel."""
        self.page.click(f"nav button:text-is('{name}')")

    def console(self, line: str) -> None:
        """Execute a console line."""
        self.tab("Console")
        self.page.fill(".console input", line)
        self.page.keyboard.press("Enter")

    def drive(self) -> None:
        """Take the selected robot."""
        self.page.click(".drivebar .primary")
        self.wait("document.querySelector('.drivebar .primary').ariaPressed === 'true'")

    def pixels(self) -> Any:
        """Return the drawn picture (height, width, 3), lowest row first."""
        import numpy as np

        script = """(() => {
          const gl = grouserPage.view.renderer.getContext(), w = gl.drawingBufferWidth;
          const h = gl.drawingBufferHeight, data = new Uint8Array(4 * w * h);
          gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, data);
          let text = "";
          for (let i = 0; i < data.length; i += 8192)
            text += String.fromCharCode(...data.subarray(i, i + 8192));
          return [w, h, btoa(text)];
        })()"""
        import base64

        width, height, text = self.evaluate(script)
        data = np.frombuffer(base64.b64decode(text), np.uint8)
        return data.reshape(height, width, 4)[..., :3]
