"""A real browser for the tests: Chromium without a window, driven over a pair of pipes.

Source: Chromium's `--remote-debugging-pipe` and the Chrome DevTools Protocol: JSON, each message
ended by a zero byte; the browser reads descriptor 3 and writes descriptor 4.
"""

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
import pytest

from tollgate.machines.child import Child
from tollgate.machines.clock import LOOK, Clock

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
LIMIT = 60.0
"""Seconds that the browser may take for an answer."""
AXE = Path(axe_core_python.__file__).with_name("axe.min.js")
"""Deque's accessibility checker."""
RUN_AXE = """
axe.run(document, {resultTypes: ["violations"]}).then((found) => found.violations.map((each) =>
  `${each.id}: ${each.nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(" and ")}`))
"""
FLAGS = (  # root has no sandbox; protected from floods a page may visit 200 addresses in 10 s
    "--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run "
    "--disable-background-networking --disable-component-update --disable-ipc-flooding-protection "
    "--hide-scrollbars --remote-debugging-pipe"
).split()


def installed() -> str | None:
    """The browser, None without one."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


MARKS = [
    pytest.mark.patient,
    pytest.mark.long,
    pytest.mark.skipif(
        installed() is None,
        reason="no browser is installed: `tools/setup.sh long` brings Debian's chromium",
    ),
]
"""The mark of a file of tests that needs a browser."""


class Browser:
    """One page of a running browser."""

    def __init__(self, pid: int, to: int, back: int) -> None:
        self._pid, self._to, self._back = pid, to, back
        self._bytes = b""
        self._number = 0
        self._session = ""
        self._came: list[str] = []
        """The events since the last command. One may arrive before the command's answer, because
        the browser's processes report independently."""
        self.complaints: list[str] = []
        """Messages on the pages' consoles, and uncaught errors."""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Accessibility", "Network"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """A command's result; AssertionError if the browser refuses it."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._came.clear()
        text = json.dumps(message).encode() + b"\0"
        while text:  # a signal, such as a test's timer, may interrupt a write
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
        """Wait for an event of the page since the last command."""
        while event not in self._came:
            self._next()

    def open(self, page: Path) -> None:
        """Show a file and wait until it is loaded."""
        self.ask("Page.navigate", url=page.as_uri())
        self.wait_for("Page.loadEventFired")

    def run(self, script: str) -> Any:
        """The value of a JavaScript expression."""
        done = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def checked(self) -> list[str]:
        """The accessibility checker's findings, with all folded parts opened."""
        self.run("document.querySelectorAll('details').forEach((each) => { each.open = true })")
        self.run(f"{AXE.read_text(encoding='utf-8')};0")
        done = self.ask(
            "Runtime.evaluate", expression=RUN_AXE, awaitPromise=True, returnByValue=True
        )
        return list(done["result"]["value"])

    def press(self, key: str) -> None:
        """Press a key."""
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def size(self, width: int, height: int, dark: bool = False) -> None:
        """Set the window's size and the person's colour preference."""
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
        """Allow or forbid scripts."""
        self.ask("Emulation.setScriptExecutionDisabled", value=not allowed)

    def picture(self, path: Path, whole: bool = False) -> None:
        """The visible part, or the whole page, as PNG."""
        made = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(made["data"]))

    def nodes(self) -> list[dict[str, Any]]:
        """The accessibility tree, as a list: the input of a screen reader."""
        return list(self.ask("Accessibility.getFullAXTree")["nodes"])


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """A browser with its own files in `folder`; it ends with the block."""
    program = installed()
    assert program, "there is no browser"
    theirs, to = os.pipe()
    back, ours = os.pipe()
    home = {**os.environ, "HOME": str(folder)}
    # The shell moves the pipes to the descriptors that the browser uses.
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
