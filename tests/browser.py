"""A Chromium without a window, asked through its devtools: what a page looks like to a person with a phone.

Put here how it is started and asked. What a page has to look like belongs to the page's test.
"""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import time
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any, Final
from urllib.request import Request, urlopen

import pytest
from websockets.sync.client import connect

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from websockets.sync.client import ClientConnection

NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "chrome")
WORDS: Final = ("--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", "about:blank")
START_S: Final = 60
BEYOND: Final = """
[...document.querySelectorAll("body *")]
    .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest(".scroll, pre, .jump"))
    .map((one) => `${one.tagName} ${one.textContent.slice(0, 60)}`)
"""


class Browser:
    """One tab."""

    def __init__(self, socket: ClientConnection) -> None:
        """Ask through this connection."""
        self._socket, self._numbers = socket, count(1)

    def open(self, page: Path, width: int, *, is_dark: bool = False) -> None:
        """Show a page on a screen of this width."""
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=740, deviceScaleFactor=1, mobile=True)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self._call("Emulation.setEmulatedMedia", features=[scheme])
        self._call("Page.navigate", url=page.as_uri())
        while self.value("document.readyState + location.href") != f"complete{page.as_uri()}":
            time.sleep(0.05)

    def beyond_the_screen(self) -> list[str]:
        """The elements that reach beyond the right border, but for those inside what scrolls by itself."""
        elements: list[str] = self.value(BEYOND)
        return elements

    def value(self, expression: str) -> Any:  # noqa: ANN401 - whatever the page says
        """The value of an expression on the page."""
        return self._call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def picture(self, to: Path) -> None:
        """Take a picture of the whole page."""
        taken = self._call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        to.write_bytes(base64.b64decode(taken["data"]))

    def _call(self, method: str, **arguments: object) -> dict[str, Any]:
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": arguments}))
        while True:
            answer: dict[str, Any] = json.loads(self._socket.recv(START_S))
            if answer.get("id") == number:
                assert "error" not in answer, answer
                return dict(answer["result"])


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """A tab of a Chromium of one's own, gone afterwards; a skip where there is none."""
    program = next((path for name in NAMES if (path := shutil.which(name))), None)
    if program is None:
        pytest.skip("no Chromium is installed")
    command = [program, f"--user-data-dir={profile}", *WORDS]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        try:
            assert running.stderr
            listening = next(line for line in running.stderr if "DevTools listening on" in line)
            address = listening.split("ws://")[1].split("/")[0]
            request = Request(f"http://{address}/json/new?about:blank", method="PUT")
            with urlopen(request, timeout=START_S) as answer:  # noqa: S310 - this machine
                tab = json.load(answer)
            with connect(tab["webSocketDebuggerUrl"], max_size=None) as socket:
                yield Browser(socket)
        finally:
            running.terminate()
