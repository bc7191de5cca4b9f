"""The kinds of tests, by the influence of the host's clock.

*Counted*, without a mark: the same result every time and everywhere. *Clocked*: depends on the
host's clock, so it asserts only facts that hold on a noisy host. *Patient*: waits for a host
program, and gives up after an amount of usable time (machines.clock). An unmarked test
fails if it sleeps, runs gdb, or boots a machine that does not count instructions.
"""

import os
import shutil
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tollgate.machines.platforms import QEMU

CLOCKED, PATIENT, REFUSED = "TOLLGATE_CLOCKED", "TOLLGATE_PATIENT", "TOLLGATE_REFUSED"
"""In the environment of a test's processes: "1" with the mark; the file for refusals."""
FIXTURES = frozenset(
    {"cable", "chromium", "host_runs", "machine", "person", "seated", "taken", "window"}
)
"""A test with one of these fixtures is patient."""
TESTS = str(Path(__file__).resolve().parent)
FRONT = """#!/bin/sh
# In front of the program of this name, which a test may run as it likes only with a mark.
case "${mark}$*" in
1* | {free}) exec {program} "$@" ;;
esac
echo "{refusal}: $*" | tee -a "${refused}" >&2
exit 1
"""
COUNTS = '*" -icount "* | *-version* | *"-cpu help"* | *"-bios firmware"*'
"""Arguments of an emulator that counts, or measures no guest. (pace.py has the firmware alone.)"""
UNCOUNTED = (CLOCKED, COUNTS, "it boots uncounted instructions and is not marked clocked")
WAITS = (PATIENT, "--version", "it runs gdb and is not marked patient")
FRONTED = dict.fromkeys(QEMU.values(), UNCOUNTED) | {"gdb": WAITS}
"""The mark, the arguments that need none, and the refusal."""


def stand_in_front(root: Path) -> None:
    """Put a program in front of these, during this run."""
    folder = root / "bin"
    folder.mkdir()
    for name, (mark, free, refusal) in FRONTED.items():
        if program := shutil.which(name):
            front = FRONT.format(
                program=program, mark=mark, free=free, refusal=refusal, refused=REFUSED
            )
            (folder / name).write_text(front)
            (folder / name).chmod(0o755)
    os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"


class Kinds:
    """Knows the kind of the running test."""

    def __init__(self) -> None:
        self._slept: set[str] = set()
        self._may_sleep = True
        self._sleep = time.sleep
        time.sleep = self._look

    def _look(self, seconds: Any) -> None:
        code = sys._getframe(1).f_code
        if code.co_filename.startswith(TESTS) and not self._may_sleep:
            self._slept.add(code.co_qualname)
        self._sleep(seconds)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Mark the tests before they are selected by marks."""
        for item in items:
            if FIXTURES & {*getattr(item, "fixturenames", ())}:
                item.add_marker("patient")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Prepare the environment before fixtures are made."""
        self._may_sleep = any(item.iter_markers("clocked")) or any(item.iter_markers("patient"))
        os.environ[CLOCKED] = "1" if item.get_closest_marker("clocked") else ""
        os.environ[PATIENT] = "1" if self._may_sleep else ""
        os.environ[REFUSED] = f"{os.environ['TMPDIR']}/refused-{os.getpid()}"
        try:
            return (yield)
        finally:
            self._may_sleep = True

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None]:
        """Whatever its result, a forbidden action fails it."""
        try:
            yield
        finally:
            slept, self._slept = self._slept, set()
            refused = Path(os.environ[REFUSED])
            if refused.exists():
                said = refused.read_text()
                refused.unlink()
                pytest.fail(said, pytrace=False)
            if slept:
                who = ", ".join(sorted(slept))
                pytest.fail(f"{who} sleeps, and the test is marked neither clocked nor patient")
