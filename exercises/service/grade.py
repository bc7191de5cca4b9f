"""A faster service half: shorter, but still complete."""

import re

from tollgate.records.budgets import figures
from tollgate.teach.claims import ARCH, OTHER, Marks, failed, short

ABOUT = {
    "place": 2,
    "title": "a service half of a call gate that is too long: make it short",
    "minutes": 40,
    "points": 10,
    "writes": ("kernel/core/entry/callgate.asm",),
    "lessons": ("callgate", "saves"),
}
FILE = "kernel/core/entry/callgate.asm"
ROW = "user/callgate/service"
STEPS = ((42, 2), (23, 3), (15, 2), (13, 2))
"""Instructions, and the points for at most that many."""


def grade(marks: Marks) -> None:
    marks.build(1)
    half = r"KERNEL callgate_service_entry.*?\n\s*retfx\n"
    here = marks.alone(FILE, half)
    marks.plain(here, "".join(re.findall(f"(?s){half}", marks.begun(FILE))))
    for program, says in (
        ("contract", "a caller finds registers, flags and segments as they were"),
        ("promises", "the service routine sees none of the program's flags"),
    ):
        words = f"suite={program} only=callgate/service"
        two = [words, f"{words} samples=2"][: 1 + (program == "contract")]
        wrong_now = "".join(failed(marks.boot(w, arch)) for w in two for arch in (ARCH, OTHER))
        marks.need(0, not wrong_now, says, wrong_now)
    register, mark = str(marks.own["register"]), marks.own["mark"]
    trip = marks.trip(ROW)
    served = marks.served("/callgate/service")
    found = {
        row: [f"{state[short(register)]:#x}" for state in states] for row, states in served.items()
    }
    other = [
        f"{row}: {', '.join(each)}" for row, each in found.items() if each != [f"{mark:#x}"] * 2
    ]
    says = f"the service routine is called once by each copy of each row, with {register} {mark:#x}"
    marks.need(0, bool(found) and not other, says, "; ".join(other))
    flags = {f"{state['flags']:#x}" for states in served.values() for state in states} - {"0x2"}
    marks.need(0, not flags, "and without any flag", ", ".join(sorted(flags)))
    lost = trip.changed
    marks.need(0, not lost, "the program's registers come back, whatever they were", " ".join(lost))
    broken = failed(marks.boot("suite=sweep only=/callgate/service"))
    marks.need(0, not broken, "an exception may come at any of its instructions", broken)
    rows, wrong = marks.costs()
    marks.counted(trip, rows[ROW])
    each = {tuple(figures(rows[row])) for row in rows if row.endswith("callgate/service")}
    says = "programs of 32 bits and those in ring 0 have the same half"
    marks.need(0, len(each) == 1, says, "; ".join(f"{found[0]}" for found in sorted(each)))
    others = {row for row in wrong if row not in rows or not row.endswith("callgate/service")}
    marks.need(0, not others, "no other row has changed", ", ".join(sorted(others)[:3]))
    for most, points in STEPS:
        says = f"from the program's CALL and back it is {most} instructions or fewer"
        marks.claim(points, trip.took <= most, says, str(trip.took))
