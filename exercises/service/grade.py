"""A faster service half: shorter, and not by what it owes."""

from tollgate.marks import Marks, failed

ABOUT = {
    "place": 2,
    "title": "a service half of a call gate that is too long: make it short",
    "minutes": 40,
    "points": 10,
    "arch": "amd64",
    "writes": ("kernel/entry/callgate.asm",),
    "lessons": ("callgate", "saves"),
}
ROW = "user/callgate/service"
STEPS = ((40, 1), (20, 2), (12, 2), (10, 1))
"""Instructions, and the points for no more."""


def grade(marks: Marks) -> None:
    marks.build(1)
    cost, wrong = marks.costs()
    took = cost.get(ROW, 10**6)
    for most, points in STEPS:
        marks.claim(points, took <= most, f"{ROW} takes {most} instructions or fewer", str(took))
    others = {row for row in wrong if not row.endswith("callgate/service")}
    marks.claim(1, not others, "no other row has changed", ", ".join(sorted(others)[:3]))
    for program, says in (
        ("contract", "a caller finds registers, flags and segments as they were"),
        ("promises", "the service routine sees none of the program's flags"),
    ):
        wrong_now = failed(marks.boot(f"suite={program} only=callgate/service"))
        marks.claim(1, not wrong_now, says, wrong_now)
