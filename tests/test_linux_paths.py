"""`tollgate linux --paths`: every instruction of five calls is there, and has a cause."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tollgate import budgets
from tollgate.errors import TollgateError
from tollgate.linux import account, beside, cause, minimal, package, walk
from tollgate.linux.symbols import Frame, Symbols
from tollgate.linux.walk import Step, Walked
from tollgate.plugin import NoDisassemblerError
from tollgate.records import MachineRun, host_record

CPU = account.CPU


@pytest.fixture(scope="module")
def ours() -> Sequence[Walked]:
    """Each call on ours; a skip where QEMU names no instruction."""
    try:
        return walk.walk_ours(CPU)
    except NoDisassemblerError as error:
        pytest.skip(str(error))


def test_the_paths_of_ours_are_the_budgets_and_each_instruction_has_a_cause(
    ours: Sequence[Walked],
) -> None:
    for one in ours:
        suite = walk.RECORDED.get(one.call.suite, one.call.suite)
        said = budgets.load({"exceptions": "faults"}.get(suite, suite), "amd64")
        bill = cause.bill(one)
        assert bill.total() == one.figure
        assert bill[cause.NONE] == 0, one.call.name
        budget = said.get(f"user/{one.call.row}")
        if isinstance(budget, dict) and "gcc 12" in budget and one.call.suite != "spawn":
            assert one.figure == budget["gcc 12"], one.call.name
    assert next(one.figure for one in ours if one.call.name == "getpid") == 46


@pytest.mark.long
def test_a_cause_that_is_taken_away_leaves_a_residue(
    ours: Sequence[Walked], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each cause that ours has, one at a time: more than nothing has none, or another one."""
    whole = [cause.bill(one) for one in ours]
    every = cause.rules()
    left = 0
    for name in dict.fromkeys(name for name, _ in every if any(bill[name] for bill in whole)):
        rest = tuple(rule for rule in every if rule[0] != name)
        monkeypatch.setattr(cause, "rules", lambda rest=rest: rest)
        cause.cause.cache_clear()
        bills = [cause.bill(one) for one in ours]
        assert bills != whole, name
        assert [bill.total() for bill in bills] == [one.figure for one in ours]
        left += any(bill[cause.NONE] for bill in bills)
    cause.cause.cache_clear()
    assert left >= 5


def test_the_page_and_the_files_say_all(ours: Sequence[Walked], tmp_path: Path) -> None:
    account.write({beside.OURS: ours}, tmp_path)
    page = (tmp_path / account.PAGE).read_text().splitlines()
    assert "| getpid | Tollgate |" in page and "| all | 46 |" in page
    for one in ours:
        name = f"{one.call.name.replace(' ', '-')}.{beside.OURS}.txt"
        head, *lines = (tmp_path / account.FOLDER / name).read_text().splitlines()
        assert head.startswith(f"{one.figure} instructions;")
        parts = lines.index("", 1)
        assert sum(int(line.split()[0]) for line in lines[1:parts]) == one.figure
        assert len(lines) - parts - 1 == one.figure + one.empty


GETPID = walk.CALLS[0]
INSIDE = Frame("f", "kernel/f.c:1")


def log_of(*spans: Sequence[int]) -> walk.Log:
    """Spans of getpid's stamps: 1 and 2 are the program's instructions, 3 a kernel's entry."""
    texts = {1: (0x400000, "rdtsc"), 2: (0x400002, "syscall"), 3: (walk.KERNEL, "swapgs")}
    texts |= {4: (walk.KERNEL + 4, "movl"), 5: (walk.KERNEL + 8, "sysretq")}
    return walk.Log({(GETPID.suite, GETPID.function): spans}, texts)


def run_of(least: int) -> MachineRun:
    row = {"suite": "calls", "id": f"user/{GETPID.row}", "min": least}
    return MachineRun([host_record("result", **row)])


@pytest.mark.parametrize(("least", "is_right"), [(3, True), (2, False), (4, False)])
def test_a_path_that_is_not_the_rows_figure_is_refused(least: int, is_right: bool) -> None:
    nothing = [[1]] * (GETPID.spans // 2)
    call = [[1, 2, 3, 5]] * (GETPID.spans // 2)
    symbols = Symbols({walk.KERNEL: (INSIDE,)}, set())
    log = log_of(*nothing, *call)
    if is_right:
        assert walk.path_of(GETPID, run_of(least), log, symbols).program == 1
    else:
        with pytest.raises(TollgateError, match=f"no sample's path is of {least} instructions"):
            walk.path_of(GETPID, run_of(least), log, symbols)


def test_an_instruction_that_a_fault_stops_does_not_count() -> None:
    """The load at 2 is stopped, and begins again; SYSRET at 5 is done, its target is absent."""
    symbols = Symbols({}, {walk.KERNEL})
    span = [1, 2, 3, 5, 2, 5, 3, 4]
    steps = walk.begun(span, log_of(span), symbols)
    assert [step.text for step in steps] == [
        *("rdtsc", "swapgs", "sysretq", "syscall", "sysretq", "swapgs", "movl")
    ]


def test_the_innermost_function_says_why_and_else_the_one_around_it() -> None:
    generic, known = Frame("get_current", "asm/current.h:15"), Frame("pipe_read", "fs/pipe.c:9")
    assert cause.cause(Step(walk.KERNEL, "movq", (generic, known))) == "the pipe"
    assert cause.cause(Step(walk.KERNEL, "movq", (generic,))) == cause.NONE
    assert cause.cause(Step(walk.KERNEL, "swapgs", (known,))) == "SWAPGS"
    assert cause.cause(Step(0x400000, "movq", ())) == cause.PROGRAM


@pytest.mark.long
@pytest.mark.limit(1200)
def test_every_instruction_of_linux_has_a_cause() -> None:
    """With its mitigations and without; and of a minimal one, if it has been built."""
    try:
        kernels = [package.kernel("amd64")]
        package.symbols(kernels[0])
    except package.NoPackageError as error:
        pytest.skip(str(error))
    if least := minimal.kept():
        kernels.append(least)
    found = account.walk_all(kernels)
    for system, walked in found.items():
        for one in walked:
            bill = cause.bill(one)
            assert (bill.total(), bill[cause.NONE]) == (one.figure, 0), (system, one.call.name)
    getpid = {system: walked[0].figure for system, walked in found.items()}
    assert getpid[beside.OURS] < getpid["off"] < getpid["default"]
