"""The report of bad records: a reason and their own text, but no figures."""

from pathlib import Path
from typing import Any

import pytest

from tollgate.records.format import MachineRun

from ..records.sample import as_run, inserted, make_check, without
from .machines import machine, pentium_4
from .page import Page, figures, report

pytestmark = pytest.mark.usefixtures("drawn")


def no_end() -> MachineRun:
    return without(pentium_4(), "end")


def on_bochs() -> MachineRun:
    run = pentium_4()
    run.run["platform"] = "bochs"
    return run


def moved() -> MachineRun:
    run = pentium_4()
    run.checks[1]["ok"] = False
    return run


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        (no_end(), "no end record"),
        (on_bochs(), "bochs counts instructions, not cycles"),
        (pentium_4(hypervisor="TCGTCGTCGTCG"), "never cycles"),
        (pentium_4(readable=False), "counter is unreadable"),
        (moved(), "control/loop: failed: 2001 of 2001"),
    ],
)
def test_unreadable_runs_show_a_reason_and_no_figure(
    tmp_path: Path, silicon: str, run: MachineRun, reason: str
) -> None:
    html = report(tmp_path, run)
    assert "unreadable" in html
    assert "No run of this report is readable" in html
    assert reason in html
    assert "1,288" not in html
    assert not any("M1 " in drawn for drawn in figures(html))
    assert "M1 " in "".join(figures(silicon)), "a good run is drawn"


def test_hostile_records_stay_text(tmp_path: Path) -> None:
    evil = (
        "\"'><script>alert(1)</script><img src=x onerror=alert(2)>]]>\ud800\x00&amp;\x1b[31m\u202e"
    )
    run = machine("i386", evil, {"user/sysenter": evil}, cmdline=evil, fence=evil)
    run.run["tools"] = {evil: evil}
    run.run["cpu"] = {"vendor": evil}
    for record in run.results:
        record["label"] = evil
        if record["suite"] == "toll":
            record["id"] = record["id"].replace("user", evil.replace("/", ""))
    run = inserted(run, make_check(evil, evil))
    unread = machine("i386", evil)
    unread.results[3]["id"] = evil
    unread.results[3]["median"] = -1
    for html in (report(tmp_path, run), report(tmp_path, run, unread)):
        page = Page(html)
        assert "img" not in page.tags
        assert page.tags["script"] == 1
        assert "onerror" not in page.attributes
        assert "alert(1)" in html
        assert not [c for c in html if not c.isprintable() and c not in "\n\u00a0"]


def test_missing_and_senseless_keys_do_not_crash(tmp_path: Path) -> None:
    least = {"type": "run", "arch": "i386", "cpu_model": "EPYC", "platform": "bochs"}
    bare = as_run(least, {"type": "end", "records": "many"})
    rubbish: list[Any] = [None, True, "many", [], {}, float("nan"), float("inf"), 10**400, -1]
    odd = machine("amd64")
    for record, value in zip(odd.results, rubbish, strict=False):
        for key in ("median", "n", "sections", "histogram", "residue", "label"):
            record[key] = value
    odd = inserted(odd, {"type": "result"}, {"type": "skip"})
    assert "M2" in report(tmp_path, bare, odd)


def test_records_dropped_on_the_line_are_counted(tmp_path: Path) -> None:
    run = machine()
    sent = run.end["records"] if run.end else 0
    del run.records[6]
    assert (
        f'<td class="num">{sent}</td><td class="num">{sent - 1}</td><td class="num">1</td>'
        in report(tmp_path, run)
    )
