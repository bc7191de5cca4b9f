"""A mechanism, added as docs/mechanism.md says; that page states its cost."""

import re
import tomllib

from tollgate.machines.boot import ROOT
from tollgate.records.budgets import figures
from tollgate.teach.claims import ARCH, COPIES, FLAGS_IF, OTHER, Marks, failed

ABOUT = {
    "place": 5,
    "title": "a mechanism of your own: INT through a trap gate, by docs/mechanism.md",
    "minutes": 75,
    "points": 10,
    "writes": (
        "kernel/core/entry/inttrap.asm",
        "kernel/core/entry/entry.def",
        "kernel/core/entry/mechanism.def",
        "kernel/core/entry/select.c",
        "exercises/mechanism/answer.txt",
    ),
    "lessons": ("int", "points", "bare"),
}
OPEN = 0xEF
"""A trap gate with DPL 3, present."""
FOUR = ("standard", "nowork", "service", "bare")
ANSWERS = {
    "instruction": ("cli", "[a-z]{2,8}", "one mnemonic, such as mov"),
    "stack": ("kernel", "program|kernel", "`program` or `kernel`"),
    "flag": ("if", "[a-z]{2,4}", "the short name of one flag, such as DF"),
}


def expected(arch: str) -> dict[str, list[int]]:
    """A kernel's budgets on the page: the first block is the mechanism's."""
    page = (ROOT / "docs" / "mechanism.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```diff tests/budgets.toml\n(.*?)^```$", page, re.M | re.S)
    found = {}
    for part in re.split(r"^@@\n", blocks[0], flags=re.M):
        origin = re.search(rf"\[toll\.{arch}\.(\w+)\]", part)
        lines = "".join(line[1:] for line in part.splitlines(keepends=True) if line[0] == "+")
        if origin:
            found |= {f"{origin[1]}/{row}": each for row, each in tomllib.loads(lines).items()}
    return found


SELECT = "kernel/core/entry/select.c"
COMPUTES = r"[!?+<=|^%~]|-(?!>)|\bif\b"
OWN = {
    "entry.def": r'ROW\(inttrap, *\w+, *"\w+", *VECTOR\(\w+\)\)',
    "mechanism.def": r'MECHANISM\(inttrap, *user compat, *arm_\w+, *"[^"]*"\)',
    "select.c": r"(?s)static void \w*inttrap\w*\(.*?\n}\n",
}
"""What a student adds to each file of kernel/core/entry."""


def grade(marks: Marks) -> None:
    marks.build(1)
    for name, text in OWN.items():
        marks.alone(f"kernel/core/entry/{name}", but=text)
    page = (ROOT / "docs" / "mechanism.md").read_text(encoding="utf-8")
    halves, *_, arms = re.findall(r"^```\w+ \S+\n(.*?)^```$", page, re.M | re.S)[:4]
    names = r"(?:VECTOR_)?inttrap_\w+|\w*inttrap\w*|WORK"
    marks.plain(marks.whole("kernel/core/entry/inttrap.asm"), halves, names)
    marks.uses(marks.whole(SELECT, OWN["select.c"]), arms, names, COMPUTES)
    result = marks.boot("suite=toll samples=10")
    toll = [r for r in result.results if r["suite"] == "toll"]
    cost = {r["id"]: figures(r) for r in toll}
    rows = expected(ARCH)
    assert len(rows) == 8, "docs/mechanism.md has other budgets"
    other = sorted(rows.keys() ^ {row for row in cost if "/inttrap/" in row})
    marks.need(1, not other, "its eight rows are there, and no others", ", ".join(other[:3]))
    stem = str(marks.own["label"])
    wrong = [
        f"{r['id']}: {r['label']}"
        for r in toll
        if r["id"] in rows and r["label"] != f"{stem}{FOUR.index(r['id'].split('/')[2]) + 1}"
    ]
    marks.need(1, not wrong, f"they are labelled {stem}1 to {stem}4", ", ".join(wrong))
    trips = marks.trips(*(f"user/inttrap/{variant}" for variant in FOUR))
    open_now = []
    for arch, flavour in ((ARCH, 0), (ARCH, 2), (OTHER, 0)):
        for row, gates in marks.armed(("user/inttrap/", "compat/inttrap/"), arch, flavour):
            if [gate >> 8 for gate in gates].count(OPEN) != 1:
                open_now.append(f"{arch} {row}")
    says = "interrupts are open at the first instruction of each kernel half: a trap gate"
    marks.need(0, len(trips) == len(FOUR) and not open_now, says, ", ".join(open_now))
    served = [*marks.served("/inttrap/").items(), *marks.served("/inttrap/", OTHER).items()]
    late = [
        row
        for row, states in served
        if "bare" not in row and [state["flags"] & FLAGS_IF for state in states] != [0, 0]
    ]
    calls = [f"user/inttrap/{variant}" for variant in FOUR if variant != "bare"]
    for copy in COPIES:
        for row, trip in marks.trips(*calls, copy=copy).items():
            if marks.at_service(trip.states, copy).get("flags", FLAGS_IF) & FLAGS_IF:
                late.append(f"{copy} {row}")
    marks.need(0, not late, "and shut in the service routine", ", ".join(late))
    other = [f"{row} {cost[row]}" for row in rows if cost[row] != rows[row]]
    other += [f"{row} {trip.took}" for row, trip in trips.items() if trip.took != rows[row][0]]
    result, rows = marks.boot("suite=toll samples=10", OTHER), expected(OTHER)
    cost = {r["id"]: figures(r) for r in result.results if r["id"] in rows}
    other += [f"{OTHER} {row} {cost.get(row)}" for row in rows if cost.get(row) != rows[row]]
    marks.claim(2, not other, "each costs what the page says, by sections", "; ".join(other[:3]))
    broken = ""
    contracts = ("contract,promises only=inttrap/", "contract only=inttrap/ samples=2")
    for words in (*contracts, marks.named("unchosen")):
        for arch in (ARCH, OTHER):
            broken = broken or failed(marks.boot(f"suite={words}", arch))
    broken = broken or failed(marks.boot(f"suite={marks.named('unchosen')}", OTHER, cpu="pentium"))
    marks.claim(1, not broken, "it keeps the promises of an entry", broken)
    broken = failed(marks.boot("suite=sweep only=inttrap/"))
    marks.claim(
        1, not broken, "an exception or interrupt may come at any of its instructions", broken
    )
    for word, (right, form, like) in ANSWERS.items():
        marks.answer(1, word, right, form, like)
