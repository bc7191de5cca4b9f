"""A variant: a service half that lets no register of the program's through."""

from tollgate.marks import Marks, failed

ABOUT = {
    "place": 4,
    "title": "a variant of INT whose service routine sees no register of the program's",
    "minutes": 60,
    "points": 10,
    "arch": "amd64",
    "writes": (
        "kernel/entry/int_cleared.asm",
        "kernel/entry/entry.def",
        "kernel/entry/mechanism.def",
    ),
    "lessons": ("int", "points"),
}
ROW = "user/int/cleared"
MOST = 56


def grade(marks: Marks) -> None:
    marks.build(1)
    cost, wrong = marks.costs()
    took = cost.get(ROW, 0)
    if not marks.claim(2, took > 0, f"there is a row {ROW}", "the table has none"):
        took = 10**6
    contract = marks.boot("suite=contract,promises only=int/cleared")
    broken = "" if took == 10**6 else failed(contract)
    there = any(c["name"] == ROW for c in contract.checks)
    marks.claim(
        2,
        there and not broken,
        "a program finds registers and flags as they were",
        broken or "there is nothing to try",
    )
    seen = marks.registers_at("clean_user_int_cleared_entry.MP3", "suite=walk only=int/cleared")
    left = [f"{name} {value:#x}" for name, value in seen.items() if value and name != "sp"]
    marks.claim(
        3,
        bool(seen) and not [word for word in left if not word.startswith("ip ")],
        "at MP3 every register but rsp is 0",
        ", ".join(left) or "nobody comes by there",
    )
    marks.claim(1, took <= MOST, f"it takes {MOST} instructions or fewer", str(took))
    others = [row for row in wrong if row != ROW]
    marks.claim(1, not others, "no other row has changed", ", ".join(others[:3]))
