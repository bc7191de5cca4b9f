"""The report of suites other than the toll: each has its place, its table and its sentences."""

import re
from pathlib import Path

import pytest

from ..records.sample import inserted, make_plain
from .machines import machine, pentium_4, reset, result, starved, with_exceptions
from .page import bare, chapters, figures, report

pytestmark = pytest.mark.usefixtures("drawn")

RUNGS = "trusted/int80", "kernel/sys_read", "kernel/file_read", "kernel/cached"


def words(html: str) -> str:
    """The words of a page, with bars for its tags."""
    return re.sub(r"(<[^>]*>\n?)+", "|", bare(html))


def test_exceptions_are_a_table_of_their_own(tmp_path: Path) -> None:
    html = bare(report(tmp_path, with_exceptions(machine("amd64"))))
    cells = "".join(f'<td class="num">{value}</td>' for value in (3, 3, 3, 29, 0))
    assert f"<tr><td><code>user/ud</code></td>{cells}</tr>" in html
    assert "M1 amd64 EPYC (qemu-icount): exceptions, in instructions" in html
    assert not [figure for figure in figures(html) if ">user/ud<" in figure], "no row of the toll"


def test_the_claim_on_ist_is_answered_by_cycles_alone(tmp_path: Path) -> None:
    said = "user: the gate +{}, with the move off its stack +{}; trusted: the gate +{}"
    html = bare(report(tmp_path, with_exceptions(machine("amd64"))))
    line = next(row for row in html.splitlines() if "negligibly small" in row)
    assert said.format(0, 26, 0) in line
    assert "in instructions" in line and "<em>not testable here</em>" in line
    html = bare(report(tmp_path, with_exceptions(pentium_4(), cost=30)))
    line = next(row for row in html.splitlines() if "negligibly small" in row)
    assert said.format(0, 780, 0) in line
    assert "in cycles" in line and "not testable" not in line


def test_a_suite_of_any_name_is_shown(tmp_path: Path) -> None:
    run = machine("i386")
    one = make_plain("of the day", "one figure", 4711)
    grid = result("user", "int", "bare") | {"suite": "grid", "id": "way/one"}
    html = bare(report(tmp_path, inserted(run, one, grid)))
    assert "of the day, in instructions" in html and "<td><code>one figure</code></td>" in html
    assert '<td><code>way</code></td><td class="num">2</td><td class="num">0</td>' in html
    assert "The suite of the day" in chapters(html) and "The suite grid" in chapters(html)


def test_a_suite_that_is_alone_comes_first_and_chapters_without_figures_are_not_there(
    tmp_path: Path,
) -> None:
    html = bare(report(tmp_path, starved(machine("i386")), starved(machine("amd64"))))
    assert chapters(html) == [
        "The suite starve", "Units and machines", "Ratios and claims", "Published figures",
        "How each number came to be", "All results",
    ]  # fmt: skip
    assert "723 against 711 for a page fault at CPL 3" in html
    assert "triple fault" not in html
    for word in ("rows all samples", "MP1\u2013MP2", "getpid round trip", "Residue", "No run sent"):
        assert word not in html, word
    for drawn in figures(html):
        assert re.search(r"<text[^>]*>[\d,.]+", drawn), "a chart without a figure"


def test_an_outcome_stands_in_its_suite(tmp_path: Path) -> None:
    run = machine("i386")
    html = bare(report(tmp_path, reset(run), starved(run)))
    line = next(line for line in html.splitlines() if "triple fault" in line)
    cells = ["unprotected", "reset", "#PF(2) -&gt; #DF(0) -&gt; triple fault", "M2 i386 EPYC"]
    assert [cell in line for cell in cells] == [True] * 4, line
    assert chapters(html)[0] == "The suite starve"


def test_the_toll_comes_before_other_suites(bench: str, tmp_path: Path) -> None:
    assert chapters(bench)[:3] == [
        *("Units and machines", "Sections: figures 4 to 6", "Ratios and claims")
    ]
    assert "The suite exceptions" not in chapters(bench)
    found = chapters(report(tmp_path, with_exceptions(machine("amd64"))))
    assert found.index("The suite exceptions") == 3, "right behind the toll"


def test_the_longest_stretch_of_each_call_comes_first(tmp_path: Path) -> None:
    stretches = {"user/open/off": 70, "user/read/off": 5, "compat/read/off": 4711}
    rows = [make_plain("latency", row, most) for row, most in stretches.items()]
    html = bare(report(tmp_path, inserted(machine("i386"), *rows)))
    found = re.search(
        r"<table\b[^>]*>(?:(?!</table>).)*longest stretch.*?</table>", html, re.DOTALL
    )
    assert found is not None
    cells = re.findall(r"<t[dh]\b[^>]*>(?:<\w+>)?([^<]*)", found[0])
    assert cells == ["call", "M1 user", "M1 compat", "read", "5", "4,711", "open", "70", ""]


def test_a_function_stands_beside_the_system_call_and_the_talks_machines(tmp_path: Path) -> None:
    rows = {"gettimeofday/function": 30, "gettimeofday/twin": 31, "gettimeofday/int": 105}
    run = inserted(
        machine("i386"), *(make_plain("vsyscall", f"user/{r}", n) for r, n in rows.items())
    )
    html = bare(report(tmp_path, run))
    cells = "".join(f'<td class="num">{cell}</td>' for cell in (46, 105, 30, 3.5))
    assert f"<td><code>user/gettimeofday/int</code></td>{cells}" in html
    assert "gettimeofday/twin</code></td><td" in html, "a plain row, and no gate"
    for cycles in ("125", "292", "260", "146"):
        assert f'<td class="num">{cycles}</td>' in html
    assert "not testable here" in html


def test_each_document_has_its_tables(tmp_path: Path) -> None:
    """Rubini's ladder, what a byte costs, and the web server's parts: from figures by hand."""
    ladder = dict(zip(("user/read", *RUNGS), (480, 424, 219, 175, 173), strict=True))
    copy = {"user/read/zero": (80, 88, 208), "kernel/sys_read/zero": (30, 38, 158)}
    asked = {"calls": 3, "client": 100, "server": 200, "kernel": 700, "entry": 69}
    rows = [make_plain("ladder", f"{rung}/null", cost) for rung, cost in ladder.items()]
    for way, costs in copy.items():
        sized = zip((0, 64, 1024), costs, strict=True)
        rows += [make_plain("copy", f"{way}-{size}", cost) for size, cost in sized]
    rows += [make_plain("web", "user/call/0", 500), make_plain("web", "user/user/0", 300)]
    rows += [make_plain("web", "user/user/100", 1000) | asked]
    html = words(report(tmp_path, inserted(machine("amd64"), *rows)))
    for line in (
        *("read() from ring 3|480|", "= crossing, twice|56|", "= sys_read|44|"),
        *("user/read/zero|80|0.125|0.0|", "kernel/sys_read/zero|30|0.125|0.0|400"),
        *("user/call|500|", "user/user|300|1,000", "user/user|1,000|3|100|200|700|69|6.9 %"),
    ):
        assert line in html, line


def test_many_machines_have_one_column_and_a_count(tmp_path: Path) -> None:
    """The longest stretch of them all; how many have a row, and which lack it, and why."""
    runs = []
    for number in range(1, 13):
        run = machine(model=f"P{number}", lacks={"user/sysenter": "old"} if number > 10 else {})
        runs.append(inserted(run, make_plain("latency", "user/open/off", 10 * (15 - number))))
    html = words(report(tmp_path, *runs))
    assert "|call|all machines user|open|140|" in html
    assert "|10 of 12|a|: M11, M12|" in html


def test_a_processors_own_count_stands_beside_the_budget(tmp_path: Path) -> None:
    run = machine("amd64")
    run.run["clock"] = {"retired": "a counter", "core_type": 64, "microcode": "0x12"}
    for row in run.results:
        row["retired"] = 47.0 if row["id"] == "user/int/standard" else row["median"]
    html = words(report(tmp_path, run))
    assert re.search(r"\|a counter\|40H\|0x12\|\d+ of 24\|user/int/standard 47, not \d+;", html)
