"""A row over many results files."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from tollgate import provenance
from tollgate.errors import Exit, UsageError
from tollgate.records import MachineRun, save
from tollgate.trend import courses, in_order, trend

MakeRun = Callable[..., MachineRun]


@pytest.fixture
def folders(tmp_path: Path, make_run: MakeRun) -> list[Path]:
    """Three benches, the newest first; the middle one's amd64 cannot be read."""
    made = []
    for day, cost in ((3, 41), (2, 46), (1, 52)):
        folder = tmp_path / f"day{day}"
        folder.mkdir()
        runs = [make_run({"user/int/standard": cost}, readable=day != 2)]
        runs.append(make_run({"user/int/standard": cost - 10}, arch="i386"))
        runs.append(make_run({"user/int/standard": 900 + day}, unit="cycles"))
        save(runs, folder / "results.jsonl")
        told = {"date": f"2026-01-0{day}T00:00:00Z", "commit": f"c{day}", "command": "", "host": ""}
        (folder / provenance.BESIDE).write_text(json.dumps(told))
        made.append(folder)
    return made


def test_a_line_for_each_machine_and_unit_the_oldest_first(
    folders: list[Path], tmp_path: Path
) -> None:
    out = io.StringIO()
    console = Console(file=out, width=120)
    files = [*folders, folders[0]]
    assert trend("user/int/standard", files, str(tmp_path / "to"), console) is Exit.PASS
    text = out.getvalue()
    assert "i386 EPYC (qemu-icount): 42 to 31 instructions" in text
    assert "amd64 EPYC (qemu-icount): 52 to 41 instructions" in text
    assert "left out: " in text and "day2" in text
    page = (tmp_path / "to" / "trend.html").read_text()
    assert "901 to 903 cycles" in page and page.count("<figure>") == 2, "units do not meet"
    name = "user-int-standard-on-i386-epyc-qemu-icount-in-instructions.csv"
    lines = list(csv.DictReader((tmp_path / "to" / "tables" / name).open()))
    assert [line["median"] for line in lines] == ["42", "36", "31"]
    assert [line["change"] for line in lines] == ["", "-6", "-5"]
    assert [line["commit"] for line in lines] == ["c1", "c2", "c3"]
    drawn = tmp_path / "to" / "figures" / "trend-i386-epyc-qemu-icount-user-int-standard.svg"
    assert "2026-01-02T00:00:00Z, c2: 36 instructions" in drawn.read_text()


def test_a_row_that_is_nowhere_is_told_its_neighbours(folders: list[Path], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has a row 'user/int/standart'; there are user/int/"):
        trend("user/int/standart", folders, str(tmp_path), Console(file=io.StringIO()))


@pytest.mark.parametrize("few", [{40: 10, 52: 990}, {52: 995, 64: 5}, {52: 1000}])
def test_a_line_is_exact_where_no_sample_differs(
    tmp_path: Path, make_run: MakeRun, few: dict[int, int]
) -> None:
    """Not where only the least, or only the most, is another than all the rest."""
    run = make_run({"user/int/standard": 52}, unit="cycles")
    result = next(row for row in run.results if row["id"] == "user/int/standard")
    usual = max(few, key=lambda value: few[value])
    result |= dict.fromkeys(("median", "p90", "p99"), usual)
    result |= {"min": min(few), "max": max(few), "n": 1000, "histogram": [*map(list, few.items())]}
    result["mean"] = sum(value * count for value, count in few.items()) / 1000
    result["batch"] = usual
    save([run], tmp_path / "results.jsonl")
    out = io.StringIO()
    files = in_order([tmp_path / "results.jsonl"])
    (course,) = courses("user/int/standard", files, Console(file=out, width=200))
    assert course.exact == (len(few) == 1), out.getvalue()
