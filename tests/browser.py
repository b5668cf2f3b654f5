"""A headless Chromium, driven by its own protocol over a websocket: pages as a person sees them, also on a phone.

Put here how it is started and asked. What a page has to look like belongs to the page's test.
"""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final
from urllib.request import urlopen

import pytest
from websockets.sync.client import connect

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from websockets.sync.client import ClientConnection

PROGRAMS: Final = ("chromium", "chromium-browser", "google-chrome")
START_S: Final = 60
SHOWN_S: Final = 120
HEIGHT: Final = 740
BEYOND: Final = """
[...document.querySelectorAll("body *")]
    .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest(".scroll, pre, .jump"))
    .map((one) => `${one.tagName} ${one.textContent.slice(0, 60)}`)
"""


class Browser:
    """One page."""

    def __init__(self, socket: ClientConnection) -> None:
        """Take the page's websocket."""
        self._socket, self._number = socket, 0
        self.errors: list[str] = []
        """What the page's scripts threw and did not catch."""
        self._ask("Page.enable")
        self._ask("Runtime.enable")

    def open(self, url: str, *texts: str) -> str:
        """Open a page, and return its text once all of these are on it."""
        self._ask("Page.navigate", url=url)
        return self.shown(*texts)

    def open_file(self, page: Path, width: int, *, is_dark: bool = False) -> None:
        """Show a file on a phone's screen of this width."""
        self._ask("Emulation.setDeviceMetricsOverride", width=width, height=HEIGHT, deviceScaleFactor=1, mobile=True)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self._ask("Emulation.setEmulatedMedia", features=[scheme])
        self._ask("Page.navigate", url=page.as_uri())
        until = time.monotonic() + SHOWN_S
        while self.evaluate("document.readyState + location.href") != f"complete{page.as_uri()}":
            assert time.monotonic() < until, f"{page} did not come"
            time.sleep(0.05)

    def beyond_the_screen(self) -> list[str]:
        """The elements that reach beyond the right border, but for those inside what scrolls by itself."""
        elements = self.evaluate(BEYOND)
        assert isinstance(elements, list)
        return elements

    def shown(self, *texts: str) -> str:
        """The text of the page once all of these are on it."""
        until = time.monotonic() + SHOWN_S
        while True:
            page = str(self.evaluate("document.body ? document.body.innerText : ''"))
            missing = [text for text in texts if text not in page]
            if not missing:
                return page
            assert time.monotonic() < until, f"{missing} did not come; the page says: {page[:2_000]}"
            time.sleep(0.3)

    def click(self, text: str) -> None:
        """Click the element that says exactly this, once it is there."""
        self.shown(text)
        path = json.dumps(f"//*[normalize-space(text())={json.dumps(text)}]")
        node = f"document.evaluate({path}, document, null, XPathResult.FIRST_ORDERED_NODE_TYPE).singleNodeValue"
        assert self.evaluate(f"(() => {{ const node = {node}; node?.click(); return !!node; }})()"), text

    def switch(self) -> None:
        """Click the first switch of the page, once there is one."""
        until = time.monotonic() + SHOWN_S
        one = "document.querySelector('[role=switch], input[type=checkbox]')"
        while not self.evaluate(f"(() => {{ const one = {one}; one?.click(); return !!one; }})()"):
            assert time.monotonic() < until, "no switch came"
            time.sleep(0.3)

    def evaluate(self, script: str) -> object:
        """What a script comes to."""
        answer = self._ask("Runtime.evaluate", expression=script, returnByValue=True)
        return answer["result"].get("value")

    def screenshot(self, file: Path) -> None:
        """Write the whole page as a picture."""
        taken = self._ask("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(taken["data"]))

    def _ask(self, method: str, **parameters: object) -> dict[str, Any]:
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv(timeout=SHOWN_S))
            if message.get("method") == "Runtime.exceptionThrown":
                self.errors.append(str(message["params"]["exceptionDetails"].get("exception", {}).get("description")))
            if message.get("id") == self._number:
                assert "error" not in message, message
                result: dict[str, Any] = message["result"]
                return result


@contextmanager
def browser(folder: Path, width: int = 1400, height: int = 900) -> Iterator[Browser]:
    """A browser with a profile of its own; the test is skipped where there is none."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip("no Chromium on the PATH")
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
    places = [
        f"--user-data-dir={folder}",
        "--remote-debugging-port=0",
        f"--window-size={width},{height}",
        "about:blank",
    ]
    with (folder / "chromium.log").open("wb") as log:
        running = subprocess.Popen([program, *options, *places], stdout=log, stderr=log)
        try:
            with connect(_page(folder, running), max_size=None, open_timeout=START_S) as socket:
                yield Browser(socket)
        finally:
            running.terminate()
            running.wait(30)


def _page(folder: Path, running: subprocess.Popen[bytes]) -> str:
    """The websocket of the page that is open."""
    active, until = folder / "DevToolsActivePort", time.monotonic() + START_S
    while not (active.exists() and active.read_text().count("\n")):
        assert running.poll() is None, (folder / "chromium.log").read_text(errors="replace")[-1_000:]
        assert time.monotonic() < until
        time.sleep(0.1)
    port = active.read_text().split()[0]
    with urlopen(f"http://127.0.0.1:{port}/json/list", timeout=START_S) as answer:
        pages = json.load(answer)
    return str(next(page["webSocketDebuggerUrl"] for page in pages if page["type"] == "page"))
