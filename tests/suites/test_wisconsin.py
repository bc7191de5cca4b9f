"""The database of the suite `wisconsin`: Linux's answers in every ring and width; its figures."""

import re
from pathlib import Path
from typing import Any

import pytest

from tollgate.machines.boot import BUILD
from tollgate.machines.child import run
from tollgate.show import wisconsin
from tollgate.show.report import database
from tollgate.show.report.model import read_machine
from tollgate.show.report.tables import NOT_TESTABLE

WORDS = "suite=wisconsin samples=1 only="
"""Each query runs once; ONLY selects runs."""
WHOLE = "suite=toll,faults,wisconsin samples=20"
"""The command line of `make bench SUITE=wisconsin`: all, with each query ten times."""
RINGS = ("user", "trusted")
SETTINGS = ("default", "cache-10", "page-512")
SECONDS = 60
"""Maximum of the guest's time: it counts 1,000 million instructions per second."""


def module(arch: str) -> Path:
    path = BUILD / arch / "wisconsin.cpio"
    if not path.exists():
        pytest.skip("`make bench SUITE=wisconsin` builds the initrd with a database")
    return path


def hosts(arch: str, folder: Path, loops: int = 1) -> tuple[str, str]:
    """The rows and the checksum that the same program finds on this host's Linux."""
    program = BUILD / arch / "database" / "bin" / "database"
    said = run([program, "alone", str(loops), folder / "rows", "10", "512"], 60).stdout
    found = re.search(r"^rows (\d+) 0\nchecksum (\d+) 0$", said, re.MULTILINE)
    assert found, said
    return found[1], found[2]


def results(found: Any) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["suite"], row["id"]): row for row in found.results}


def test_rows_and_checksum_are_the_hosts(boot: Any, tmp_path: Path) -> None:
    """In ring 0, with system calls as function calls; the last test has databases in both rings."""
    result = boot("amd64", "EPYC", WORDS + "cache-10-site", module=module("amd64"), memory=64)
    assert result.outcome.value == "pass", result.reason
    (total,) = [row for row in result.results if row["id"].endswith("/total")]
    assert (str(total["rows"]), str(total["checksum"])) == hosts("amd64", tmp_path)
    said = str(database.section([read_machine(1, result.machine_run)]))
    assert "14 % in the kernel. Instructions are a path\u2019s length; of time: " in said
    assert NOT_TESTABLE in said
    for _, linux, kml, _ in wisconsin.ARTICLE:
        assert linux in said and kml in said


whole = pytest.mark.limit(1800.0)
ARCHES = pytest.mark.parametrize("arch", ["amd64", pytest.param("i386", marks=pytest.mark.weekly)])


def bench(boot: Any, arch: str) -> wisconsin.Boot:
    """The measured rows of `make bench SUITE=wisconsin`; one boot for all tests."""
    result = boot(arch, "EPYC", WHOLE, module=module(arch), memory=64, deadline=1500.0)
    assert result.outcome.value == "pass", result.reason
    return wisconsin.Boot(arch, results(result))


def settings(arch: str) -> list[str]:
    """The settings of a database in ring 0."""
    behind = ("", wisconsin.REWRITTEN) if arch == "amd64" else ("",)
    return [name + site for name in SETTINGS for site in behind]


@pytest.mark.long
@whole
@ARCHES
def test_each_run_finds_the_hosts_rows(boot: Any, tmp_path: Path, arch: str) -> None:
    """Every setting in either ring, and each client with each server."""
    found = bench(boot, arch)
    pairs = [f"{ring}/server-{server}" for ring in RINGS for server in RINGS]
    runs = [f"user/{name}" for name in SETTINGS] + [f"trusted/{name}" for name in settings(arch)]
    totals = {name for suite, name in found.figures if suite == "wisconsin" and "/total" in name}
    assert totals == {f"{name}/total" for name in runs + pairs}
    said = {
        tuple(str(found.figures["wisconsin", name][key]) for key in ("rows", "checksum"))
        for name in totals
    }
    assert said == {hosts(arch, tmp_path, 10)}
    again = [f"user/{name}/total" for name in SETTINGS]  # with the windows counted: takes longer
    taken = sum(found.of(name) or 0.0 for name in [*totals, *again, *again])
    assert 10**10 < taken < SECONDS * 10**9


@pytest.mark.long
@whole
@ARCHES
def test_the_difference_between_the_rings_is_explained(boot: Any, arch: str) -> None:
    """Explained by calls and page faults, to a ten-thousandth of the total, in every setting."""
    each = {one.setting: one for one in wisconsin.differences(bench(boot, arch))}
    assert list(each) == settings(arch)
    for one in each.values():
        assert one.left is not None
        assert abs(one.left) < one.base / 10_000, one
        assert one.faults, one
        assert all(ticks > 100 for ticks in one.ticks), one


@pytest.mark.long
@whole
@ARCHES
def test_its_tables_say_what_the_document_says(boot: Any, arch: str) -> None:
    tables = {table.caption: table for table in wisconsin.tables(bench(boot, arch))}
    columns = [column for table in tables.values() for column in table.columns]
    for word in ("in calls", "entry, exit", "faults", "ticks", "left"):
        assert word in columns
    (measured,) = [table for table in tables.values() if "claimed" in table.columns]
    assert [line[1:4] for line in measured.lines] == [list(row[1:]) for row in wisconsin.ARTICLE]
    assert {line[-1] for line in measured.lines} == {NOT_TESTABLE}
    for setting in settings(arch):
        steps = [line[0] for line in tables[f"steps of the benchmark, {setting}"].lines]
        assert [step for step in steps if "statement" in step] == [
            f"statement-{n:02}" for n in range(1, 25)
        ]


MOST = {"i386": {"pread64": 1400, "pwrite64": 1522}, "amd64": {"pread64": 790, "pwrite64": 862}}
"""Maximum of instructions for a call of 4,096 bytes. With gcc 12 amd64 has 781 and 851."""


@pytest.mark.long
@whole
@ARCHES
def test_a_page_read_or_written_has_a_budget(boot: Any, arch: str) -> None:
    found = bench(boot, arch).figures
    for name, most in MOST[arch].items():
        for ring in RINGS:
            row = found["wisconsin", f"{ring}/cache-10/call-{name}"]
            assert most / 2 < (row["median"] or 0) / (row["count"] or 1) <= most, name
