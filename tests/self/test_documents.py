"""The measured figures in documents equal the budgets; `make docs` updates them.

A release must update them. A change that adds a row need not, so these tests are long.
"""

import re

import pytest

from tollgate.machines.boot import ROOT
from tollgate.records.budgets import load
from tollgate.self import documents

DOCS = ROOT / "docs"
AGAIN = "`make docs` makes it anew"


@pytest.mark.long
def test_results_have_the_toll_of_the_budgets() -> None:
    text = (DOCS / "results.md").read_text()
    for arch in ("i386", "amd64"):
        chapter = text.partition(f"### toll, {arch}")[2].partition("###")[0]
        found = {}
        for line in chapter.splitlines():
            cells = [cell.strip(" `") for cell in line.strip("| ").split("|")]
            if "/" in cells[0]:
                found[f"{cells[0]}/standard"] = int(cells[1])
        budgets = {row: b for row, b in load("toll", arch).items() if row.endswith("/standard")}
        assert found == {row: b[0] for row, b in budgets.items() if isinstance(b, list)}, AGAIN


@pytest.mark.long
def test_the_headline_has_the_toll_of_the_budgets() -> None:
    text = (DOCS / "headline.svg").read_text()
    said = dict(re.findall(r"<title>(\w+ [\w/]+/standard): (\d+) instructions</title>", text))
    asked = ("user/", "trusted/call/")
    budgets = {
        f"{arch} {row}": str(budget[0])
        for arch in ("i386", "amd64")
        for row, budget in load("toll", arch).items()
        if row.startswith(asked) and row.endswith("/standard") and isinstance(budget, list)
    }
    assert said == budgets, AGAIN


def test_the_readme_shows_both_pictures() -> None:
    text = (ROOT / "README.md").read_text()
    assert re.search(r"!\[[^\]]{20,}\]\(docs/headline\.svg\)", text)
    assert re.search(r"!\[[^\]]{20,}\]\(docs/book\.png\)", text)


def test_the_figures_of_the_documents_are_the_budgets() -> None:
    """A wrong figure is found, in a table and in the picture."""
    assert documents.stale() == [], "`make docs PART=budgets` writes them"
    results, points = DOCS / "results.md", documents.POINTS
    text = results.read_text()
    row = "| `user/signal/segv` | "
    assert documents.made(results, text.replace(row, f"{row}1", 1)) == text
    drawn = points.read_text()
    assert documents.made(points, drawn.replace('class="total">', 'class="total">9')) == drawn


MEASURED = re.compile(
    r"(?<![\w.,])\d[\d,.]* (?:\w+ )?(?:instructions?|cycles|ticks)\b|(?<![\w.,])\d[\d,.]* ?%"
    r"|(?<![\w.,])\d[\d,.]* (?:times as|more\b|less\b|fewer\b|too many|too high)"
    r"|(?<![\w.,])[\d,]+ (?:of|in place of|against) \d"
)
"""A measured number, recognised by the words after it."""
SAID = re.compile(
    r"2001 instructions|250 ticks|5 more, whatever|100 or 190 more|16 of 21|9[059] %|\$39,%"
    r"|\b50,000 instructions|3,600 billion instructions|1.25 to 4 times as|0 of 128 bytes"
    r"|\d+ instructions (?:long|are enough|at most)|23 instructions are worth"
)
"""Exceptions that would not change: fixed lengths, limits, intervals; exercises' requirements."""
PAGES = [
    str(page.relative_to(ROOT))
    for pattern in ("*.md", "docs/*.md", "exercises/*/*.md", "tools/gdb/*.md")
    for page in sorted(ROOT.glob(pattern))
]


@pytest.mark.parametrize("name", PAGES)
def test_no_sentence_has_a_measured_figure(name: str) -> None:
    """Measured figures are only in tables written by a command."""
    text = (ROOT / name).read_text(encoding="utf-8")
    text = re.sub(r"<!-- (\w+).*?-->.*?<!-- end of \1 -->", "", text, flags=re.DOTALL)
    text = SAID.sub("", re.sub(r"\]\([^)]*\)", "", text))
    assert [line for line in text.splitlines() if MEASURED.search(line)] == []


def test_what_is_measured_is_told_from_what_is_not() -> None:
    for said in ("takes 51 instructions by", "costs 3.5 % less", "to 292 cycles", "0.6 times as",
                 "1,000 of 1,000 lost", "are 13 too high", "5 more, each way"):  # fmt: skip
        assert MEASURED.search(SAID.sub("", said)), said
    for said in ("a 64-bit program", "64 MiB of memory", "QEMU 7.2", "SDM 3A", "port 0x3f8"):
        assert not MEASURED.search(said), said
