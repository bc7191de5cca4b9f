"""`make audit`: a second meter agrees with true records, and with no changed ones."""

import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tollgate.errors import Exit, UsageError
from tollgate.machines import audit
from tollgate.machines.platforms import DEFAULT_MACHINES
from tollgate.machines.qemu_plugin import NoDisassemblerError

FEW = "toll,usystime,calls"
"""Suites for a short test: rows with sections, and a program with a pair of stamps."""
MACHINES = [pytest.param(*m, id="-".join(m)) for m in DEFAULT_MACHINES["qemu"]]
ROWS = 2250
"""Smallest number of rows counted on the three machines."""


def metered(arch: str, suite: str, place: Path) -> audit.Meter:
    """A boot under the second meter; skips the test if QEMU has no disassembler."""
    try:
        return audit.audit(arch, "EPYC", suite, 10, place)
    except NoDisassemblerError as error:
        pytest.skip(str(error))


def wrong(meter: audit.Meter, row: dict[str, Any]) -> dict[str, str]:
    """Faults of a row, by its suite and id."""
    (window,) = (w for w in meter.windows if w.record.data is row)
    verdict = audit.judge(meter, window)
    return {f"{row['suite']} {row['id']}": verdict.wrong} if verdict and verdict.wrong else {}


@pytest.mark.figures
@pytest.mark.parametrize("arch", ["amd64"])
def test_a_figure_that_is_not_what_ran_is_found(tmp_path: Path, arch: str) -> None:
    """First the true records, then each figure of two records changed by one, and two sections."""
    meter = metered(arch, FEW, tmp_path)
    assert {name: one.wrong for name, one in audit.judge_all(meter) if one and one.wrong} == {}
    rows = {w.record.data["id"]: w.record.data for w in meter.windows if w.record.type == "result"}
    assert len(rows) > 50
    headline, read = rows["user/int/standard"], rows["user/usystime/read"]
    for key in ("n", "min", "median", "p90", "p99", "max", "mean", "probe", "residue", "batch"):
        for row in (headline, read) if key in read else (headline,):
            row[key] += 1
            assert set(wrong(meter, row)) == {f"{row['suite']} {row['id']}"}, key
            row[key] -= 1
    first, second, *_ = headline["sections"]
    first["median"], second["median"] = second["median"], first["median"]
    assert "sections are [21, 1, 1," in wrong(meter, headline)["toll user/int/standard"]


@pytest.mark.long
def test_a_path_under_conditions_that_is_not_what_ran_is_found(tmp_path: Path) -> None:
    """All rows of one path from three origins agree; with a changed figure none does."""
    meter = metered("amd64", "around", tmp_path)
    judged = dict(audit.judge_all(meter))
    assert {name: one.wrong for name, one in judged.items() if one and one.wrong} == {}
    rows = [w.record.data for w in meter.windows if w.record.type == "result"]
    paths = [row for row in rows if row["suite"] == "around"]
    assert len(paths) == 48
    for key in ("n", "min", "median", "p90", "p99", "max", "mean"):
        for row in paths[:3]:
            row[key] += 1
            assert set(wrong(meter, row)) == {f"around {row['id']}"}, key
            row[key] -= 1


@pytest.mark.long
def test_every_row_of_retries_is_counted(tmp_path: Path) -> None:
    """Compared with the kernel's single steps; one more in the record is found."""
    meter = metered("i386", "vsyscall", tmp_path)
    assert {name: one.wrong for name, one in audit.judge_all(meter) if one and one.wrong} == {}
    rows = [w.record.data for w in meter.windows if "/retry/" in w.record.data.get("id", "")]
    assert len(rows) >= 6
    for row in rows:
        row["min"] += 1
        assert "min is" in wrong(meter, row)[f"vsyscall {row['id']}"]


@pytest.mark.parametrize(
    ("arch", "cpu", "suite", "told"),
    [
        ("zzz", "", "", "There is no kernel for 'zzz'"),
        ("", "zzz", "", "ARCH=amd64 CPU=zzz"),
        ("", "", "toll,zzz", "There is no suite 'zzz'; SUITE is of toll, "),
        ("i386", "pentium", "zzz", "There is no suite 'zzz'; SUITE is of toll, "),
    ],
)
def test_what_is_not_there_is_refused(arch: str, cpu: str, suite: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        audit.audit_all(arch, cpu, suite, Console(file=io.StringIO()))


@pytest.mark.long
def test_every_row_of_three_machines_agrees() -> None:
    said = io.StringIO()
    assert audit.audit_all("", "", "", Console(file=said, width=400)) is Exit.PASS, said.getvalue()
    counts = [line.split(": ")[1] for line in said.getvalue().splitlines() if " agree " in line]
    good = [int(count.split(" of ")[0]) for count in counts]
    assert len(good) == len(MACHINES) and sum(good) >= ROWS
