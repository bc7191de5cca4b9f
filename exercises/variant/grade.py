"""A variant: a service half that lets no register of the program's through."""

from tollgate.teach.claims import Marks, failed

ABOUT = {
    "place": 4,
    "title": "a variant of INT whose service routine sees no register of the program's",
    "minutes": 60,
    "points": 10,
    "arch": "amd64",
    "writes": (
        "kernel/core/entry/int_cleared.asm",
        "kernel/core/entry/entry.def",
        "kernel/core/entry/mechanism.def",
    ),
    "lessons": ("int", "points"),
}
ROW = "user/int/cleared"
MOST = 56


SHORT = {"bx", "cx", "dx", "si", "di", "bp"}


def grade(marks: Marks) -> None:
    marks.build(1)
    cost, wrong = marks.costs()
    took = cost.get(ROW, 0)
    marks.need(2, took > 0, f"there is a row {ROW}", "the table has none")
    contract = marks.boot("suite=contract,promises only=int/cleared")
    broken = failed(contract)
    there = any(c["name"] == ROW for c in contract.checks)
    marks.need(
        2,
        there and not broken,
        "a program finds registers and flags as they were",
        broken or "there is nothing to try",
    )
    register, mark = str(marks.own["register"]), int(marks.own["mark"])
    marked = register[1:] if register[1:] in SHORT else register
    seen = marks.registers_at("clean_user_int_cleared_entry.MP3", "suite=walk only=int/cleared")
    left = [
        f"{name} is {value:#x}"
        for name, value in seen.items()
        if name not in ("sp", "ip") and value != (mark if name == marked else 0)
    ]
    marks.claim(
        3,
        bool(seen) and not left,
        f"at MP3 {register} is {mark:#x}, and every other register but rsp is 0",
        ", ".join(left) or "nobody comes by there",
    )
    marks.claim(1, took <= MOST, f"it takes {MOST} instructions or fewer", str(took))
    others = [row for row in wrong if row != ROW]
    marks.claim(1, not others, "no other row has changed", ", ".join(others[:3]))
