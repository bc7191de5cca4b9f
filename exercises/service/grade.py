"""A faster service half: shorter, and not by what it owes."""

from tollgate.teach.claims import Marks, failed

ABOUT = {
    "place": 2,
    "title": "a service half of a call gate that is too long: make it short",
    "minutes": 40,
    "points": 10,
    "arch": "amd64",
    "writes": ("kernel/core/entry/callgate.asm",),
    "lessons": ("callgate", "saves"),
}
ROW = "user/callgate/service"
POINT = "clean_user_callgate_service_entry.MP3"
STEPS = ((42, 2), (23, 3), (15, 2), (13, 2))
"""Instructions, and the points for no more."""
SHORT = {"bx", "cx", "dx", "si", "di", "bp"}


def grade(marks: Marks) -> None:
    marks.build(1)
    for program, says in (
        ("contract", "a caller finds registers, flags and segments as they were"),
        ("promises", "the service routine sees none of the program's flags"),
    ):
        wrong_now = failed(marks.boot(f"suite={program} only=callgate/service"))
        marks.need(0, not wrong_now, says, wrong_now)
    register, mark = str(marks.own["register"]), marks.own["mark"]
    short = register[1:] if register[1:] in SHORT else register
    found = marks.registers_at(POINT, "suite=walk").get(short)
    marks.need(
        0,
        found == mark,
        f"at MP3 {register} is {mark:#x}",
        "nobody comes by there" if found is None else f"it is {found:#x}",
    )
    cost, wrong = marks.costs()
    others = {row for row in wrong if not row.endswith("callgate/service")}
    marks.need(0, not others, "no other row has changed", ", ".join(sorted(others)[:3]))
    took = cost.get(ROW, 10**6)
    for most, points in STEPS:
        marks.claim(points, took <= most, f"{ROW} takes {most} instructions or fewer", str(took))
