"""Save one register fewer: who keeps it for the program, and who misses it."""

from tollgate.marks import Marks, failed

ABOUT = {
    "place": 1,
    "title": "save one register fewer, and see which contract breaks",
    "minutes": 45,
    "points": 10,
    "arch": "amd64",
    "writes": ("kernel/entry/int.asm", "exercises/register/answer.txt"),
    "lessons": ("int", "saves"),
}
ROW = "user/int/nowork"
COST = 44
KEPT = {12: "rbx", 13: "rbp", 8: "r12", 9: "r13", 10: "r14", 11: "r15"}


def grade(marks: Marks) -> None:
    marks.build(1)
    cost, wrong = marks.costs()
    own = {f"{origin}/int/nowork" for origin in ("user", "compat", "trusted")}
    took = cost.get(ROW, 0)
    marks.claim(
        2, 0 < took < COST, f"{ROW} takes fewer than {COST} instructions", f"it takes {took}"
    )
    others = {row: said for row, said in wrong.items() if row not in own}
    marks.claim(1, not others, "no other row has changed", "; ".join(sorted(others)[:3]))
    contract = marks.boot("suite=contract only=user/int/nowork")
    checks = [c for c in contract.checks if c["name"] == ROW and "call 480" not in c["detail"]]
    broken = [c["detail"] for c in checks if not c["ok"]]
    marks.claim(
        2,
        bool(checks) and not broken,
        "a program finds its registers, flags and segments as they were",
        (broken or [failed(contract)])[0],
    )
    promises = marks.boot("suite=promises only=user/int/nowork")
    missed = [c["detail"] for c in promises.checks if c["name"] == ROW and not c["ok"]]
    marks.claim(
        1,
        any("registers f000 wrong" in said or "registers" in said for said in missed),
        "the frame lacks a register: a call that looks at its caller's finds another one's",
        "promises holds, so nothing has been left out" if not missed else missed[0],
    )
    answers = marks.answers()
    said = answers.get("breaks", "")
    marks.claim(
        2,
        len(said) > 10 and any(words.split(":")[0] == said.rstrip(":") for words in missed),
        "the answer names what promises says is wrong",
        f"it says {said!r}",
    )
    named = {word for word in answers.get("registers", "").replace(",", " ").split() if word}
    marks.claim(
        1,
        bool(named) and named <= set(KEPT.values()),
        "the registers that the answer names are those that a C function keeps",
        f"it names {', '.join(sorted(named)) or 'none'}",
    )
