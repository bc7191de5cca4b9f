"""A few tests that failed run once more, alone: was it the test, or what ran beside it?"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

LOG = Path("build") / "again.txt"


class Again:
    """Where the run is controlled.  More failures than `most` are not looked into: a busy machine
    spoils one test of thousands, a fault spoils many.  A fault of the tree fails alone as well."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._failed: dict[str, str] = {}
        self._passed: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what failed, and how."""
        if report.failed:
            self._failed.setdefault(report.nodeid, report.longreprtext)

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> object:
        """All have ended.  The run has passed if each of the few passes alone."""
        result = yield
        if exitstatus != pytest.ExitCode.TESTS_FAILED or len(self._failed) > self._most:
            return result
        log = session.config.rootpath / LOG
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text("\n\n".join(f"{t}\n{why}" for t, why in self._failed.items()) + "\n")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *self._failed]
        done = subprocess.run(
            command, cwd=session.config.rootpath, capture_output=True, text=True, check=False
        )
        log.write_text(f"{log.read_text()}\nalone:\n{done.stdout}{done.stderr}")
        if done.returncode == 0:
            self._passed = list(self._failed)
            session.exitstatus = pytest.ExitCode.OK
        return result

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say it plainly: a test that fails beside others wants mending."""
        for test in self._passed:
            terminalreporter.write_line(
                f"{test} failed beside the others and passed alone: {LOG} has how it failed."
            )
