"""The report as a page: one file, small, without scripts, without repetitions."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from tollgate.show import shares
from tollgate.show.report import write_report
from tollgate.show.report.model import woven

from .machines import machine
from .page import Page, chapters, report

pytestmark = pytest.mark.usefixtures("drawn")

SEP = "CPUID.01H:EDX.SEP[bit 11] = 0"


def test_one_offline_file_and_its_files_beside_it(mixed: str, mixed_folder: Path) -> None:
    page = Page(mixed)
    assert not page.open
    assert not page.tags.keys() & {"link", "img", "iframe", "object", "image", "use"}
    assert page.tags["script"] == 1, "the one that sorts tables"
    assert not [name for name in page.attributes if name.startswith("on")]
    inside = [link for link in page.links if link.startswith("#")]
    files = [link for link in page.links if not link.startswith("#")]
    assert len(files) == len(set(files)) > 40
    assert all((mixed_folder / file).is_file() for file in files)
    assert not re.search(r"https?:|@import|url\((?!#)", mixed)
    assert max(page.ids.values()) == 1
    levels = [int(level) for level in re.findall(r"<h(\d)[ >]", mixed)]
    assert levels.count(1) == 1 and levels.count(2) == len(chapters(mixed))
    assert all(1 <= low <= high + 1 for high, low in pairwise(levels))
    assert {link[1:] for link in inside} <= page.ids.keys()
    assert page.tags["svg"] > 10
    assert "other conditions" not in mixed, "there is no suite around in it"


def test_small(bench: str) -> None:
    assert len(bench.encode()) < 3_000_000


def test_no_run_at_all(tmp_path: Path) -> None:
    assert "nothing to show" in report(tmp_path)


def test_equal_machines_are_drawn_once(tmp_path: Path) -> None:
    html = report(tmp_path, machine(), machine(model="Opteron"))
    assert "M2 " in html
    assert "M1 stands for M2 " in html and "the same, to the last digit" in html


def test_matrix_lists_reasons_once(tmp_path: Path) -> None:
    html = report(tmp_path, *(machine(model=f"P{i}", lacks={"user/sysenter": SEP}) for i in (1, 2)))
    assert html.count(f"<td>{SEP}</td>") == 1
    assert html.count(f'<i title="{SEP}">a</i>') == 8


def test_what_an_interrupted_bench_lacks_is_named(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_report([machine("i386")], path, ["amd64 EPYC (qemu-icount)"])
    assert "not whole: amd64 EPYC (qemu-icount): not measured" in path.read_text(encoding="utf-8")


def test_unmodified_programs_stand_with_their_executed_calls(tmp_path: Path) -> None:
    """In every report with an amd64 machine, and in none of i386 alone."""
    for arch, told in (("amd64", True), ("i386", False)):
        path = tmp_path / f"{arch}.html"
        write_report([machine(arch)], path)
        text = path.read_text(encoding="utf-8")
        for each in shares.load():
            assert (f'<td class="num">{each.percent} %</td>' in text) == told
        assert ("Calls of unmodified programs" in text) == told


def test_attributes_are_spelled_as_html_has_them(bench: str) -> None:
    page = Page(bench)
    assert not [name for name in page.attributes if "_" in name]
    assert "aria-label" in page.attributes
    assert bench.count('role="group"') == bench.count('role="group" aria-label="') > 20
    assert 'aria-label=""' not in bench
    assert len(re.findall(r'data-name="([^"]*)"', bench)) > 30


def test_the_order_comes_from_the_records() -> None:
    """An unknown mechanism or variant gets a place in the records' order."""
    here = ["user/int/standard", "user/int/lean", "user/int/bare", "trusted/call/bare"]
    there = ["user/int/standard", "user/new/standard", "user/int/bare", "trusted/call/bare"]
    skipped = ["user/sysenter/bare", "compat/sysenter/bare", "trusted/new/bare"]
    order = "user/int/standard user/new/standard user/int/lean user/int/bare user/sysenter/bare"
    others = "trusted/call/bare trusted/new/bare compat/sysenter/bare"
    assert woven([here, there, skipped]) == f"{order} {others}".split()
