"""Where results go, and what the person sees of them."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tollgate import bench
from tollgate.boot import Boot, BootResult
from tollgate.console import Filter
from tollgate.errors import UsageError
from tollgate.outcome import Outcome
from tollgate.progress import Progress
from tollgate.records import MachineRun, encode
from tollgate.table import figure, print_runs, skip_lines

MakeRun = Callable[..., MachineRun]
MakeResult = Callable[..., dict[str, Any]]


def shown(runs: list[MachineRun], width: int = 101) -> str:
    console = Console(file=io.StringIO(), width=width, highlight=False)
    print_runs(runs, console)
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
    assert row.split() == "user/int standard int80 46 46 46 1 1 1 1 1 1 1 0".split()
    assert "not here: user/sysenter (2 rows): this processor has no SYSENTER" in text
    assert "CPUID.01H:EDX.SEP[bit 11] = 0" in text
    assert "the ranks of gates need silicon" in " ".join(text.split())


def test_a_table_fits_eighty_columns(make_run: MakeRun) -> None:
    text = shown([make_run({"compat/callgate/standard": 61})], width=80)
    row = next(line for line in text.splitlines() if "standard" in line)
    assert row.split() == "compat/callgate standard int80 61 61 1 1 1 1 1 1 1 0".split()


def test_cycles_have_nanoseconds_where_the_clock_is_known(make_run: MakeRun) -> None:
    run = make_run({"user/int/standard": 300}, unit="cycles", tsc_hz=3_000_000_000)
    assert "100.0" in shown([run])


def test_unreadable_figures_are_marked(make_run: MakeRun) -> None:
    run = make_run()
    run.checks[0]["ok"] = False
    text = shown([run])
    assert "DO NOT READ THESE FIGURES: these controls moved: control/loop." in text
    assert "failed: control/loop: 2001" in text


def test_records_cannot_talk_to_the_terminal(make_run: MakeRun) -> None:
    run = make_run({"user/\x1b[2Jint/[red]x": 1}, cpu_model="\x1b]0;title\x07")
    text = shown([run])
    assert "\x1b" not in text
    assert "[red]x" in text


def test_a_suite_with_sections_is_ways_by_variants(
    make_run: MakeRun, make_result: MakeResult
) -> None:
    run = make_run()
    for way, costs in (("user/ud", (3, 29)), ("user/pf", (3,))):
        for variant, cost in zip(("plain", "move"), costs, strict=False):
            run.results.append(make_result(f"{way}/{variant}", cost, suite="exceptions"))
    text = shown([run])
    assert "amd64 EPYC (qemu-icount): exceptions, round trips in instructions" in text
    lines = [line.split() for line in text.splitlines()]
    assert ["plain", "move", "residue"] in lines
    assert ["user/ud", "3", "29", "0"] in lines
    assert ["user/pf", "3", "0"] in lines


def test_suites_without_sections_and_controls_are_shown(
    make_run: MakeRun, make_result: MakeResult
) -> None:
    run = make_run()
    for suite, identity in (("usystime", "getpid"), ("control", "control/empty")):
        result = make_result(identity, 57, suite=suite)
        run.results.append({k: v for k, v in result.items() if k not in ("sections", "residue")})
    text = shown([run])
    assert "amd64 EPYC (qemu-icount): usystime, in instructions" in text
    assert "controls: control/empty 57" in text


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
    with pytest.raises(UsageError, match=r"no suite 'nonsense'; SUITE is of toll, "):
        bench.check_suites(Boot("i386", words=("suite=toll,nonsense", "samples=5")))
