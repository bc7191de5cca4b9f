"""Comparing two results files: what counts as worse, and what cannot be compared."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from tollgate.cli import main
from tollgate.errors import Exit, TollgateError
from tollgate.records.format import MachineRun, save
from tollgate.show.compare import Change, compare, print_comparison

from ..records.sample import as_run, ended, inserted, make_plain, make_run_record, state_of

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
    assert compare([make_run({ROW: 10000})], [make_run({ROW: 10001})]).regressions


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


@pytest.mark.parametrize("what", ["fence", "compiler", "n"])
def test_what_was_not_measured_alike_has_an_exit_status(make_run: MakeRun, what: str) -> None:
    """A note would be overlooked, so the exit status tells it; a regression has precedence."""

    def after(median: float) -> MachineRun:
        run = make_run({ROW: median})
        if what == "n":
            for result in run.results:
                result |= {"n": 500, "histogram": [[result["median"], 500]]}
        elif what == "fence":
            run.run["fence"] = "cpuid"
        else:
            run.run["tools"] = {**run.run["tools"], "compiler": "clang 14.0.6"}
        return run

    comparison = compare([make_run({ROW: 46})], [after(46)])
    assert comparison.exit_code is Exit.UNLIKE
    assert len(comparison.unlike) == 1 and f": {what} " in comparison.unlike[0]
    assert compare([make_run({ROW: 46})], [after(47)]).exit_code is Exit.FAIL
    assert not compare([make_run({ROW: 46})], [make_run({ROW: 46})]).unlike


def test_a_difference_in_the_state_is_named_before_any_figure(make_run: MakeRun) -> None:
    before, after = make_run({ROW: 46}), make_run({ROW: 47})
    for run in (before, after):
        run.run["state"] = state_of(run.run)
    after.run["state"] |= {"hwcr": "0x2000000", "cpuid": before.run["state"]["cpuid"][:-1]}
    out = io.StringIO()
    print_comparison(compare([before], [after]), Console(file=out, width=400))
    differs, worse, *_ = out.getvalue().splitlines()
    assert "hwcr 0x0 against 0x2000000; CPUID.80000004H.0 0 0 0 0 against none" in differs
    assert worse.startswith("worse")


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


def test_of_a_run_that_cannot_be_read_nothing_else_is_said(make_run: MakeRun) -> None:
    """No verdict, no counts: none of it was compared."""
    unread = make_run({"user/int/standard": 40}, readable=False)
    out = io.StringIO()
    comparison = compare([make_run({"user/int/standard": 41})], [unread], None)
    print_comparison(comparison, Console(file=out, width=400))
    assert [line.split(":")[0] for line in out.getvalue().splitlines()] == ["cannot be read"]
    assert not comparison.changes and not comparison.differs


def test_units_are_never_mixed(make_run: MakeRun) -> None:
    with pytest.raises(TollgateError, match="counts cycles and instructions"):
        compare([make_run(platform="silicon")], [make_run(platform="silicon", unit="cycles")])


def test_suites_that_share_nothing_are_refused(make_run: MakeRun) -> None:
    starve = as_run(*ended([make_run_record(), make_plain("starve", "user/starve/push", 711)]))
    with pytest.raises(TollgateError, match="different suites, toll against starve; nothing"):
        compare([make_run()], [starve])


def test_machines_that_are_others_are_not_compared(make_run: MakeRun) -> None:
    with pytest.raises(TollgateError, match=r"no machine in common: amd64 .* against i386"):
        compare([make_run()], [make_run(arch="i386")])


def test_compilers_and_n_are_named(make_run: MakeRun) -> None:
    after = make_run({ROW: 46}, tools={"emulator": "qemu-7.2.22", "compiler": "clang 14"})
    for result in after.results:
        result |= {"n": 5, "histogram": [[result["median"], 5]]}
    comparison = compare([make_run({ROW: 46})], [after])
    assert comparison.differs == [
        "amd64 qemu-icount EPYC: compiler gcc 12.2.0 against clang 14; nasm 2.16.01 against none; "
        "n 1000 against 5"
    ]
    assert comparison.exit_code is Exit.UNLIKE


def test_better_worse_new_and_lost_are_counted(make_run: MakeRun) -> None:
    before = [make_run({"a/b/1": 9, "a/b/2": 9, "a/b/3": 9, "a/b/4": 9}), make_run(arch="i386")]
    after = [make_run({"a/b/1": 9, "a/b/2": 8, "a/b/3": 10, "a/b/5": 9})]
    comparison = compare(before, after)
    assert comparison.counts() == (
        "3 rows compared: 1 same, 1 better, 0 within, 1 worse; 1 new, 2 lost."
    )
    assert comparison.new == ["amd64 qemu-icount EPYC: toll a/b/5: 9 instructions"]


def test_an_outcome_that_is_another_counts(make_run: MakeRun) -> None:
    def reset(chain: str) -> MachineRun:
        words = {"suite": "starve", "id": "unprotected", "reason": "", "records": 1}
        ends = {"v": 1, "type": "outcome", "ended": "reset", "expected": "reset", "chain": chain}
        return as_run(make_run_record(), {**ends, **words})

    before = [make_run(), reset("#PF -> #DF -> triple fault")]
    assert compare(before, before).exit_code is Exit.PASS
    assert compare(before, [make_run()]).lost == [
        "amd64 qemu-icount EPYC: starve unprotected is no longer tried"
    ]
    (lost,) = compare(before, [make_run(), reset("#GP -> triple fault")]).lost
    assert lost.endswith("#DF -> triple fault; now reset, #GP -> triple fault")


def test_the_command_prints_and_exits(
    make_run: MakeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    save([make_run({ROW: 46})], before)
    save([make_run({ROW: 47})], after, ["i386 EPYC (qemu-icount)"])
    assert main(["compare", str(before), str(after)]) == 3
    said = capsys.readouterr().out
    assert "worse: amd64 qemu-icount EPYC: toll user/int/standard" in said
    assert "b.jsonl is not whole: i386 EPYC (qemu-icount) is missing." in said
    assert main(["compare", str(before), str(after), "--threshold", "5"]) == 0
    capsys.readouterr()
    assert main(["compare", str(before), str(before)]) == 0
    said = capsys.readouterr().out
    assert "1 rows compared: 1 same, 0 better" in said and " and " not in said.splitlines()[0]


def test_records_cannot_talk_to_the_terminal(
    make_run: MakeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for path, evil in zip(paths, ("\x1b[31m[red]", "\x9b2J"), strict=True):
        row = make_plain("toll", f"{evil}row", 7)
        save([inserted(make_run({ROW: 46}, fence=evil), row)], path)
    assert main(["compare", *map(str, paths)]) == 3
    said = capsys.readouterr().out
    assert not [c for c in said if not c.isprintable() and c != "\n"]
    assert "[red]" in said and said.count("lost: ") == 1
