"""`compare` as a page: files side by side, a column for each boot, of many a chart by processor."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from string import ascii_uppercase

import pytest

from tollgate.cli import main
from tollgate.errors import Exit
from tollgate.records.format import MachineRun, save
from tollgate.show.compare import letter
from tollgate.show.report.markup import slug

from .machines import default_bench, machine, pentium_4
from .page import Page
from .sample import as_run, controlled, ended
from .test_columns import boot, rows_of

pytestmark = pytest.mark.usefixtures("drawn")


def compared(folder: Path, *files: list[MachineRun]) -> tuple[int, str, Path]:
    """The exit status, the page and its folder."""
    paths = []
    for place, runs in enumerate(files):
        (folder / f"run{place}").mkdir()
        save(runs, folder / f"run{place}" / "results.jsonl")
        paths.append(str(folder / f"run{place}"))
    code = main(["compare", *paths, "--out", str(folder / "page")])
    return code, (folder / "page" / "compare.html").read_text(), folder / "page"


def table(folder: Path, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((folder / "tables" / f"{name}.csv").open()))


def test_each_column_has_its_own_boot_s_figures(tmp_path: Path) -> None:
    """In these boots no two figures are the same, and minimum, median and maximum differ."""
    first, second = boot(), boot(40)
    code, html, folder = compared(tmp_path, [first], [second])
    assert code == 3
    page = Page(html)
    assert not page.open and max(page.ids.values()) == 1
    known, seen = rows_of(first, second), 0
    for suite in {suite for suite, _ in known} - {"control"}:
        for line in table(folder, f"{suite}-in-cycles-1-machine-in-2-files"):
            before, after = known[suite, line["row"]]
            assert float(line["A i386 Pentium 4 (hardware)"]) == before["median"]
            assert float(line["B i386 Pentium 4 (hardware)"]) == after["median"]
            assert (
                float(line["B i386 Pentium 4 (hardware) change"])
                == after["median"] - before["median"]
            )
            seen += 1
    assert seen > 15


def test_what_may_be_chance_is_no_change(tmp_path: Path) -> None:
    """Two figures whose intervals meet have no change beside them."""
    other = pentium_4()
    for result in other.results:
        if result["id"] == "user/int/nowork":
            result["histogram"] = [[edge + 1, count] for edge, count in result["histogram"]]
            for key in ("min", "median", "p90", "p99", "max", "mean", "residue"):
                result[key] += 1
    code, _, folder = compared(tmp_path, [pentium_4()], [other])
    (line,) = (
        line
        for line in table(folder, "toll-in-cycles-1-machine-in-2-files")
        if line["row"] == "user/int/nowork"
    )
    values = [cell for head, cell in line.items() if head.startswith(("A ", "B "))]
    assert values[0] == "1176" and "1177" in values and "7" in values
    assert not line.get("B i386 Pentium 4 (hardware) change")
    assert code == 0


def test_units_do_not_meet_and_machines_stand_together(tmp_path: Path) -> None:
    _, html, folder = compared(tmp_path, [*default_bench(), pentium_4()], default_bench())
    line = table(folder, "toll-in-instructions-3-machines-in-2-files")[0]
    heads = [head for head in line if head[:2] in ("A ", "B ")]
    assert [head[0] for head in heads] == list("ABABAB")
    assert heads[0][2:] == heads[1][2:] and heads[2][2:] == heads[3][2:]
    assert (folder / "tables" / "toll-in-cycles-1-machine-in-1-file.csv").exists()
    assert "A and B: " in html and "The files" in html


LEAST_AND_MOST = "toll-in-instructions-the-least-and-the-most-9-machines-in-2-files"


def test_above_eight_there_is_a_chart_by_processor(tmp_path: Path) -> None:
    runs = [machine(model=f"P{place}", cost=1 + place) for place in range(9)]
    _, html, folder = compared(tmp_path, runs, runs[:1])
    assert not (folder / "tables" / "toll-in-instructions-9-machines-in-2-files.csv").exists()
    assert 'data-name="by-processor-toll-instructions-user-int-standard"' in html
    rows = {line["row"]: line for line in table(folder, LEAST_AND_MOST)}
    standard = rows["user/int/standard"]
    assert (standard["least"], standard["middle"], standard["most"]) == ("46", "184", "414")
    assert standard["least on"].endswith("P0 (qemu-icount)")
    assert standard["most on"] == "A i386 P8 (qemu-icount)"
    assert standard["figures"] == "10"
    bars = re.findall(r"<title>A i386 P(\d) \(qemu-icount\): ([\d,]+)</title>", html)
    assert ("8", "414") in bars and ("0", "46") in bars


def heads(folder: Path, name: str) -> list[str]:
    """The columns of a table, each of which has a name of its own."""
    with (folder / "tables" / f"{name}.csv").open() as file:
        columns = next(csv.reader(file))
    assert len(set(columns)) == len(columns)
    return columns


EXTREMES = ["row", "least on", "most on", "figures", "least", "middle", "most"]


def named(*columns: str) -> list[str]:
    """The heads of columns: `A0` is file A's machine 0, `A0+` what has become of its figures."""
    heads = ["row"]
    for column in columns:
        name = column.rstrip("+").lstrip("ABCDEFGH")
        file = column[: -len(name) - column.count("+")]
        head = f"{file} i386 P{name} (qemu-icount)".strip()
        heads += [head, *([f"{head} change"] if "+" in column else [])]
    return heads


def lines_of(*columns: str) -> list[str]:
    """The same where the file has a column."""
    return ["row", "file", *named(*columns)[1:]]


@pytest.mark.parametrize(
    ("files", "columns"),
    [
        ([[0], [1]], named("A0", "B1")),
        ([[0, 1]] * 3, named("A0", "B0+", "C0+", "A1", "B1+", "C1+")),
        ([[n] for n in range(8)], named(*(f"{'ABCDEFGH'[n]}{n}" for n in range(8)))),
        ([[*range(8)]] * 2, lines_of(*(f"{n}+" for n in range(8)))),
        ([[0, 1, 2]] * 3, lines_of("0+", "1+", "2+")),
        ([[n] for n in range(9)], EXTREMES),
        ([[0]] * 27, EXTREMES),
        pytest.param([[n] for n in range(30)], EXTREMES, marks=pytest.mark.long),
    ],
    ids=["2", "2 in 3", "8", "8 in 2", "3 in 3", "9", "1 in 27", "30"],
)
def test_machines_are_columns_up_to_eight(
    files: list[list[int]], columns: list[str], tmp_path: Path
) -> None:
    """Each machine and each file costs one unit more, and a machine has two boots in a file."""
    runs = [
        [part(machine(model=f"P{n}", cost=1 + n + place), *half) for n in of for half in HALVES]
        for place, of in enumerate(files)
    ]
    _, html, folder = compared(tmp_path, *runs)
    page = Page(html)
    assert not page.open and max(page.ids.values()) == 1
    machines = len({n for of in files for n in of})
    counted = f"{machines} machine{'s' * (machines > 1)} in {len(files)} files"
    name = f"toll-in-instructions-{'the least and the most ' * (columns is EXTREMES)}{counted}"
    assert heads(folder, slug(name)) == columns
    lines = table(folder, slug(name))
    assert [line["row"] for line in lines if line.get("file", "A") == "A"] == [
        row["id"] for run in runs[0][:2] for row in run.results if row["suite"] == "toll"
    ]
    letters = [line["file"] for line in table(folder, "the-files")]
    assert letters == [*ascii_uppercase, "AA", "AB", "AC", "AD"][: len(files)]
    if columns is EXTREMES:
        assert html.count('<svg role="img"') == 2
        assert {line["figures"] for line in lines} == {str(sum(map(len, files)))}
    elif len(files) == 3 and "file" in columns:
        standard = [line for line in lines if line["row"] == "user/int/standard"]
        assert [line["file"] for line in standard] == ["A", "B", "C"]
        assert [line["i386 P1 (qemu-icount)"] for line in standard] == ["92", "138", "184"]
        assert [line["i386 P1 (qemu-icount) change"] for line in standard] == ["", "46", "92"]


HALVES = (("user/int",), ("user/sysenter",))
"""Of each of two boots the ways whose rows it has."""


def part(run: MachineRun, *ways: str) -> MachineRun:
    """The boot with the rows of these ways alone."""
    rows = [result for result in run.results if result["id"].rpartition("/")[0] in ways]
    return as_run(*ended([run.run, *controlled(rows)]))


def test_letters_do_not_come_twice() -> None:
    found = [letter(place) for place in range(1000)]
    assert found[:27] == [*ascii_uppercase, "AA"] and found[701:703] == ["ZZ", "AAA"]
    assert len(set(found)) == 1000


def test_what_was_not_measured_alike_names_the_two(tmp_path: Path) -> None:
    other = machine()
    other.run["tools"] = {**other.run["tools"], "compiler": "clang 14.0.6"}
    code, html, _ = compared(tmp_path, [machine()], [machine()], [other])
    assert code == Exit.UNLIKE
    assert re.findall(r'<p class="warning">(.*?)</p>', html) == [
        "A and C were not measured alike: i386 qemu-icount EPYC: compiler gcc 12.2.0 against "
        "clang 14.0.6."
    ]


def test_what_cannot_be_read_or_is_not_whole_is_said(tmp_path: Path) -> None:
    """No count of rows stands for a file of which nothing was compared."""
    other, part_of = machine(readable=False), [machine(), machine("amd64")]
    save([machine()], tmp_path / "a.jsonl")
    save([other], tmp_path / "b.jsonl")
    save(part_of, tmp_path / "c.jsonl", missing=["amd64 EPYC (qemu-icount)"])
    paths = [str(tmp_path / f"{name}.jsonl") for name in "abc"]
    assert main(["compare", *paths, "--out", str(tmp_path)]) == 3
    html = (tmp_path / "compare.html").read_text()
    not_whole, unread = re.findall(r'<p class="warning">(.*?)</p>', html)
    assert not_whole == "C is not whole: amd64 EPYC (qemu-icount) is missing."
    assert unread.startswith("A and B cannot be compared: i386 EPYC (qemu-icount) after: ")
    assert table(tmp_path, "the-files")[1]["beside A"] == "cannot be read"


def test_of_several_files_the_worst_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    same, dear = [machine()], [machine(cost=2)]
    code, _, folder = compared(tmp_path, same, same, dear)
    assert code == 3
    said = capsys.readouterr().out
    assert said.count("rows compared") == 2
    verdicts = [line["beside A"] for line in table(folder, "the-files")]
    assert [words.partition(";")[0] for words in verdicts] == [
        "",
        "16 rows compared: 16 same, 0 better, 0 within, 0 worse",
        "16 rows compared: 0 same, 0 better, 0 within, 16 worse",
    ]


def test_what_cannot_be_written_is_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save([machine()], tmp_path / "results.jsonl")
    (tmp_path / "file").write_text("")
    asked = ["compare", str(tmp_path), str(tmp_path), "--out", str(tmp_path / "file" / "x")]
    assert main(asked) == 4
    assert "cannot be written" in capsys.readouterr().err
