"""Columns, bars and lines show the statistic that they name.

In instructions minimum, median, p99, maximum, mean and batch are one number, so a mix-up would not
be noticed.  In these boots all figures are different: every table, chart and page is read back,
number by number.
"""

import csv
import io
import re
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tollgate.records.confidence import interval
from tollgate.records.format import MachineRun, Results
from tollgate.records.kernel_tables import listed
from tollgate.records.rules import faults
from tollgate.show import wisconsin
from tollgate.show.compare import compare
from tollgate.show.markdown import page as markdown
from tollgate.show.published import core_cycles
from tollgate.show.report import write_report
from tollgate.show.report.method import checks_table
from tollgate.show.report.model import alike, read_machine, read_row
from tollgate.show.table import cost, plain_table, print_results, toll_table

from ..records.sample import as_run, controlled, ended, inserted, make_plain, make_run_record
from .test_around import PIPE

HERTZ = 2_800_000_000
ORDER = ("min", "median", "p90", "p99", "max")
STEPS = dict(zip(ORDER, (0, 21, 33, 47, 59), strict=True))
COUNTS = (400, 300, 250, 45, 5)
WAYS = [f"user/{way}/{v}" for way in ("int", "sysenter") for v in ("standard", "nowork", "bare")]
OTHERS = {
    "usystime": ["user/usystime/rdtsc", "user/usystime/getpid"],
    "switch": ["user/ipc/pipe", "trusted/ipc/pipe"],
    "spawn": ["user/fork"],
    "files": ["user/read/null", "trusted/int80/null"],
    "share": ["user/share-user/turn"],
    "exceptions": ["user/fault/zero", "user/signal/segv"],
    "latency": ["user/getpid/off", "user/fork/off"],
}
SURE = ["median, 95 %", "median, 95 % to"]
SKIPPED = "user/syscall/standard"
CPU = {"vendor": "GenuineIntel", "family": 15, "model": 2, "stepping": 7}
BRAND = "Intel(R) Pentium(R) 4 CPU 2.80GHz"


def row(suite: str, name: str, place: int, probed: bool) -> dict[str, Any]:
    """A result with unique figures: those of row k start at 1009 k."""
    base = 1009 * (place + 1) + 7
    figures = {key: base + step for key, step in STEPS.items()}
    total = sum(value * count for value, count in zip(figures.values(), COUNTS, strict=True))
    made = {
        "v": 1, "type": "result", "suite": suite, "id": name, "label": f"l{place}", "n": 1000,
        **figures, "mean": total / 1000, "disturbed": place + 301, "repeated": place + 401,
        "histogram": [list(pair) for pair in zip(figures.values(), COUNTS, strict=True)],
    }  # fmt: skip
    if probed:
        residue = place + 61
        parts = [base // 10 + part for part in range(6)]
        parts.append(figures["median"] - residue - sum(parts))
        points = pairwise([f"MP{n}" for n in range(1, 9)])
        made |= {
            "batch": base + 8.25, "probe": 77, "residue": residue,
            "core": 3 * base + place, "reference": 2 * base,
            "sections": [
                {"from": a, "to": b, "min": part - 3, "median": part}
                for (a, b), part in zip(points, parts, strict=True)
            ],
        }  # fmt: skip
    return made


def boot(shift: int = 0, unit: str = "cycles", **run: Any) -> MachineRun:
    """A complete boot with rows of every kind; `shift`: changes the figures for another boot."""
    toll = [row("toll", name, shift + place, True) for place, name in enumerate(WAYS)]
    toll.append(row("exceptions", "user/ud/plain", shift + 7, True))
    names = [(suite, name) for suite, rows in OTHERS.items() for name in rows]
    plain = [row(suite, name, shift + 10 + i, False) for i, (suite, name) in enumerate(names)]
    skip = {"v": 1, "type": "skip", "suite": "toll", "id": SKIPPED, "reason": "Intel: SYSCALL"}
    said = {"unit": unit, "cpu": CPU | {"brand": BRAND}, "tsc_hz": HERTZ, "arch": "i386"}
    head = make_run_record(**(said | {"cpu_model": "Pentium 4"} | run))
    objects = ended([head, *controlled([*toll, skip]), *plain])
    for loop in (o for o in objects if o.get("id") == "control/loop" and o["type"] == "result"):
        loop |= {"min": 1994, "histogram": [[1994, 1], [2001, 999]], "mean": 2000.99}
    made = as_run(*objects)
    assert not faults(made)
    return made


@pytest.fixture(scope="session")
def folder(drawn: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of two such boots: one in cycles, one in host ticks."""
    place = tmp_path_factory.mktemp("columns")
    write_report([boot(), boot(40, "host ticks", cpu_model="other")], place / "report.html")
    return place


def rows_of(*runs: MachineRun) -> dict[tuple[str, str], list[dict[str, Any]]]:
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for run in runs:
        for result in run.results:
            found.setdefault((result["suite"], result["id"]), []).append(result)
    return found


def wanted(result: dict[str, Any], column: str) -> float | None:
    """The figure that a column must show; None if it is not a statistic."""
    if column == "ns":
        return float(result["median"]) * 1e9 / HERTZ
    if column in ("core", "here, core cycles"):
        return core_cycles(result)
    if column in ("here", "here, TSC cycles"):
        return float(result["median"])
    if column == "clean":
        return float(result["median"])
    if column == "sum":
        return float(sum(part["median"] for part in result["sections"]))
    if match := re.fullmatch(r"(?:MP)?(\d)[-\u2013](?:MP)?(\d)", column):
        parts = {(part["from"], part["to"]): part["median"] for part in result.get("sections", [])}
        return parts.get((f"MP{match[1]}", f"MP{match[2]}"))
    value = result.get(column)
    return float(value) if isinstance(value, int | float) else None


def number(cell: str) -> float:
    return float(cell.replace(",", "").replace("\u2212", "-"))


def test_every_column_of_every_table_shows_its_own_figure(folder: Path) -> None:
    """Checked by the tables as CSV, which are the same as the page's."""
    seen: dict[str, int] = {}
    known = rows_of(boot(), boot(40, "host ticks", cpu_model="other"))
    names = {name for _, name in known}
    for path in (folder / "tables").glob("m[0-9]*.csv"):
        place = int(path.name[1]) - 1
        for line in csv.DictReader(path.open()):
            (name,) = {cell for cell in line.values() if cell in names} or {""}
            for (suite, its), results in known.items():
                if its != name or line.get("suite", suite) != suite or suite == "control":
                    continue
                for column, cell in line.items():
                    value = wanted(results[place], column)
                    if value is None or column in ("suite", "row", "label"):
                        continue
                    assert abs(number(cell) - value) <= max(0.011, value * 1e-5), (path, column)
                    seen[column] = seen.get(column, 0) + 1
    assert set(ORDER) | {"n", "mean", "batch", "probe", "residue", "ns"} <= set(seen)
    assert {"here, TSC cycles", "here, core cycles"} <= set(seen)
    assert {"MP1\u2013MP2", "MP7\u2013MP8", "sum", "clean"} <= set(seen)
    assert {"disturbed", "repeated"} <= set(seen) and min(seen.values()) > 1


def test_a_noisy_median_stands_with_its_interval(folder: Path) -> None:
    """In every table of rows both ends are the ones computed from the samples."""
    known = rows_of(boot(), boot(40, "host ticks", cpu_model="other"))
    seen = 0
    for path in (folder / "tables").glob("m[0-9]*.csv"):
        place = int(path.name[1]) - 1
        for line in csv.DictReader(path.open()):
            if not line.get(SURE[0]):
                continue
            named = (s for s, n in known if n == line["row"] and n not in ("control/loop",))
            results = known.get((line.get("suite") or next(named, ""), line["row"]), [])
            if len(results) == 2:
                ends = interval(results[place])
                assert ends == (number(line[SURE[0]]), number(line[SURE[1]])), path
                seen += 1
    assert seen > 30


def test_labels_are_the_rows_own(folder: Path) -> None:
    """Tested in the table of all results, in the rows by machines, and on the terminal."""
    labels = {r["id"]: r["label"] for r in boot().results if r["suite"] == "toll"}
    for path in (folder / "tables").glob("m1-*-all-results-in-cycles.csv"):
        told = {line["row"]: line["label"] for line in csv.DictReader(path.open())}
        assert {name: told[name] for name in labels} == labels
    (path,) = (folder / "tables").glob("rows-by-machines.csv")
    told = {line["row"]: line["label"] for line in csv.DictReader(path.open())}
    last = {r["id"]: r["label"] for r in boot(40).results if r["suite"] == "toll"}
    assert {name: told[name] for name in last} == last
    print_results(Results([boot()]), Console(file=(out := io.StringIO()), width=300))
    for name, label in labels.items():
        assert re.search(rf"\b{name.rpartition('/')[2]} +{label} ", out.getvalue()), name


def test_what_is_in_a_unit_says_that_one(folder: Path) -> None:
    """Captions of the two machines, and descriptions of pictures; nothing else is in cycles."""
    html = (folder / "report.html").read_text()
    said = re.findall(r'<caption>(.*?)</caption>|aria-label="([^"]*)"', html, re.DOTALL)
    own = {"M1 ": "cycles", "M2 ": "host ticks"}
    seen = dict.fromkeys(own, 0)
    for text in (re.sub("<[^>]*>", "", one or other) for one, other in said):
        for tag, unit in own.items():
            (other_unit,) = set(own.values()) - {unit}
            if text.startswith(tag):
                assert other_unit not in text, text
                seen[tag] += f"in {unit}" in text
    assert min(seen.values()) > 10
    assert "latency: the longest stretch with interrupts off, in cycles, host ticks" in html
    (path,) = (folder / "tables").glob("the-machines.csv")
    head, *lines = csv.reader(path.open())
    assert [line[head.index("unit")] for line in lines] == list(own.values())
    assert [line[head.index("n")] for line in lines] == ["1000"] * 2
    assert {path.name for path in (folder / "tables").glob("ratios*")} == {
        "ratios-of-clean-medians-in-cycles.csv",
        "ratios-of-clean-medians-in-host-ticks.csv",
    }


@pytest.mark.parametrize(("unit", "other"), [("cycles", "host ticks"), ("host ticks", "cycles")])
def test_a_page_and_a_terminal_say_the_unit(unit: str, other: str) -> None:
    run = inserted(boot(unit=unit), make_plain("wisconsin", "user/cache-10/total", 4711))
    results = Results([run])
    print_results(results, Console(file=(out := io.StringIO()), width=300))
    for text in (out.getvalue(), markdown([results], [])):
        assert unit in text.lower() and other not in text.lower()
    assert f"\n{unit}: " in out.getvalue()
    assert re.search(f"wisconsin, .*, in {unit}[^:]* 4,711", out.getvalue())


def test_the_interval_ends_where_the_samples_do() -> None:
    """The last bin is wider than its samples; the maximum is above p99."""
    bins = {"histogram": [[100, 10], [104, 990]], "p99": 104, "max": 105}
    assert read_row(row("toll", WAYS[0], 0, True) | bins).sure == (104, 105)


def test_machines_that_differ_in_the_worst_alone_are_not_alike() -> None:
    found = [as_run(make_run_record(), one) for one in (PIPE, PIPE | {"max": PIPE["max"] + 1})]
    machines = [read_machine(place, run) for place, run in enumerate(found)]
    assert [len(group) for group in alike(machines, "around")] == [1, 1]


def test_tables_have_these_columns(folder: Path) -> None:
    """A column that is there twice, or missing, would not show a wrong figure."""
    plain = ["row", "min", "median", "p99", "max", *SURE]
    for suite in ("switch", "spawn", "share", "usystime", "files", "exceptions-others"):
        (path,) = (folder / "tables").glob(f"m2-*-{suite}-in-host-ticks.csv")
        assert next(csv.reader(path.open())) == plain, suite
    (path,) = (folder / "tables").glob("m2-*-exceptions-in-host-ticks.csv")
    assert next(csv.reader(path.open())) == ["way", "plain", "residue"]
    (path,) = (folder / "tables").glob("m2-*-all-results-in-host-ticks.csv")
    statistics = ["n", *ORDER, "mean", "batch", "probe", "residue", "disturbed", "repeated"]
    assert next(csv.reader(path.open())) == ["row", "suite", "label", *statistics, "spacing", *SURE]
    (path,) = (folder / "tables").glob("latency-*.csv")
    _, *lines = csv.reader(path.open())
    known = rows_of(boot(), boot(40, "host ticks"))
    for call, *cells in lines:
        longest = [r["max"] for r in known["latency", f"user/{call}/off"]]
        assert [number(cell) for cell in cells] == longest, "the longest stretch is the maximum"


def test_the_terminals_tables_show_the_same() -> None:
    for unit in ("cycles", "host ticks"):
        run = boot(unit=unit)
        console = Console(file=(out := io.StringIO()), width=300)
        print_results(Results([run]), console)
        heads: list[str] = []
        seen = set()
        way = ""
        for line in out.getvalue().splitlines():
            cells = re.split(r"\s{1,}", line.strip())
            if not line.startswith(" "):
                heads = []
            if cells[0] in ("way", "row"):
                heads = cells[3:] if cells[0] == "way" else cells
                continue
            way = cells[0] if "/" in cells[0] else way
            named = cells[:] if "/" in cells[0] else [way, *cells]
            both = [f"{named[0]}/{named[1]}" if len(named) > 1 else "", named[0]]
            for result in run.results:
                if result["id"] not in both or result["suite"] == "control" or not heads:
                    continue
                probed = result["id"] == both[0]
                figures = named[2:] if probed else named
                if len(figures) != len(heads) or probed != ("sections" in result):
                    continue
                for column, cell in zip(heads, figures, strict=True):
                    value = wanted(result, column)
                    if value is not None and column != "row":
                        assert abs(number(cell) - value) < 0.06, (unit, result["id"], column)
                        seen.add(column)
        assert {"n", "min", "median", "p99", "max", "residue", "1-2", "7-8"} <= seen
        assert {"cycles": "ns", "host ticks": "batch"}[unit] in seen
        (ud,) = rows_of(run)["exceptions", "user/ud/plain"]
        assert re.search(r"\n +plain +residue +\n", out.getvalue())
        assert re.search(rf"user/ud +{ud['median']} +{ud['residue']} ", out.getvalue())
        loops = [r for r in run.results if r["id"] == "control/loop"]
        assert f"control/loop {loops[0]['median']}" in out.getvalue()
        assert loops[0]["min"] != loops[0]["median"]


def figures_in(svg: str) -> set[float]:
    """The numbers in a picture or its description."""
    texts = re.findall(r"<text[^>]*>(.*?)</text>", svg) + re.findall(r'aria-label="([^"]*)"', svg)
    words = re.findall(r"(?<![\w./-])\d[\d,]*(?:\.\d+)?(?![\w/-])", " ".join(texts))
    return {number(word) for word in words if word.strip(",")}


def test_no_picture_shows_another_statistic_than_it_names(folder: Path) -> None:
    """All show medians, except a histogram, which shows all samples."""
    results = [r for run in (boot(), boot(40, "host ticks")) for r in run.results]
    rows = [r for r in results if r["suite"] != "control"]
    medians = {float(r["median"]) for r in rows}
    drawn: set[float] = set()
    for path in sorted((folder / "figures").glob("*.svg")):
        if path.name.startswith(("published", "figure-7")):
            continue
        shown = figures_in(path.read_text())
        for key in {*ORDER, "mean", "batch"} - {"median"}:
            others = {float(r[key]) for r in rows if key in r} - medians
            assert not shown & others, (path.name, key, shown & others)
        drawn |= shown & medians
    assert len(drawn) > 10


def test_a_row_that_is_skipped_is_not_one_that_no_kernel_has(folder: Path) -> None:
    (path,) = (folder / "tables").glob("rows-by-machines.csv")
    lines = {line["row"]: list(line.values())[2:] for line in csv.DictReader(path.open())}
    assert lines["user/int/standard"] == ["\u25cf", "\u25cf"]
    assert lines[SKIPPED] == ["a", "a"]


def test_a_comparison_and_a_page_of_results_are_of_medians() -> None:
    comparison = compare([boot()], [boot(40)])
    before, after = rows_of(boot()), rows_of(boot(40))
    assert len(comparison.changes) > 15
    for change in comparison.changes:
        suite, name = change.row.split(" ")
        assert change.before == before[suite, name][0]["median"]
        assert change.after == after[suite, name][0]["median"]
    text = markdown([Results([boot()])], [])
    assert "| row | median | machines |" in text
    for (suite, name), (result,) in before.items():
        if suite != "control":  # latency's figures are maxima
            own = "max" if suite == "latency" else "median"
            assert f" {result[own]} |" in text, name
            assert not any(f" {result[key]} |" in text for key in ORDER if key != own)


def test_only_a_cost_below_zero_is_noisy() -> None:
    assert [cost(value) for value in (-1, 0, 1.5, None)] == ["noisy", "0", "1.50", ""]


def test_a_database_in_ring_0_is_its_figure_less_ring_3s() -> None:
    names = product(("user/default", "trusted/default", "trusted/default-site"), ("total", "calls"))
    found = {
        (wisconsin.SUITE, "/".join(name)): {"median": 7.0 + place * place}
        for place, name in enumerate(names)
    }
    made = wisconsin.differences(wisconsin.Boot("amd64", found))
    assert [(d.setting, d.base, d.total, d.timed) for d in made] == [
        ("default", 7, 4, 8),
        ("default-site", 7, 16, 24),
    ]
    for (arch, _, _), way in wisconsin.WAYS.items():
        assert way in {row.id for row in listed(arch)}


def test_a_check_names_its_machines() -> None:
    machines = [read_machine(place, boot()) for place in range(2)]
    tags = ", ".join(machine.tag for machine in machines)
    assert str(checks_table(machines)).count(f">{tags}<") > 0


def test_a_median_has_nanoseconds_even_if_a_sample_is_below_zero() -> None:
    result = row("toll", WAYS[0], 0, True) | {"min": -1}
    columns = toll_table(boot(), [result], narrow=False).columns
    assert [str(next(iter(c.cells))) for c in columns if str(c.header) == "ns"] == ["370.4"]


def test_a_path_under_many_conditions_shows_the_least_and_the_most() -> None:
    """Which figure is under which head: no two are the same."""
    result = row("around", "user/around/pipe", 70, False) | {"plain": 5, "condition": "a partner"}
    console = Console(file=(out := io.StringIO()), width=200)
    console.print(plain_table([result]))
    head, _, line = (line.split() for line in out.getvalue().splitlines() if line.strip())
    assert head == ["row", "conditions", "plain", "least", "most", "under"]
    assert line[1:5] == ["1000", "5", str(result["min"]), str(result["max"])]
