"""A mechanism, as docs/mechanism.md adds it; what it costs, that page says."""

import re
import tomllib

from tollgate.machines.boot import ROOT
from tollgate.records.budgets import figures
from tollgate.teach.claims import Marks, failed

ABOUT = {
    "place": 5,
    "title": "a mechanism of your own: INT through a trap gate, by docs/mechanism.md",
    "minutes": 75,
    "points": 10,
    "arch": "amd64",
    "writes": (
        "kernel/core/entry/inttrap.asm",
        "kernel/core/entry/entry.def",
        "kernel/core/entry/mechanism.def",
        "kernel/core/entry/select.c",
        "exercises/mechanism/answer.txt",
    ),
    "lessons": ("int", "points", "bare"),
}
ANSWERS = {
    "instruction": ("cli", "[a-z]{2,8}", "one mnemonic, such as mov"),
    "stack": ("kernel", "program|kernel", "`program` or `kernel`"),
    "silicon": (
        "not testable here",
        "the same|not testable here",
        "`the same` or `not testable here`",
    ),
}


def expected() -> dict[str, list[int]]:
    """The budgets of the page: the first block of them is the mechanism's."""
    page = (ROOT / "docs" / "mechanism.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```diff tests/budgets.toml\n(.*?)^```$", page, re.M | re.S)
    found = {}
    for part in re.split(r"^@@\n", blocks[0], flags=re.M):
        origin = re.search(r"\[toll\.amd64\.(\w+)\]", part)
        lines = "".join(line[1:] for line in part.splitlines(keepends=True) if line[0] == "+")
        if origin:
            found |= {f"{origin[1]}/{row}": each for row, each in tomllib.loads(lines).items()}
    return found


def grade(marks: Marks) -> None:
    marks.build(1)
    result = marks.boot("suite=toll samples=10")
    toll = [r for r in result.results if r["suite"] == "toll"]
    cost = {r["id"]: figures(r) for r in toll}
    rows = expected()
    assert len(rows) == 8, "docs/mechanism.md has other budgets"
    missing = [row for row in rows if row not in cost]
    marks.need(1, not missing, "its eight rows are there", ", ".join(missing[:3]) + " are not")
    stem = str(marks.own["label"])
    wanted = {f"{stem}{n}" for n in range(1, 5)}
    labels = {r["label"] for r in toll if r["id"] in rows}
    marks.need(
        1, labels == wanted, f"they are labelled {stem}1 to {stem}4", ", ".join(sorted(labels))
    )
    other = [f"{row} {cost[row]}" for row in rows if cost[row] != rows[row]]
    marks.claim(2, not other, "each costs what the page says, by sections", "; ".join(other[:3]))
    broken = failed(marks.boot("suite=contract,promises only=inttrap/"))
    marks.claim(1, not broken, "it keeps the promises of an entry", broken)
    broken = failed(marks.boot("suite=sweep only=inttrap/"))
    marks.claim(
        1, not broken, "an exception or interrupt may come at any of its instructions", broken
    )
    for word, (right, form, like) in ANSWERS.items():
        marks.answer(1, word, right, form, like)
