"""Entries at other places in a line of 64 bytes: align=, and the sweep over all of them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tollgate.machines import row_path
from tollgate.machines.boot import Boot
from tollgate.machines.debug import session
from tollgate.machines.gdb_stub import Stub
from tollgate.records import budgets

from ..conftest import UNTOLD

MACHINES = pytest.mark.parametrize(
    ("arch", "cpu"), [("amd64", "EPYC"), ("i386", "Skylake-Client")], ids=["amd64", "i386"]
)


@MACHINES
def test_all_64_places_cost_the_same(boot: Any, arch: str, cpu: str) -> None:
    result = boot(arch, cpu, "suite=toll samples=1 only=align")
    assert result.outcome.value == "pass", result.reason
    told = [c["name"] for c in result.checks if c["detail"].endswith("wherever its entry is")]
    assert sorted(told) == sorted({row["id"] for row in result.results if row["suite"] == "toll"})
    assert result.text.count("nothing of its alignment is to be seen here") == len(told) > 6


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


def test_where_time_is_counted_the_best_and_the_worst_have_intervals(boot: Any) -> None:
    words = "suite=toll samples=20 only=align"
    result = boot("amd64", "EPYC", words, platform="qemu-tcg", extra=UNTOLD)
    figure = r"(\d+) \(\d+ to \d+\) at \d+,"
    said = re.findall(rf"alignment: best {figure} worst {figure} spread (-?\d+)", result.text)
    assert said and all(int(worst) - int(best) == int(spread) for best, worst, spread in said)
