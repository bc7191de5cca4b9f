"""Find the leak: what comes back in a register that may be changed."""

from tollgate.marks import Marks, failed

ABOUT = {
    "place": 3,
    "title": "something of the kernel's comes out by a call gate: find it, and mend it",
    "minutes": 40,
    "points": 10,
    "arch": "amd64",
    "writes": ("kernel/entry/callgate.asm", "exercises/leak/answer.txt"),
    "lessons": ("callgate", "saves"),
}
ROW = "callgate/service"
COST = {"user": 13, "compat": 13, "trusted": 13}


def grade(marks: Marks) -> None:
    marks.build(1)
    remains = marks.boot("suite=remains")
    leaks = [c for c in remains.checks if not c["ok"] and not c["name"].startswith("trusted/")]
    told = "; ".join(f"{c['name']}: {c['detail']}" for c in leaks[:2])
    tried = {c["name"] for c in remains.checks}
    marks.claim(
        4,
        f"user/{ROW}" in tried and not leaks,
        "no row of rings other than 0 leaves an address of the kernel's in a register",
        told or failed(remains),
    )
    broken = failed(marks.boot(f"suite=contract,promises only={ROW}"))
    marks.claim(2, not broken, "callgate/service keeps its promises", broken)
    cost, wrong = marks.costs()
    longer = [f"{o}/{ROW}" for o, most in COST.items() if cost.get(f"{o}/{ROW}", 99) > most]
    others = [row for row in wrong if not row.endswith(ROW)]
    marks.claim(1, not longer + others, "no row is longer than it was", ", ".join(longer + others))
    answers = marks.answers()
    register, holds = answers.get("register", ""), answers.get("holds", "")
    marks.claim(1, register == "r11", "the answer names the register", f"it says {register!r}")
    marks.claim(1, holds == "stack", "and what is in it", f"it says {holds!r}")
