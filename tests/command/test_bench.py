"""Where results are stored, and the messages about it."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from tollgate import bench
from tollgate.errors import UsageError
from tollgate.machines.boot import Boot, BootResult
from tollgate.machines.console import Filter
from tollgate.machines.outcome import Outcome
from tollgate.machines.progress import Progress
from tollgate.records.format import MachineRun, Results, encode
from tollgate.show.table import figure, print_results, skip_lines

from ..records.sample import inserted, make_plain, make_result

MakeRun = Callable[..., MachineRun]


def shown(runs: list[MachineRun], width: int = 101) -> str:
    console = Console(file=io.StringIO(), width=width, highlight=False)
    print_results(Results(runs, path=Path("results.jsonl")), console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_results_get_a_folder_each_and_latest_points_at_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "RESULTS", tmp_path / "results")
    made = [bench.make_out("") for _ in range(3)]
    assert len(set(made)) == 3
    for path in made:
        bench.point_latest(path)
    assert (tmp_path / "results" / "latest").resolve() == made[-1].resolve()
    assert bench.make_out(str(tmp_path / "mine")) == tmp_path / "mine"


def test_a_table_has_every_figure_and_its_unit(make_run: MakeRun) -> None:
    text = shown([make_run({"user/int/standard": 46, "user/int/bare": 2})])
    assert "amd64 EPYC (qemu-icount): toll, round trips in instructions" in text
    row = next(line for line in text.splitlines() if "standard" in line)
    assert row.split() == "user/int standard int80 46 46 46 1 0 0 0 0 0 45 0".split()
    assert "not here: user/sysenter (2 rows): this processor has no SYSENTER" in text
    assert "CPUID.01H:EDX.SEP[bit 11] = 0" in text
    assert "the ranks of gates need silicon" in " ".join(text.split())


def test_a_table_fits_eighty_columns(make_run: MakeRun) -> None:
    text = shown([make_run({"compat/callgate/standard": 61})], width=80)
    row = next(line for line in text.splitlines() if "standard" in line)
    assert row.split() == "compat/callgate standard int80 61 61 1 0 0 0 0 0 60 0".split()


def test_cycles_have_nanoseconds_where_the_clock_is_known(make_run: MakeRun) -> None:
    run = make_run({"user/int/standard": 300}, unit="cycles", tsc_hz=3_000_000_000)
    assert "100.0" in shown([run])


def test_unreadable_figures_are_not_shown(make_run: MakeRun) -> None:
    run = make_run({"user/int/standard": 4711})
    run.checks[1]["ok"] = False
    text = shown([run])
    assert "amd64 EPYC (qemu-icount): UNREADABLE, none of its figures is shown." in text
    assert "results.jsonl, control/loop: failed: 2001 of 2001 (rule failed)" in text
    assert "4711" not in text


EVIL = "\x1b]0;owned\x1b\\\x1b[1;31mPWNED\x1b[8m\x9b31m\u202e[red]x[/red]\r\n"


def test_records_cannot_talk_to_the_terminal(make_run: MakeRun) -> None:
    """No text in a record moves a cursor or is markup, in a table or in a sentence."""
    rows = [
        make_result(f"{EVIL}/{EVIL}/{EVIL}", 7, suite=suite, label=EVIL) for suite in ("toll", EVIL)
    ]
    skip = {"v": 1, "type": "skip", "suite": EVIL, "id": EVIL, "reason": EVIL}
    run = inserted(
        make_run(cpu_model=EVIL, platform=EVIL),
        *rows,
        make_plain(EVIL, f"{EVIL}2", 7),
        make_plain("control", EVIL, 7),
        skip | {"id": f"{EVIL}3"},
    )
    good = shown([run])
    assert "UNREADABLE" not in good
    failed = {"v": 1, "type": "check", "name": EVIL, "ok": False, "detail": EVIL}
    for text in (good, shown([inserted(run, failed, *rows)]), shown([make_run(arch=EVIL)])):
        assert not [c for c in text if not c.isprintable() and c != "\n"]
        assert "[red]" in text and "PWNED" in text


def test_a_suite_with_sections_is_ways_by_variants(make_run: MakeRun) -> None:
    rows = [
        make_result(f"{way}/{variant}", cost, suite="exceptions")
        for way, costs in (("user/ud", (3, 29)), ("user/pf", (3,)))
        for variant, cost in zip(("plain", "move"), costs, strict=False)
    ]
    text = shown([inserted(make_run(), *rows)])
    assert "amd64 EPYC (qemu-icount): exceptions, round trips in instructions" in text
    lines = [line.split() for line in text.splitlines()]
    assert ["plain", "move", "residue"] in lines
    assert ["user/ud", "3", "29", "0"] in lines
    assert ["user/pf", "3", "0"] in lines


def test_suites_without_sections_and_controls_are_shown(make_run: MakeRun) -> None:
    text = shown([inserted(make_run(), make_plain("usystime", "getpid", 57))])
    assert "amd64 EPYC (qemu-icount): usystime, in instructions" in text
    assert "controls: control/empty 0, control/loop 2001" in text


def test_a_reason_without_words_speaks_for_itself() -> None:
    skips = [{"id": "user/fred/bare", "reason": "no FRED"}]
    assert skip_lines(skips) == ["not here: user/fred (1 rows): no FRED"]


@pytest.mark.parametrize(("value", "text"), [(2, "2"), (2.0, "2"), (1.994, "1.99"), (None, "")])
def test_figures_are_short(value: float | None, text: str) -> None:
    assert figure(value) == text


def result_of(run: MachineRun | None, outcome: Outcome = Outcome.PASS) -> BootResult:
    boot = Boot("amd64", cpu="EPYC")
    runs = [run] if run else []
    return BootResult(boot, outcome, "", "", runs, [], [], 33, 1.0, 0.1, Path())


def test_a_boot_with_unreadable_figures_fails(make_run: MakeRun) -> None:
    assert bench.verdict(result_of(make_run())) is Outcome.PASS
    assert bench.verdict(result_of(make_run(readable=False))) is Outcome.FAIL
    assert bench.verdict(result_of(None)) is Outcome.FAIL
    assert bench.verdict(result_of(None, Outcome.RESET)) is Outcome.RESET


def test_progress_is_plain_lines_without_a_terminal() -> None:
    out = io.StringIO()
    with Progress(Console(file=out), ["amd64 [x]"]) as progress:
        progress.start(0)
        progress.advance(0)
        progress.finish(0, "pass")
    assert out.getvalue() == "amd64 [x]: 1 records, pass\n"


def test_the_console_shows_text_at_once_and_no_records(make_run: MakeRun) -> None:
    out = io.BytesIO()
    filtered = Filter(out)
    filtered.feed(b"login")
    assert out.getvalue() == b"login", "a prompt has no newline"
    record = encode(make_run().run)
    for piece in (b": ok\r\n", record[:20], record[20:], b"@home\n", b"@{cut", b" off\n$ "):
        filtered.feed(piece)
    filtered.close()
    assert out.getvalue() == b"login: ok\r\n@home\n@{cut off\n$ "


def test_a_suite_that_is_no_program_is_refused_before_the_boot() -> None:
    bench.check_suites(Boot("i386", words=("suite=toll,kernelcall",)))
    with pytest.raises(UsageError, match=r"no suite 'nonsense'; SUITE is of toll, .*, vsyscall"):
        bench.check_suites(Boot("i386", words=("suite=toll,nonsense", "samples=5")))
