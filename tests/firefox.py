"""Firefox without a window, driven by Marionette, its own remote control.

A message is its length, a colon and JSON: [0, number, command, parameters] there, and
[1, number, error, result] back. With port 0 Firefox chooses one, and writes it into its profile.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tollgate.child import Child
from tollgate.clock import LOOK, Clock
from tollgate.proc import PROC, family, stat

NAMES = ("firefox-esr", "firefox")
LIMIT = 120.0
"""Seconds that Firefox may use for an answer."""
SETTINGS = {
    "marionette.port": 0,
    "app.update.enabled": False,
    "app.normandy.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.proxy.type": 1,
    "network.proxy.socks": "127.0.0.1",
    "network.proxy.socks_port": 9,  # nothing answers there: a page has no network
}
USED = slice(11, 13)
"""Of a stat file's words: processor time of the process, as a program and in the kernel."""


def installed() -> str | None:
    """Firefox, None where there is none."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Firefox:
    """The one window of a running Firefox."""

    def __init__(self, pid: int, port: int) -> None:
        self._pid = pid
        self._line = socket.create_connection(("127.0.0.1", port))
        self._line.settimeout(LOOK)
        self._bytes = b""
        self._number = 0
        self._message()
        self.ask("WebDriver:NewSession", capabilities={})
        self.ask("WebDriver:SetTimeouts", script=10**9, pageLoad=10**9)  # ms; LIMIT holds

    def ask(self, command: str, **parameters: Any) -> Any:
        """A command's result; AssertionError where Firefox refuses it."""
        self._number += 1
        text = json.dumps([0, self._number, command, parameters]).encode()
        self._line.sendall(b"%d:%s" % (len(text), text))
        _, number, error, result = self._message()
        assert number == self._number and not error, error
        return result.get("value") if isinstance(result, dict) else result

    def _message(self) -> Any:
        self._wait(lambda: b":" in self._bytes)
        length, _, rest = self._bytes.partition(b":")
        self._bytes = rest
        self._wait(lambda: len(self._bytes) >= int(length))
        text, self._bytes = self._bytes[: int(length)], self._bytes[int(length) :]
        return json.loads(text)

    def _wait(self, done: Callable[[], bool]) -> None:
        clock = Clock(self._pid, family=True)
        while not done():
            try:
                more = self._line.recv(1 << 20)
                assert more, "Firefox has ended"
                self._bytes += more
            except TimeoutError:
                assert clock.read() < LIMIT, "Firefox does not answer"

    def open(self, address: str) -> None:
        """Show a page, once it is loaded."""
        self.ask("WebDriver:Navigate", url=address)

    def run(self, expression: str) -> Any:
        """The value of an expression of JavaScript."""
        return self.ask(
            "WebDriver:ExecuteScript",
            script=f"return window.eval({json.dumps(expression)})",
            args=[],
        )

    def until(self, condition: str) -> None:
        """Until the page says so."""
        look = f"const look = () => {{ ({condition}) ? done() : setTimeout(look, 50); }}; look();"
        script = f"const done = arguments[0]; {look}"
        self.ask("WebDriver:ExecuteAsyncScript", script=script, args=[])

    def used(self) -> float:
        """Processor time of all its processes, in seconds."""
        ticks = sum(
            int(each) for pid in family([self._pid]) for each in stat(PROC / str(pid))[USED]
        )
        return ticks / os.sysconf("SC_CLK_TCK")


@contextmanager
def firefox(folder: Path) -> Iterator[Firefox]:
    """A Firefox whose own files lie in `folder`; it ends with the block."""
    program = installed()
    assert program, "there is no Firefox"
    profile = folder / "profile"
    profile.mkdir()
    lines = (f"user_pref({json.dumps(k)}, {json.dumps(v)});\n" for k, v in SETTINGS.items())
    (profile / "user.js").write_text("".join(lines))
    command: list[str | Path] = [
        program,
        "--headless",
        "--marionette",
        "--no-remote",
        "--profile",
        profile,
    ]
    with (folder / "firefox.log").open("wb") as log:
        child = Child(
            [*command, "about:blank"],
            env={**os.environ, "HOME": str(folder)},
            stdout=log,
            stderr=log,
        )
    try:
        port = profile / "MarionetteActivePort"
        clock = Clock(child.pid, family=True)
        while not (port.is_file() and port.read_text().isdigit()):
            assert not child.ended(LOOK), "Firefox has ended"
            assert clock.read() < LIMIT, "Firefox does not start"
        yield Firefox(child.pid, int(port.read_text()))
    finally:
        child.close()
