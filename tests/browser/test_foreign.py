"""v86 as a judge: the end of each suite there, and the toll's rows to the instruction."""

import shutil
import subprocess

import pytest

from tollgate.machines.boot import BUILD, ROOT
from tollgate.records import budgets

from ..chromium import installed
from ..foreign import JUDGES, SUITES, V86, End, is_expected

pytestmark = [
    pytest.mark.patient,
    pytest.mark.long,
    pytest.mark.skipif(
        shutil.which("node") is None,
        reason="there is no node: `tools/setup.sh browser` brings Debian's",
    ),
]
ROWS = 26
"""The budgets' rows that an Intel processor has outside 64-bit mode."""


@pytest.fixture(scope="module", autouse=True)
def v86() -> None:
    """Unpacked; skips the test if it is not available."""
    made = subprocess.run(
        ["tools/v86.sh", str(V86)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if made.returncode:
        pytest.skip(made.stderr.splitlines()[0])
    assert (BUILD / "i386" / "initrd.cpio").is_file()


@pytest.mark.parametrize("suite", SUITES, ids="i386-{}".format)
def test_each_suite_ends_as_expected(suite: str) -> None:
    end = JUDGES["v86"](suite)
    assert is_expected("v86", suite, end), end.word


def test_what_it_lacks_is_skipped_with_the_reason() -> None:
    skips = JUDGES["v86"]("exceptions").skips
    assert skips["user/ud/task"].startswith("no task gates at CPL 3: ")
    assert skips["trusted/db/plain"].startswith("no single steps: ")
    assert "trusted/ud/task" not in skips
    skips = JUDGES["v86"]("starve").skips
    assert skips["trusted/push/demand-zero"].startswith("no #DF: ")
    assert skips["user/step/unmapped"].startswith("no single steps: ")
    assert "user/push/unmapped" not in skips


def test_every_row_of_the_toll_costs_its_budget() -> None:
    counted = JUDGES["v86"]("toll").rows
    wanted = {row: budgets.highest(each) for row, each in budgets.load("toll", "i386").items()}
    rows = {row: figure for row, figure in counted.items() if row in wanted}
    assert rows == {row: wanted[row] for row in rows} and len(rows) == ROWS


@pytest.mark.skipif(installed() is None, reason="no browser: `tools/setup.sh long` brings chromium")
def test_in_chromium_every_row_is_what_it_is_in_node() -> None:
    assert JUDGES["v86, Chromium"]("toll").rows == JUDGES["v86"]("toll").rows


@pytest.mark.skipif(installed() is None, reason="no browser: `tools/setup.sh long` brings chromium")
def test_a_clock_that_stands_still_measures_nothing() -> None:
    """Chromium's clock has steps of 100 us: the kernel reports that, and starts no suite."""
    end = JUDGES["v86, Chromium, JIT"]("toll")
    assert is_expected("v86, Chromium, JIT", "toll", end), end.word
    assert not end.rows


@pytest.mark.clocked
def test_with_its_compiler_the_toll_ends() -> None:
    end = JUDGES["v86, JIT"]("toll")
    assert is_expected("v86, JIT", "toll", end), end.word


def test_another_end_is_not_expected() -> None:
    assert not is_expected("v86", "toll", End("failed: control/entered", {}))
    assert not is_expected("v86", "starve", End("v86 throws: unreachable", {}))
