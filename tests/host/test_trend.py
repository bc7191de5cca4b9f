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
from tollgate.trend import trend

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
