"""The report's chapter of the suite html (tollgate.show.report.stripper)."""

import re
from pathlib import Path

import pytest

from tollgate.show.report import stripper

from ..records.sample import inserted, make_plain
from .machines import machine
from .page import bare, report

pytestmark = pytest.mark.usefixtures("drawn")

ROWS = {
    **{f"kernel/printed/{run}": 36 for run in stripper.RUNS},
    **{f"user/printed/{run}": 108 for run in stripper.RUNS},
    **{f"kernel/rewound/{run}": 200 for run in stripper.RUNS},
    **{f"user/rewound/{run}": 300 for run in stripper.RUNS},
    "user/read/1000": 300,
    "trusted/int80/1000": 280,
    "kernel/sys_read/1000": 240,
    "kernel/file_read/1000": 200,
    "user/parse/1000": 1500,
    "trusted/parse/1000": 1500,
    "kernel/parse/1000": 1000,
}


def rows_of(html: str, caption: str) -> list[list[str]]:
    found = re.search(rf"<table\b[^>]*>(?:(?!</table>).)*{caption}.*?</table>", html, re.DOTALL)
    assert found is not None, caption
    lines = re.findall(r"<tr>(.*?)</tr>", found[0], re.DOTALL)
    return [re.findall(r"<td[^>]*>([^<]*)", line) for line in lines if "<td" in line]


def test_ours_stands_beside_the_documents_ten_figures(tmp_path: Path) -> None:
    run = inserted(machine("i386"), *(make_plain("html", row, n) for row, n in ROWS.items()))
    html = bare(report(tmp_path, run))
    ours = rows_of(html, "the best read of 1000 bytes")
    assert ours == [
        ["kernel, as printed", *["36"] * 5],
        ["userland, as printed", *["108"] * 5],
        ["= times", *["3.0"] * 5],
        ["kernel, rewound", *["200"] * 5],
        ["userland, rewound", *["300"] * 5],
        ["= times", *["1.5"] * 5],
    ]
    theirs = rows_of(html, "it says around 3 times")
    assert theirs[:2] == [
        ["Kernel HTML Parser", "246", "366", "245", "351", "246"],
        ["Userland HTML Parser", "675", "683", "561", "683", "675"],
    ]
    assert theirs[2] == ["= times", "2.7", "1.9", "2.3", "1.9", "2.7"]
    assert "is an inference" in html
    assert "around 3 times faster in time: not testable here" in html


def test_each_rung_and_the_whole_job_are_beside_ring_3(tmp_path: Path) -> None:
    run = inserted(machine("i386"), *(make_plain("html", row, n) for row, n in ROWS.items()))
    lines = {
        line[0]: line[1:] for line in rows_of(bare(report(tmp_path, run)), "the page by each rung")
    }
    assert lines["INT 80h at CPL 0"] == ["280", "1.1"]
    assert lines["the read function of the file called"] == ["200", "1.5"]
    assert lines["the parser in kernel code"] == ["1,000", "1.5"]
    assert lines["read and parsed in ring 3"] == ["1,800", "1.0"]
    assert lines["read and parsed in kernel code"] == ["1,200", "1.5"]


def test_other_suites_have_no_such_chapter(tmp_path: Path) -> None:
    assert "HTML Parser" not in report(tmp_path, machine("i386"))
