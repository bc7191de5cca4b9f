"""What a run of the tests says of itself."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tollgate.machines.boot import ROOT

from ..cost import Account, dealt, duration
from ..twins import chosen, wrong


def test_a_run_is_as_far_as_its_processor_time() -> None:
    account = Account({"long": 30.0, "short": 10.0})
    account.expect(["long", "short"])
    assert account.done == 0.0
    account.end("short", 10.0)
    assert account.done == 0.25
    account.end("long", 30.0)
    assert account.done == 1.0
    assert str(account).startswith("100%: 2 of 2 tests")


def test_a_test_that_nobody_knows_is_taken_for_a_usual_one() -> None:
    account = Account({"known": 4.0})
    account.expect(["known", "new"])
    account.end("known", 4.0)
    assert account.done == 0.5


def test_tests_that_cost_nothing_are_no_division_by_zero() -> None:
    account = Account({})
    account.expect(["a", "b"])
    account.end("a", 0.0)
    assert account.done == 0.0


def test_times_are_for_people() -> None:
    assert [duration(seconds) for seconds in (3.4, 60, 125)] == ["3 s", "1 min 00 s", "2 min 05 s"]


def test_what_is_left_is_no_less_than_the_longest_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two workers, 20 s of work in 10 s; a test of 100 s runs alone when all others are done."""
    monkeypatch.setattr(time, "monotonic", lambda: 0.0)
    account = Account({"a": 10.0, "b": 10.0, "long": 100.0})
    account.expect(["a", "b", "long"])
    account.begin("a")
    account.begin("b")
    account.end("a", 10.0)
    account.end("b", 10.0)
    account.begin("long")
    assert account.seconds_left(10.0) == 90.0
    assert account.seconds_left(40.0) == 360.0  # at a third of the pace


def test_the_dearest_come_first_in_each_workers_part() -> None:
    costs = {"a": 1.0, "b": 9.0, "c": 5.0, "d": 7.0, "e": 1.0}
    assert dealt(list(costs), costs.__getitem__, 1) == ["b", "d", "c", "a", "e"]
    assert dealt(list(costs), costs.__getitem__, 2) == ["b", "c", "e", "d", "a"]


TESTS = """
import pytest
def test_good(): pass
@pytest.mark.skip(reason="no # here")
def test_skipped(): pass
@pytest.mark.parametrize("word", ["#1"])
def test_bad(word): assert word == "no"
@pytest.fixture
def broken(): yield; raise OSError("left behind")
def test_left(broken): pass
"""


def test_what_came_of_each_test_is_written_as_tap(tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.cost", "-n", "2", "--progress"]
    env = {"PYTHONPATH": f"{ROOT}:{ROOT / 'tools'}", "PATH": "/usr/bin:/bin"}
    words = ["--tap=out/test.tap", "-c", "pytest.ini", "--rootdir=.", "test_some.py"]
    done = subprocess.run([*command, *words], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 1, done.stdout + done.stderr
    head, *lines, plan = (tmp_path / "out" / "test.tap").read_text().splitlines()
    results = [line for line in lines if not line.startswith("#")]
    assert (head, plan) == ("TAP version 13", "1..5")
    assert sorted(line.partition(" - ")[2] for line in results) == [
        "test_some.py::test_bad[\\#1]",
        "test_some.py::test_good",
        "test_some.py::test_left",
        "test_some.py::test_left",
        "test_some.py::test_skipped # SKIP no # here",
    ]
    assert sorted(line.partition(" - ")[0].rstrip("12345 ") for line in results) == [
        *["not ok"] * 2,
        *["ok"] * 3,
    ]
    assert "# E   OSError: left behind" in "\n".join(lines)


def test_a_list_of_twins_names_tests_and_leaves_one_of_each() -> None:
    tests = ["t.py::f[i386]", "t.py::f[amd64]", "t.py::g"]
    found = chosen(tests, ["t.py::f[i*]", "t.py::gone[*]"])
    assert found == {"t.py::f[i*]": ["t.py::f[i386]"], "t.py::gone[*]": []}
    assert wrong(["t.py::f[amd64]"], found) == [
        "t.py::gone[*]: there is no such test",
        "t.py::gone: no case of it is left in `make test`",
    ]
    assert wrong(["t.py::f[amd64]"], chosen(tests, ["t.py::f[i386]"])) == []
    assert wrong([], chosen(tests, ["t.py::f[*]"])) == [
        "t.py::f: no case of it is left in `make test`"
    ]
