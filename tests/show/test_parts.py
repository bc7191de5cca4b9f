"""Rows with parts around the entry: on the terminal, and as one bar of the report."""

import io
import re
from pathlib import Path

import pytest
from rich.console import Console

from tollgate.records.format import MachineRun
from tollgate.show.report import write_report
from tollgate.show.table import parts_table, print_run

from ..records.sample import inserted
from .machines import machine, result
from .test_columns import row

pytestmark = pytest.mark.usefixtures("drawn")
PATH, PARTS, GATE = 53 - 2, 184 - 53, 2
"""Instructions of the path, of its parts and of its gate in machines.SECTIONS."""


@pytest.fixture
def parted() -> MachineRun:
    """An amd64 machine with a set around SYSCALL."""
    return inserted(machine("amd64"), result("user", "syscall", "standard@linux-tigerlake"))


def test_the_terminal_has_path_and_parts_in_a_table_of_their_own(parted: MachineRun) -> None:
    console = Console(file=io.StringIO(), width=80)
    print_run(parted, console)
    said = console.file.getvalue()  # type: ignore[attr-defined]
    plain, _, rows = said.partition("with parts")
    assert "@" not in plain
    line = r"user/syscall +@linux-tigerlake +53 +131 +184 +184 +0"
    assert re.search(line, rows), said


def test_each_column_shows_its_own_figure() -> None:
    ends = enumerate(["", "+verw"])
    plain, both = [row("toll", f"user/syscall/standard{end}", at, True) for at, end in ends]
    shown = {str(c.header): str(next(iter(c.cells))) for c in parts_table([plain], [both]).columns}
    assert [int(shown[key]) for key in ("path", "parts", "median", "p99", "residue")] == [
        plain["median"],
        both["median"] - plain["median"],
        *(both[key] for key in ("median", "p99", "residue")),
    ]


def test_the_report_has_one_bar_of_path_gate_and_parts(parted: MachineRun, tmp_path: Path) -> None:
    write_report([parted], tmp_path / "report.html")
    drawing = (tmp_path / "figures" / "headline.svg").read_text(encoding="utf-8")
    found = re.findall(r"amd64 user/syscall/standard@([\w-]+), (\w+): (\d+) instructions", drawing)
    assert found == [
        ("linux-tigerlake", "path", str(PATH)),
        ("linux-tigerlake", "gate", str(GATE)),
        ("linux-tigerlake", "parts", str(PARTS)),
    ]
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "its parts" in page
