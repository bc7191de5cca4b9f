"""`compare` as a page: files side by side, a column for each boot, of many a chart by processor."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from tollgate.cli import main
from tollgate.records import MachineRun, save

from .machines import default_bench, machine, pentium_4
from .page import Page
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
        for line in table(folder, f"{suite}-in-cycles-medians-of-2-boots"):
            before, after = known[suite, line["row"]]
            assert float(line["A i386 Pentium 4 (hardware)"]) == before["median"]
            assert float(line["B i386 Pentium 4 (hardware)"]) == after["median"]
            assert float(line["change"]) == after["median"] - before["median"]
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
        for line in table(folder, "toll-in-cycles-medians-of-2-boots")
        if line["row"] == "user/int/nowork"
    )
    values = [cell for head, cell in line.items() if head.startswith(("A ", "B "))]
    assert values[0] == "1176" and "1177" in values and "7" in values
    assert not line.get("change")
    assert code == 0


def test_units_do_not_meet_and_machines_stand_together(tmp_path: Path) -> None:
    _, html, folder = compared(tmp_path, [*default_bench(), pentium_4()], default_bench())
    line = table(folder, "toll-in-instructions-medians-of-6-boots")[0]
    heads = [head for head in line if head[:2] in ("A ", "B ")]
    assert [head[0] for head in heads] == list("ABABAB")
    assert heads[0][2:] == heads[1][2:] and heads[2][2:] == heads[3][2:]
    assert (folder / "tables" / "toll-in-cycles-medians-of-1-boots.csv").exists()
    assert "A and B: " in html and "The files" in html


def test_above_eight_there_is_a_chart_by_processor(tmp_path: Path) -> None:
    runs = [machine(model=f"P{place}", cost=1 + place) for place in range(9)]
    _, html, folder = compared(tmp_path, runs, runs[:1])
    assert not list((folder / "tables").glob("toll-*-medians-*"))
    assert 'data-name="by-processor-toll-instructions-user-int-standard"' in html
    rows = {line["row"]: line for line in table(folder, "toll-in-instructions-over-10-boots")}
    standard = rows["user/int/standard"]
    assert (standard["least"], standard["middle"], standard["most"]) == ("46", "184", "414")
    assert standard["least on"].endswith("P0 (qemu-icount)")
    assert standard["most on"] == "A i386 P8 (qemu-icount)"
    assert standard["boots"] == "10"
    bars = re.findall(r"<title>A i386 P(\d) \(qemu-icount\): ([\d,]+)</title>", html)
    assert ("8", "414") in bars and ("0", "46") in bars


def test_of_several_files_the_worst_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    same, dear = [machine()], [machine(cost=2)]
    code, html, _ = compared(tmp_path, same, same, dear)
    assert code == 3
    said = capsys.readouterr().out
    assert said.count("rows compared") == 2
    assert "A and C: " in html


def test_what_cannot_be_written_is_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save([machine()], tmp_path / "results.jsonl")
    (tmp_path / "file").write_text("")
    asked = ["compare", str(tmp_path), str(tmp_path), "--out", str(tmp_path / "file" / "x")]
    assert main(asked) == 4
    assert "cannot be written" in capsys.readouterr().err
