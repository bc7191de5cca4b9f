"""Entries at other places in a line of 64 bytes: align=, and the sweep over all of them."""

import re
from html import unescape
from typing import Any

import pytest

from tollgate.machines import row_path
from tollgate.machines.boot import Boot
from tollgate.machines.debug import session
from tollgate.machines.gdb_stub import Stub
from tollgate.records import budgets
from tollgate.records.check import found
from tollgate.show.report.model import read_machine
from tollgate.show.report.page import bars
from tollgate.show.summary import places
from tollgate.show.table import make_console, print_run

from ..conftest import UNTOLD
from ..teach.test_lessons import guest

NMIS = [("align_set", 50), *[("", 501)] * 4, ("memmove", 0), *[("", 501)] * 4, ("ways_init", 0)]
"""Where NMIs come: a function ("": the place of the last NMI), and how many instructions later."""
MACHINES = pytest.mark.parametrize(
    ("arch", "cpu"), [("amd64", "EPYC"), ("i386", "Skylake-Client")], ids=["amd64", "i386"]
)


@pytest.mark.long
@MACHINES
def test_all_64_places_cost_the_same(boot: Any, arch: str, cpu: str) -> None:
    result = boot(arch, cpu, "suite=toll samples=1 only=align")
    assert result.outcome.value == "pass", result.reason
    rows = [row for row in result.results if row["suite"] == "toll"]
    assert all(row["places"] == [row["median"]] * 64 and "best" not in row for row in rows)
    assert result.text.count("nothing of its alignment is to be seen here") == len(rows) > 6
    assert not found(result.runs[0]) and len(places(result.runs[0])) == 1


@MACHINES
def test_an_entry_at_another_place_is_the_same_entry(boot: Any, arch: str, cpu: str) -> None:
    result = boot(arch, cpu, "suite=toll,exceptions samples=10 align=63")
    for suite in ("toll", "exceptions"):
        assert budgets.differences(result, suite) == {}
    words = "suite=contract,promises,sweep only=standard align=37 parts=cr3"
    result = boot(arch, cpu, words)
    assert result.outcome.value == "pass", result.reason


def test_it_begins_where_it_was_asked_to() -> None:
    at = row_path.Kernel("amd64").symbols["clean_user_syscall_standard_entry"]
    assert not at % 64
    with session(Boot("amd64", cpu="EPYC", words=("suite=walk", "align=17")), True) as machine:
        stub = Stub(machine.socket, machine.pid, wide=True)
        stub.set_breaks([at + 17])
        assert stub.go() and stub.registers()["ip"] == at + 17


@pytest.mark.long
@MACHINES
def test_an_nmi_may_come_at_each_instant_of_a_move(arch: str, cpu: str) -> None:
    """NMIs come while words are changed, before the text is moved, during that, and after it."""
    at = row_path.Kernel(arch).symbols
    words = ("suite=toll,exceptions", "samples=1", "align=37")
    with session(Boot(arch, cpu=cpu, words=words), True) as machine:
        stub = Stub(machine.socket, machine.pid, wide=True)

        def go(place: str) -> None:
            stub.set_breaks([at[place]])
            assert stub.go() and stub.registers()["ip"] == at[place]
            stub.set_breaks([at[place]], there=False)

        for place, steps in NMIS:
            if place:
                go(place)
            for _ in range(steps):
                stub.step()
            stub.monitor("nmi")
            go("trap_dispatch")
        stub.go()
        end, said = guest(machine).end, machine.serial.read_text()
    assert end is not None and end["failed"] == 0, said[-2000:]
    assert f"\n{len(NMIS)} NMIs were taken." in said


@pytest.mark.parametrize(
    "extra",
    [UNTOLD, pytest.param([], marks=[pytest.mark.clocked, pytest.mark.long])],
    ids=["even", "host"],
)
def test_where_time_is_counted_the_best_and_the_worst_have_intervals(
    boot: Any, extra: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "suite=toll samples=20 only=align/syscall/standard"
    result = boot("amd64", "EPYC", words, platform="qemu-tcg", extra=extra)
    said = re.findall(r"alignment: best (.+), worst (.+), spread (-?\d+)", result.text)
    told = places(result.runs[0])
    for line, (best, worst, spread) in zip(told, said, strict=True):
        assert line.endswith(f": best {best}, worst {worst}, spread {spread}")
    rows = [row for row in result.results if row["suite"] == "toll"]
    assert all(len(row["places"]) == 64 for row in rows)
    assert not extra or all({*row["places"]} == {row["median"]} for row in rows)
    print_run(result.runs[0], make_console())
    printed, drawn = capsys.readouterr().out, unescape(bars([read_machine(1, result.runs[0])]))
    assert len(told) == 3 and all(line in drawn for line in told)
    assert all(line in " ".join(printed.split()) for line in told)
    assert {"places", "own", "fields"}.isdisjoint(fault.rule for fault in found(result.runs[0]))
