"""A real browser for the tests: Chromium without a window, driven over a pair of pipes.

Source: Chromium's `--remote-debugging-pipe` and the Chrome DevTools Protocol: JSON, each message
ended by a zero byte; the browser reads descriptor 3 and writes descriptor 4.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import axe_core_python

from tollgate.machines.child import Child
from tollgate.machines.clock import LOOK, Clock

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
LIMIT = 60.0
"""Seconds that the browser may use for an answer."""
AXE = Path(axe_core_python.__file__).with_name("axe.min.js")
"""Deque's accessibility checker."""
RUN_AXE = """
axe.run(document, {resultTypes: ["violations"]}).then((found) => found.violations.map((each) =>
  `${each.id}: ${each.nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(" and ")}`))
"""
FLAGS = (
    "--headless",
    "--no-sandbox",  # its own; root has none
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-ipc-flooding-protection",  # else a page goes to 200 addresses in 10 s, and no more
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)


def installed() -> str | None:
    """The browser, None where there is none."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Browser:
    """One page of a running browser."""

    def __init__(self, pid: int, to: int, back: int) -> None:
        self._pid, self._to, self._back = pid, to, back
        self._bytes = b""
        self._number = 0
        self._session = ""
        self._came: list[str] = []
        """The events since the last command was sent. One may come before the command's answer:
        the browser's processes report on their own."""
        self.complaints: list[str] = []
        """The messages of pages on their console, and errors that nobody caught."""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Accessibility", "Network"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """A command's result; AssertionError where the browser refuses it."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._came.clear()
        text = json.dumps(message).encode() + b"\0"
        while text:  # a signal, such as a test's clock gives, ends a write in the middle
            text = text[os.write(self._to, text) :]
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return dict(answer["result"])

    def _next(self) -> dict[str, Any]:
        clock = Clock(self._pid, family=True)
        while b"\0" not in self._bytes:
            ready, _, _ = select.select([self._back], [], [], LOOK)
            if ready:
                more = os.read(self._back, 1 << 20)
                assert more, "the browser has ended"
                self._bytes += more
            assert clock.read() < LIMIT, "the browser does not answer"
        text, self._bytes = self._bytes.split(b"\0", 1)
        message = dict(json.loads(text))
        self._notice(message)
        return message

    def _notice(self, message: dict[str, Any]) -> None:
        data = message.get("params", {})
        self._came.append(message.get("method", ""))
        if message.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(str(data["exceptionDetails"].get("exception", data)))
        elif message.get("method") == "Runtime.consoleAPICalled":
            self.complaints.append(str(data["args"]))
        elif message.get("method") == "Log.entryAdded":
            self.complaints.append(str(data["entry"]["text"]))

    def wait_for(self, event: str) -> None:
        """Until an event of the page has come since the last command was sent."""
        while event not in self._came:
            self._next()

    def open(self, page: Path) -> None:
        """Show a file, once it is loaded."""
        self.ask("Page.navigate", url=page.as_uri())
        self.wait_for("Page.loadEventFired")

    def run(self, script: str) -> Any:
        """The value of an expression of JavaScript."""
        done = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def checked(self) -> list[str]:
        """The findings of the accessibility checker, with all folded parts opened."""
        self.run("document.querySelectorAll('details').forEach((each) => { each.open = true })")
        self.run(f"{AXE.read_text(encoding='utf-8')};0")
        done = self.ask(
            "Runtime.evaluate", expression=RUN_AXE, awaitPromise=True, returnByValue=True
        )
        return list(done["result"]["value"])

    def press(self, key: str) -> None:
        """A key, as a person presses it."""
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def size(self, width: int, height: int, dark: bool = False) -> None:
        """The window, and what the person likes."""
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        scheme = "dark" if dark else "light"
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.ask("Emulation.setEmulatedMedia", features=features)

    def scripts(self, allowed: bool) -> None:
        """Whether pages may run scripts."""
        self.ask("Emulation.setScriptExecutionDisabled", value=not allowed)

    def picture(self, path: Path, whole: bool = False) -> None:
        """The visible part, or the whole page, as PNG."""
        made = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(made["data"]))

    def nodes(self) -> list[dict[str, Any]]:
        """The accessibility tree, as a list: what a screen reader is told."""
        return list(self.ask("Accessibility.getFullAXTree")["nodes"])


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """A browser whose own files lie in `folder`; it ends with the block."""
    program = installed()
    assert program, "there is no browser"
    theirs, to = os.pipe()
    back, ours = os.pipe()
    home = {**os.environ, "HOME": str(folder)}
    # The shell moves the pipes to where the browser looks for them.
    line = f'exec "$@" 3<&{theirs} 4>&{ours}'
    profile = f"--user-data-dir={folder / 'profile'}"
    command = ["bash", "-c", line, "bash", program, *FLAGS, profile, "about:blank"]
    with (folder / "browser.log").open("wb") as log:
        child = Child(command, env=home, stdout=log, stderr=log, keep=(theirs, ours))
    os.close(theirs)
    os.close(ours)
    try:
        yield Browser(child.pid, to, back)
    finally:
        child.close()
        os.close(to)
        os.close(back)
