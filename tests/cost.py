"""What tests cost in processor time, and how far a run is.

Wall time says how busy the host was; what a test and the emulators that it starts use of the
processor says what the test costs.  Each test's figure is in build/junit.xml.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Generator, Iterable
from typing import Any

import pytest

COST = "processor_seconds"
DEAREST = 10
"""Tests that the summary names."""
STEP = 10
"""Per cent between two lines where the output is no terminal."""
WIDTH = 100

_start = pytest.StashKey[float]()


def spent() -> float:
    """Processor time of this process and of all its children that have ended, in seconds."""
    usages = [resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


class Meter:
    """Measures each test where it runs."""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Begin before the fixtures are made."""
        item.stash[_start] = spent()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put the figure into a test's last report, from which junit.xml takes properties."""
        report = yield
        if call.when == "teardown":
            report.user_properties.append((COST, round(spent() - item.stash[_start], 2)))
        return report


class Account:
    """Where the run is controlled: adds up what tests cost."""

    def __init__(self) -> None:
        self._left: set[str] = set()
        self.runs: list[str] = []
        self.costs: dict[str, float] = {}

    def expect(self, tests: Iterable[str]) -> None:
        """Take note of what will run."""
        self._left = set(tests)

    def begin(self, test: str) -> None:
        """Take note of a test that has started."""
        self.runs.append(test)

    def end(self, test: str, cost: float) -> None:
        """Take note of a test that has ended."""
        self.costs[test] = cost
        self.runs = [each for each in self.runs if each != test]
        self._left.discard(test)

    @property
    def done(self) -> float:
        """How many of the tests are done: 0 to 1."""
        return len(self.costs) / max(1, len(self.costs) + len(self._left))

    def __str__(self) -> str:
        """How far the run is."""
        return f"{self.done:4.0%}: {len(self.costs)} of {len(self.costs) + len(self._left)} tests"


class Progress:
    """Says what runs: on a terminal in one line that changes, elsewhere in a line for each step."""

    def __init__(self, account: Account) -> None:
        self._account = account
        self._terminal = sys.stdout.isatty()
        self._told = 0.0

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:
        """Each worker collects the same tests."""
        self._account.expect(ids)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """The same without workers."""
        self._account.expect(item.nodeid for item in session.items)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Show what has started."""
        self._account.begin(nodeid)
        self._show()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Show what has ended, and keep it in sight when it failed."""
        if report.failed:
            self._line(f"FAILED {report.nodeid}, {report.when}")
        if report.when == "teardown":
            cost = dict(report.user_properties).get(COST, 0.0)
            self._account.end(report.nodeid, float(str(cost)))
            self._show()

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """No letter for a test: the line says it."""
        if report.when == "call" or report.outcome != "passed":
            broken = report.failed and report.when != "call"
            return "error" if broken else report.outcome, "", ""
        return None

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say what all cost and name the dearest."""
        costs = self._account.costs
        if self._terminal:
            print("\r\x1b[K", end="", flush=True)
        if not costs:
            return
        dearest = sorted(costs, key=lambda test: -costs[test])[:DEAREST]
        terminalreporter.write_line(
            f"{spent():.0f} s of processor time, {sum(costs.values()):.0f} s of it in "
            f"{len(costs)} tests. The dearest:"
        )
        for test in dearest:
            terminalreporter.write_line(f"{costs[test]:7.1f} s  {test}")

    def _line(self, text: str) -> None:
        print("\r\x1b[K" * self._terminal + text, flush=True)

    def _show(self) -> None:
        if self._terminal:
            runs = ", ".join(test.rpartition("/")[2] for test in self._account.runs)
            line = f"{self._account}; {runs}"
            print(f"\r{line[:WIDTH]}\x1b[K", end="", flush=True)
        elif self._account.done * 100 >= self._told + STEP:
            self._told = self._account.done * 100 // STEP * STEP
            self._line(str(self._account))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Progress instead of letters is what `make test` asks for."""
    parser.addoption("--progress", action="store_true", help="what runs, how far, at what cost")


def pytest_configure(config: pytest.Config) -> None:
    """The meter runs with the tests, the account where they are controlled."""
    register = config.pluginmanager.register
    register(Meter())
    if config.getoption("--progress") and not hasattr(config, "workerinput"):
        register(Progress(Account()))
