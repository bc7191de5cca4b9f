"""The worst case of a headline figure, in words, in budgets, in a report and on a terminal."""

from pathlib import Path
from typing import Any

import pytest

from tollgate.machines.boot import Boot, BootResult
from tollgate.machines.outcome import Outcome
from tollgate.records import around, budgets
from tollgate.self.budgets import revised
from tollgate.show import compare
from tollgate.show.table import make_console, print_run

from ..records.sample import as_run, inserted, make_plain, make_run_record
from .machines import machine
from .page import bare, report

pytestmark = pytest.mark.usefixtures("drawn")


def row(path: str, plain: int, most: int, condition: str, kind: str = "around") -> dict[str, Any]:
    made = make_plain("around", f"user/{kind}/{path}", plain, n=2)
    return made | {
        **dict.fromkeys(("p90", "p99", "max"), most),
        "mean": (plain + most) / 2,
        "histogram": [[plain, 1], [most, 1]],
        "plain": plain,
        "condition": condition,
    }


PIPE = row("pipe", 845, 13825, "a trusted partner")
SEGV = row("segv", 567, 592, "a stack of the handler's own")


def test_a_worst_is_said_if_it_is_more_than_a_tenth_above() -> None:
    assert around.most(1000, 1100, "x") == ""
    assert around.most(1000, 1101, "x") == "most 1,101: x"


def boot_of(*rows: dict[str, Any]) -> BootResult:
    run = as_run(make_run_record(), *rows)
    return BootResult(
        Boot("amd64"), Outcome.PASS, "", "", [run], [], [], 0, 0.0, None, directory=Path()
    )


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    allowed = {
        "user/around/pipe": {"most": 15000, "gcc 12": 13825},
        "user/together/pipe": {"most": 16000, "gcc 12": 14000},
    }
    monkeypatch.setattr(budgets, "load", lambda suite, arch: allowed)


@pytest.mark.usefixtures("recorded")
def test_the_budget_is_of_the_worst_and_names_its_condition() -> None:
    together = row("pipe", 845, 14000, "all", "together")
    assert budgets.differences(boot_of(PIPE, together), "around") == {}
    worse = row("pipe", 845, 13826, "a 32-bit partner")
    told = budgets.differences(boot_of(worse, together), "around")
    assert told == {"user/around/pipe": "13826, not 13825 by gcc 12, under: a 32-bit partner"}


@pytest.mark.usefixtures("recorded")
def test_a_pair_may_be_as_bad_as_the_worst_of_each_kind_together() -> None:
    """It may even be worse by a hundredth, no more."""
    assert budgets.worse(boot_of(row("pipe", 845, 14140, "two", "pairs"))) == {}
    told = budgets.worse(boot_of(row("pipe", 845, 14141, "two", "pairs")))
    assert told == {"user/pairs/pipe": "14141 under: two; the most was 14000"}


def test_a_bound_follows_the_worst_down() -> None:
    text = '[around.amd64.user]\n"around/pipe" = { most = 15207, "gcc 12" = 13825 }\n'
    text += '"around/fork" = { most = 400000 }\n'
    better = boot_of(row("pipe", 800, 1000, "x"), row("fork", 50000, 60000, "x"))
    after = revised(text, [better])
    assert '"around/pipe" = { most = 1100, "gcc 12" = 1000 }' in after
    assert '"around/fork" = { most = 66000 }' in after
    hardly = boot_of(row("pipe", 800, 1000, "x"), row("fork", 50000, 59000, "x"))
    assert revised(after, [hardly]) == after


def test_the_report_says_it_beside_the_headline(tmp_path: Path) -> None:
    """The worst of all rows of the path, and what a touched page adds to fork."""
    forks = [make_plain("spawn", f"user/{name}", n) for name, n in FORKS.items()]
    together = row("pipe", 845, 14000, "all of them", "together")
    hand, fork = row("hand", 290, 295, "x"), row("fork", 18000, 18001, "x")
    pipe = make_plain("switch", "user/ipc/pipe", 837)
    run = inserted(machine("amd64"), pipe, PIPE, SEGV, hand, fork, together, *forks)
    html = bare(report(tmp_path, run))
    assert (
        "Under other conditions, in instructions on amd64: a byte through two pipes and back 845 "
        "(most 14,000: all of them); SIGSEGV to a handler and back 567; a word handed over and "
        "back 290; fork to the end of wait 18,000 (5,000 more for each touched page)." in html
    )
    cells = "".join(f'<td class="num">{value}</td>' for value in (837, 837, 837, 837))
    assert f"<code>user/ipc/pipe</code></td><td>most 14,000: all of them</td>{cells}" in html
    cells = "".join(f'<td class="num">{value}</td>' for value in (2, 845, 845, "13,825"))
    assert f"<code>user/around/pipe</code></td><td>a trusted partner</td>{cells}" in html


FORKS = {"fork": 18195, "fork/touched": 25018195}


def test_the_terminal_has_the_condition(capsys: pytest.CaptureFixture[str]) -> None:
    print_run(inserted(machine("amd64"), PIPE), make_console())
    line = next(line for line in capsys.readouterr().out.splitlines() if "around/pipe" in line)
    assert line.rstrip().split(maxsplit=5)[1:] == ["2", "845", "845", "13825", "a trusted partner"]


def test_a_comparison_is_of_the_worst() -> None:
    better, worse = (
        as_run(make_run_record(), PIPE),
        as_run(make_run_record(), PIPE | {"max": 14000}),
    )
    assert compare.medians([better]) == {"around user/around/pipe": 13825}
    assert compare.medians([worse]) == {"around user/around/pipe": 14000}
