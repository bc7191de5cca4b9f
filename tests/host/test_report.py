"""The report, made from synthetic runs: what it shows, and what it must never show."""

import random
import re
import time
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tollgate.records import MachineRun
from tollgate.report import reference, theme, write_report
from tollgate.report.headline import shades
from tollgate.report.histograms import dominant_spacing
from tollgate.report.model import woven

from .sample import as_run, controlled, ended, inserted, make_check, make_plain, without

pytestmark = pytest.mark.usefixtures("drawn")

SECTIONS = {  # (mechanism, variant) -> medians of MP1-MP2 .. MP7-MP8, in instructions
    ("int", "standard"): (1, 17, 3, 1, 1, 22, 1),
    ("int", "nowork"): (1, 17, 3, 1, 1, 18, 1),
    ("int", "service"): (1, 3, 1, 1, 1, 3, 1),
    ("int", "bare"): (1, 0, 0, 0, 0, 0, 1),
    ("callgate", "standard"): (1, 25, 3, 1, 1, 28, 1),
    ("callgate", "nowork"): (1, 25, 3, 1, 1, 24, 1),
    ("callgate", "service"): (1, 5, 1, 1, 1, 5, 1),
    ("callgate", "bare"): (1, 0, 0, 0, 0, 0, 1),
    ("sysenter", "standard"): (4, 24, 3, 1, 1, 26, 3),
    ("sysenter", "nowork"): (4, 24, 3, 1, 1, 22, 3),
    ("sysenter", "service"): (4, 3, 1, 1, 1, 2, 3),
    ("sysenter", "bare"): (4, 0, 0, 0, 0, 0, 3),
    ("syscall", "standard"): (1, 20, 3, 1, 1, 26, 1),
    ("syscall", "nowork"): (1, 20, 3, 1, 1, 22, 1),
    ("syscall", "service"): (1, 4, 1, 1, 1, 4, 1),
    ("syscall", "bare"): (1, 0, 0, 0, 0, 0, 1),
}
LABELS = {"int": "int8", "callgate": "cg", "sysenter": "sep", "syscall": "sys"}
VARIANTS = ("standard", "nowork", "service", "bare")
SEP = "CPUID.01H:EDX.SEP[bit 11] = 0"
LONG_MODE_SEP = "SYSENTER in long mode is #UD on AMD"


def label(mechanism: str, variant: str) -> str:
    """The paper's label: int80 counts from 0, all others from 1."""
    return LABELS[mechanism] + str(VARIANTS.index(variant) + (mechanism != "int"))


def result(
    origin: str, mechanism: str, variant: str, cost: float = 1, spacing: int = 0, n: int = 1000
) -> dict[str, Any]:
    """A result record. `cost` is what an instruction costs in the run's unit; `spacing` > 0 spreads
    the samples like a bell on a grid of that many units."""
    sections = [round(part * cost) for part in SECTIONS[mechanism, variant]]
    chance = random.Random(f"{origin}/{mechanism}/{variant}")
    steps = [sum(chance.randrange(5) for _ in range(6)) - 12 if spacing else 0 for _ in range(n)]
    samples = sorted(sum(sections) + step * spacing for step in steps)
    median, p90, p99 = (samples[-(-n * rank // 100) - 1] for rank in (50, 90, 99))
    return {
        "v": 1, "type": "result", "suite": "toll", "id": f"{origin}/{mechanism}/{variant}",
        "label": label(mechanism, variant), "n": n, "min": samples[0], "median": median,
        "p90": p90, "p99": p99, "max": samples[-1],
        "mean": sum(samples) / n, "batch": float(sum(sections)),
        "histogram": [list(pair) for pair in sorted(Counter(samples).items())],
        "sections": [
            {"from": f"MP{i}", "to": f"MP{i + 1}", "min": part, "median": part}
            for i, part in enumerate(sections, start=1)
        ],
        "probe": round(14 * cost), "residue": median - sum(sections),
    }  # fmt: skip


def machine(
    arch: str = "i386",
    model: str = "EPYC",
    lacks: dict[str, str] | None = None,
    unit: str = "instructions",
    platform: str = "qemu-icount",
    cost: float = 1,
    spacing: int = 0,
    **run: Any,
) -> MachineRun:
    """A whole boot; `lacks` maps origin/mechanism to the reason why its rows are skipped."""
    lacks = lacks or {}
    origins = ["user/int", "user/callgate", "user/sysenter", "user/syscall"]
    origins += ["compat/sysenter", "compat/syscall"] if arch == "amd64" else []
    ids = [(*origin.split("/"), variant) for origin in origins for variant in VARIANTS]
    results = [result(o, m, v, cost, spacing) for o, m, v in ids if f"{o}/{m}" not in lacks]
    skips = [
        {"v": 1, "type": "skip", "suite": "toll", "id": f"{o}/{m}/{v}", "reason": lacks[f"{o}/{m}"]}
        for o, m, v in ids
        if f"{o}/{m}" in lacks
    ]
    hypervisor = "" if unit == "cycles" else "TCGTCGTCGTCG"
    head = {
        "v": 1, "type": "run", "arch": arch, "platform": platform, "cpu_model": model, "unit": unit,
        "deterministic": unit == "instructions", "firmware": "multiboot1",
        "cpu": {"vendor": "AuthenticAMD", "brand": model, "family": 23, "model": 1, "stepping": 2},
        "hypervisor": hypervisor, "cmdline": "suite=toll", "fence": "lfence",
        "version": "0.1.0", "tools": {"emulator": "qemu-7.2.22", "compiler": "gcc 12.2.0"},
        "tsc_hz": 0, "readable": True,
    }  # fmt: skip
    return as_run(*ended([head | run, *controlled([*results, *skips])]))


def default_bench() -> list[MachineRun]:
    """The three machines of `make bench`."""
    return [
        machine("i386", "EPYC"),
        machine("amd64", "Skylake-Client", {"compat/syscall": "compat SYSCALL is AMD\u2019s"}),
        machine(
            "amd64", "EPYC", {"user/sysenter": LONG_MODE_SEP, "compat/sysenter": LONG_MODE_SEP}
        ),
    ]


def pentium_4(**run: Any) -> MachineRun:
    """A machine as in figure 7: cycles, seven apart."""
    return machine(
        "i386", "Pentium 4", {"user/syscall": "CPUID.80000001H:EDX.SYSCALL[bit 11] = 0"}, "cycles",
        "hardware", cost=28, spacing=7, **({"tsc_hz": 2_800_000_000} | run)
    )  # fmt: skip


def report(tmp_path: Path, *runs: MachineRun) -> str:
    """The text of the report of `runs`."""
    path = tmp_path / "report.html"
    write_report(list(runs), path)
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def bench(drawn: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report of the three machines of `make bench`."""
    return report(tmp_path_factory.mktemp("bench"), *default_bench())


@pytest.fixture(scope="module")
def mixed(drawn: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A report of two units: those three, and a Pentium 4."""
    return report(tmp_path_factory.mktemp("mixed"), *default_bench(), pentium_4())


@pytest.fixture(scope="module")
def silicon(drawn: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report of a Pentium 4 alone."""
    return report(tmp_path_factory.mktemp("silicon"), pentium_4())


class Page(HTMLParser):
    """Elements and attributes of a page, and whether its tags are balanced."""

    VOID = ("meta", "link", "br", "img", "input")

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: Counter[str] = Counter()
        self.attributes: set[str] = set()
        self.ids: Counter[str] = Counter()
        self.links: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes |= {name for name, _ in attrs}
        self.ids.update(value or "" for name, value in attrs if name == "id")
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def figures(html: str) -> list[str]:
    """The figures of a page."""
    return re.findall(r"<figure>.*?</figure>", html, re.DOTALL)


def test_one_offline_file_without_scripts(mixed: str) -> None:
    page = Page(mixed)
    assert not page.open
    assert not page.tags.keys() & {"script", "link", "img", "iframe", "object", "image", "use"}
    assert not [name for name in page.attributes if name.startswith("on")]
    assert all(link.startswith("#") for link in page.links)
    assert not re.search(r"https?:|@import|url\((?!#)", mixed)
    assert max(page.ids.values()) == 1
    assert {link[1:] for link in page.links} <= page.ids.keys()
    assert page.tags["svg"] > 10


def test_small_and_fast(tmp_path: Path, drawn: Any) -> None:
    drawn.cache_clear()
    begin = time.process_time()
    html = report(tmp_path, *default_bench())
    assert len(html.encode()) < 3_000_000
    assert time.process_time() - begin < 8


def test_no_run_at_all(tmp_path: Path) -> None:
    assert "nothing to show" in report(tmp_path)


def test_totals_labels_and_sections_are_drawn(bench: str) -> None:
    bars = next(figure for figure in figures(bench) if "M1 " in figure and "MP1\u2013MP2" in figure)
    for word in ("user/int/standard", "int80", "sep1", "cg1", ">46<", ">2<"):
        assert word in bars


def test_units_never_share_a_chart(mixed: str) -> None:
    measured = [f for f in figures(mixed) if re.search(r"\bM\d ", f)]
    assert len(measured) >= 6
    for drawn in measured:
        assert not ("M4 " in drawn and "M1 " in drawn)
        assert ("M4 " in drawn) == ("cycles" in drawn)
        assert ("M4 " in drawn) == ("instructions" not in drawn)


def test_nanoseconds_only_where_the_frequency_is_known(silicon: str, tmp_path: Path) -> None:
    assert re.search(r">1,288\s+\(460 ns\)<", silicon)
    assert " ns)<" not in report(tmp_path, pentium_4(tsc_hz=0))


def test_claims_of_silicon_are_not_testable_in_instructions(bench: str, silicon: str) -> None:
    assert "<em>not testable here</em>" in bench
    assert "<em>not testable here</em>" not in silicon


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
    tmp_path: Path, run: MachineRun, reason: str
) -> None:
    html = report(tmp_path, run)
    assert "unreadable" in html
    assert "No run of this report is readable" in html
    assert reason in html
    assert "1,288" not in html
    assert not any("M1 " in drawn for drawn in figures(html))
    assert "M1 " in "".join(figures(report(tmp_path, pentium_4()))), "a good run is drawn"


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
        assert not page.tags.keys() & {"script", "img"}
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


def test_equal_machines_are_drawn_once(tmp_path: Path) -> None:
    html = report(tmp_path, machine(), machine(model="Opteron"))
    assert "M2 " in html
    assert "are the same, to the last digit" in html


def test_matrix_lists_reasons_once(tmp_path: Path) -> None:
    html = report(tmp_path, *(machine(model=f"P{i}", lacks={"user/sysenter": SEP}) for i in (1, 2)))
    assert html.count(f"<td>{SEP}</td>") == 1
    assert html.count(f'<i title="{SEP}">a</i>') == 8


def test_ratios_stand_beside_the_paper_s_and_claim_no_comparison(bench: str) -> None:
    assert f'<td class="num">{46 / 62:.2f}</td>' in bench
    assert "1.4\u2020 (Pentium 4 2.8 GHz); 1.6\u2020 (P2, P3, Athlon)" in bench
    assert "it is no comparison" in bench


def test_records_dropped_on_the_line_are_counted(tmp_path: Path) -> None:
    run = machine()
    sent = run.end["records"] if run.end else 0
    del run.records[6]
    assert (
        f'<td class="num">{sent}</td><td class="num">{sent - 1}</td><td class="num">1</td>'
        in report(tmp_path, run)
    )


def test_dominant_spacing() -> None:
    grid = [(100.0, 10.0), (107.0, 300.0), (114.0, 500.0), (128.0, 100.0), (500.0, 1.0)]
    found = dominant_spacing(grid)
    assert found is not None
    assert found.value == 7
    assert found.share == pytest.approx(410 / 411)
    alone = dominant_spacing([(46.0, 1000.0)])
    assert alone is not None
    assert alone.words("instructions") == "no spread"
    assert dominant_spacing([]) is None
    wide = dominant_spacing([(float(4 * i), 10.0) for i in range(40)])
    assert wide is not None
    assert "width of the bins" in wide.words("host ticks")


def test_reference_data_keeps_its_sources_and_marks_inferences(bench: str) -> None:
    rows = reference.load()
    assert len(rows) == 231
    assert all(row.source and row.operation for row in rows)
    inferred = [row for row in rows if row.inferred]
    assert {"inferred", "probably"} & {word for row in inferred for word in row.conditions.split()}
    assert all(row.inferred for row in rows if "inferred" in row.conditions)
    drawn = "".join(f for f in figures(bench) if "Published figures" in f)
    for row in rows:
        if row.low is not None:
            assert f">{row.value}<" in drawn


def test_histograms_name_their_spacing(silicon: str, bench: str) -> None:
    assert "spacing 7 cycles (100% on that grid)" in silicon
    assert "no spread" in bench
    assert "in each of 52 rows all samples are equal" in bench


def with_exceptions(run: MachineRun, cost: float = 1) -> MachineRun:
    """The run with a suite of exceptions; the move off the IST stack is 26 instructions more."""
    more = []
    for origin in ("user", "trusted"):
        for variant, total in (("plain", 3), ("trap", 3), ("ist", 3), ("move", 29)):
            row = result(origin, "int", "bare")
            row |= {"suite": "exceptions", "id": f"{origin}/ud/{variant}", "label": "#UD"}
            row |= dict.fromkeys(("min", "median", "p90", "p99", "max", "mean"), total * cost)
            row |= {"histogram": [[total * cost, 1000]]}
            row["sections"][0] |= {"min": total * cost, "median": total * cost}
            row["sections"][6] |= {"min": 0, "median": 0}
            more.append(row)
    return inserted(run, *more)


def test_exceptions_are_a_table_of_their_own(tmp_path: Path) -> None:
    html = report(tmp_path, with_exceptions(machine("amd64")))
    cells = "".join(f'<td class="num">{value}</td>' for value in (3, 3, 3, 29, 0))
    assert f"<tr><td><code>user/ud</code></td>{cells}</tr>" in html
    assert "M1 amd64 EPYC (qemu-icount): exceptions, in instructions" in html
    assert not any("user/ud" in drawn for drawn in figures(html)), "not a row of the toll"


def test_the_claim_on_ist_is_answered_by_cycles_alone(tmp_path: Path) -> None:
    said = "user: the gate +{}, with the move off its stack +{}; trusted: the gate +{}"
    html = report(tmp_path, with_exceptions(machine("amd64")))
    line = next(row for row in html.splitlines() if "negligibly small" in row)
    assert said.format(0, 26, 0) in line
    assert "in instructions" in line and "<em>not testable here</em>" in line
    html = report(tmp_path, with_exceptions(pentium_4(), cost=30))
    line = next(row for row in html.splitlines() if "negligibly small" in row)
    assert said.format(0, 780, 0) in line
    assert "in cycles" in line and "not testable" not in line


def test_a_suite_of_any_name_is_shown(tmp_path: Path) -> None:
    run = machine("i386")
    one = make_plain("of the day", "one figure", 4711)
    grid = result("user", "int", "bare") | {"suite": "grid", "id": "way/one"}
    html = report(tmp_path, inserted(run, one, grid))
    assert "of the day, in instructions" in html and "<td><code>one figure</code></td>" in html
    assert '<td><code>way</code></td><td class="num">2</td><td class="num">0</td>' in html
    assert "Other suites" not in report(tmp_path, machine("i386"))


def chapters(html: str) -> list[str]:
    """The headings of a page's chapters, in their order."""
    return re.findall(r'<h2 id="[^"]*"><a href="[^"]*">([^<]*)</a></h2>', html)


def starved(run: MachineRun) -> MachineRun:
    """The run with the suite `starve` alone: two figures, no section and no skip."""
    pushes = (("user", 711), ("trusted", 723))
    rows = [make_plain("starve", f"{origin}/starve/push", median) for origin, median in pushes]
    return as_run(*ended([run.run, *rows]))


def reset(run: MachineRun) -> MachineRun:
    """The run as one that was to reset, and did."""
    outcome = {
        "v": 1, "type": "outcome", "suite": "starve", "id": "unprotected", "ended": "reset",
        "expected": "reset", "chain": "#PF(2) -> #DF(0) -> triple fault", "reason": "",
        "records": 1,
    }  # fmt: skip
    return as_run(run.run, outcome)


def test_a_suite_that_is_alone_comes_first_and_chapters_without_figures_are_not_there(
    tmp_path: Path,
) -> None:
    html = report(tmp_path, starved(machine("i386")), starved(machine("amd64")))
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
    html = report(tmp_path, reset(run), starved(run))
    line = next(line for line in html.splitlines() if "triple fault" in line)
    cells = ["unprotected", "reset", "#PF(2) -&gt; #DF(0) -&gt; triple fault", "M2 i386 EPYC"]
    assert [cell in line for cell in cells] == [True] * 4, line
    assert chapters(html)[0] == "The suite starve"


def test_what_an_interrupted_bench_lacks_is_named(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_report([machine("i386")], path, ["amd64 EPYC (qemu-icount)"])
    assert "not whole: amd64 EPYC (qemu-icount): not measured" in path.read_text(encoding="utf-8")


def test_the_toll_comes_before_other_suites(bench: str, tmp_path: Path) -> None:
    assert chapters(bench)[:3] == ["Units and machines", "Sections", "Ratios and claims"]
    assert "Other suites" not in chapters(bench)
    assert "Other suites" in chapters(report(tmp_path, with_exceptions(machine("amd64"))))


def test_attributes_are_spelled_as_html_has_them(bench: str) -> None:
    page = Page(bench)
    assert not [name for name in page.attributes if "_" in name]
    assert "aria-label" in page.attributes
    assert bench.count('role="group"') == bench.count('role="group" aria-label="') > 20
    assert 'aria-label=""' not in bench


def test_linux_is_compared_with_mitigations_and_without(bench: str) -> None:
    rows = {
        (row.source.partition(" in ")[0], row.cpu): row.low
        for row in reference.load()
        if row.operation == "getppid, syscall" and row.source.startswith("Linux 6.1.192")
    }
    assert rows == {
        ("Linux 6.1.192, mitigations default,", "amd64, EPYC"): 367,
        ("Linux 6.1.192, mitigations off,", "amd64, EPYC"): 322,
        ("Linux 6.1.192, mitigations default,", "amd64, Skylake-Client"): 337,
        ("Linux 6.1.192, mitigations off,", "amd64, Skylake-Client"): 322,
    }
    assert "looks for seccomp, ptrace and audit" in bench


def test_order_and_colour_come_from_the_records() -> None:
    """A mechanism or variant that this code has never heard of takes its own place."""
    here = ["user/int/standard", "user/int/lean", "user/int/bare", "trusted/call/bare"]
    there = ["user/int/standard", "user/new/standard", "user/int/bare", "trusted/call/bare"]
    skipped = ["user/sysenter/bare", "compat/sysenter/bare", "trusted/new/bare"]
    assert woven([here, there, skipped]) == [
        "user/int/standard",
        "user/new/standard",
        "user/int/lean",
        "user/int/bare",
        "user/sysenter/bare",
        "trusted/call/bare",
        "trusted/new/bare",
        "compat/sysenter/bare",
    ]
    assert list(shades(here)) == ["standard", "lean", "bare"]
    assert [theme.shade(rank, 4) for rank in range(4)] == list(theme.VARIANT_COLOURS)
    assert len({theme.shade(rank, 7) for rank in range(7)}) == 7
    assert theme.shade(0, 1) == theme.VARIANT_COLOURS[0]
