"""Comparison of two results files: what counts as worse, and what cannot be compared."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tollgate.cli import main
from tollgate.compare import Change, compare
from tollgate.errors import Exit, TollgateError
from tollgate.records import MachineRun, save

MakeRun = Callable[..., MachineRun]
ROW = "user/int/standard"
MACHINE = ("amd64", "qemu-icount", "EPYC")


def test_one_instruction_more_is_a_regression(make_run: MakeRun) -> None:
    comparison = compare([make_run({ROW: 46})], [make_run({ROW: 47})])
    assert [change.row for change in comparison.regressions] == [f"toll {ROW}"]
    assert comparison.exit_code is Exit.FAIL
    assert str(comparison.changes[0]) == (
        f"amd64 qemu-icount EPYC: toll {ROW}: 46 -> 47 instructions (+2.2 %)"
    )


def test_less_and_the_same_are_not(make_run: MakeRun) -> None:
    before = [make_run({ROW: 46, "user/int/bare": 2})]
    comparison = compare(before, [make_run({ROW: 45, "user/int/bare": 2})])
    assert not comparison.regressions
    assert comparison.exit_code is Exit.PASS


@pytest.mark.parametrize(("after", "worse"), [(105, False), (106, True)])
def test_noisy_units_have_room(make_run: MakeRun, after: float, worse: bool) -> None:
    first, second = (make_run({ROW: median}, unit="host ticks") for median in (100, after))
    assert bool(compare([first], [second]).regressions) is worse


def test_a_threshold_can_be_given(make_run: MakeRun) -> None:
    before, after = [make_run({ROW: 100})], [make_run({ROW: 110})]
    assert not compare(before, after, threshold=10).regressions
    assert compare(before, after, threshold=9.9).regressions


def test_growth_from_nothing_is_a_regression() -> None:
    assert Change(MACHINE, "toll x", 0, 1, "instructions", 50).regression
    assert not Change(MACHINE, "toll x", 0, 0, "instructions", 0).regression


def test_a_row_that_is_gone_counts(make_run: MakeRun) -> None:
    comparison = compare([make_run({ROW: 46, "user/int/bare": 2})], [make_run({ROW: 46})])
    assert comparison.lost == ["amd64 qemu-icount EPYC: toll user/int/bare is no longer measured"]
    assert comparison.exit_code is Exit.FAIL


def test_a_machine_that_is_gone_counts(make_run: MakeRun) -> None:
    comparison = compare([make_run(), make_run(arch="i386")], [make_run()])
    assert comparison.lost == ["i386 qemu-icount EPYC: the machine is gone"]
    assert comparison.exit_code is Exit.FAIL


def test_of_several_boots_the_lowest_counts(make_run: MakeRun) -> None:
    after = [make_run({ROW: 60}), make_run({ROW: 46})]
    assert compare([make_run({ROW: 46})], after).exit_code is Exit.PASS


def test_an_unreadable_run_counts(make_run: MakeRun) -> None:
    comparison = compare([make_run()], [make_run(readable=False)])
    assert comparison.unread == [
        "amd64 EPYC (qemu-icount) after: the run record: the kernel's own counter is unreadable "
        "(rule readable)"
    ]
    assert comparison.exit_code is Exit.FAIL


def test_units_are_never_mixed(make_run: MakeRun) -> None:
    with pytest.raises(TollgateError, match="counts cycles and instructions"):
        compare([make_run(platform="silicon")], [make_run(platform="silicon", unit="cycles")])


def test_strangers_are_not_compared(make_run: MakeRun) -> None:
    with pytest.raises(TollgateError, match="no machine in common"):
        compare([make_run()], [make_run(cpu_model="Haswell")])


def test_the_command_prints_and_exits(
    make_run: MakeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    save([make_run({ROW: 46})], before)
    save([make_run({ROW: 47})], after)
    assert main(["compare", str(before), str(after)]) == 3
    assert "worse: amd64 qemu-icount EPYC: toll user/int/standard" in capsys.readouterr().out
    assert main(["compare", str(before), str(after), "--threshold", "5"]) == 0
    assert main(["compare", str(before), str(before)]) == 0
    assert "1 rows compared, 1 the same" in capsys.readouterr().out
