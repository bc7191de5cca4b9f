"""What the documents show of measurements is what the budgets say; `make docs` makes it anew.

A release does. A change that adds a row need not: these tests are long.
"""

from __future__ import annotations

import re

import pytest

from tollgate.addresses import section
from tollgate.boot import ROOT
from tollgate.budgets import highest, load

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


def judges_wrong(text: str) -> list[str]:
    """The rows of a text of docs/results.md with a cell that is not the budget, or `not here`."""
    found = section("judges", text)
    assert found
    head, _, *lines = (line.strip("|").split("|") for line in found[0].splitlines())
    assert [cell.strip() for cell in head][:4] == ["row", "QEMU", "Bochs", "v86"]
    cells = {row.strip(" `"): [cell.strip() for cell in each] for row, *each in lines}
    wanted = {row: str(highest(budget)) for row, budget in load("toll", "i386").items()}
    wanted |= {"control/empty": "0", "control/loop": "2001"}
    wrong = [row for row in cells if set(cells[row]) - {"not here"} != {wanted.get(row)}]
    return wrong + sorted(wanted.keys() - cells.keys())


@pytest.mark.long
def test_other_emulators_have_the_toll_of_the_budgets() -> None:
    """Each judge's cell is the budget, or says that the row is not there."""
    text = (DOCS / "results.md").read_text()
    assert judges_wrong(text) == [], "make foreign"
    assert len(re.findall(r"(?m)^\| .* not here .*\|$", text)) == 8


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
