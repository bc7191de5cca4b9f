"""Save fewer registers: which code preserves them for the program, and which code needs them."""

import re

from tollgate.machines.boot import ROOT
from tollgate.teach.claims import Marks, failed
from tollgate.teach.exercises import FOLDER, module

ABOUT = {
    "place": 1,
    "title": "save fewer registers, and see which contract breaks",
    "minutes": 45,
    "points": 10,
    "writes": ("kernel/core/entry/int.asm", "exercises/register/answer.txt"),
    "lessons": ("int", "saves"),
}
ROW = "user/int/nowork"
ROWS = [f"{origin}/int/nowork" for origin in ("user", "compat", "trusted")]
INT, MACROS = "kernel/core/entry/int.asm", "%macro SAVE_FEWER.*?RESTORE_FEWER.*?%endmacro\n"
TRIED = 12
"""Both copies of nowork's half and of standard's, for each origin."""
KEPT = ("rbx", "rbp", "r12", "r13", "r14", "r15")
BITS = {"rbx": 1, "rbp": 6} | {f"r{n}": n for n in range(8, 16)}


def grade(marks: Marks) -> None:
    names = module(ROOT / FOLDER / "register" / "start.py").names(marks.own)
    left = sum(1 << BITS[name] for name in names)
    marks.build(1, {"LEFT": f"{left}u", "MARK": f"{marks.own['mark']}u"})
    here = marks.alone(INT, MACROS)
    begun = re.findall(f"(?s){MACROS}", marks.begun(INT))[0]
    marks.plain(here, begun)
    result = marks.boot(f"suite={marks.named('fewer')}")
    for name, (points, says) in SAYS.items():
        checks = [c for c in result.checks if c["name"] == name]
        wrong = [c["detail"] for c in checks if not c["ok"]]
        but = (wrong or [failed(result)])[0]
        marks.need(points, len(checks) == TRIED and not wrong, says, but)
    gone = []
    for texts in marks.steps("/int/nowork").values():
        loaded = re.findall(r"(?m)^(?:pop|mov) +(\w+)(?:,QWORD PTR \[rsp.*)?$", "\n".join(texts))
        gone += [name for name in KEPT if name not in [*names, *loaded]]
        first = next((t for t in texts if t.startswith("push")), "")
        gone += ["the number"] * (first != "push rax")
    says = "the call's number and all that is not left out are saved, and loaded again"
    marks.need(0, not gone, says, ", ".join(gone))
    contract = marks.boot("suite=contract only=/int/nowork")
    checks = [c for c in contract.checks if c["name"] in ROWS and c["detail"][:5] != "call "]
    trip = marks.trip(ROW)
    broken = [c["detail"] for c in checks if not c["ok"]] + trip.changed
    marks.need(
        2,
        bool(checks) and not broken,
        "whatever a program has loaded, it finds registers, flags and segments as they were",
        (broken or [failed(contract)])[0],
    )
    costs, wrong_rows = marks.costs()
    marks.counted(trip, costs[ROW])
    most = int(marks.own["most"])
    says = f"from the program's CALL and back it is {most} instructions or fewer"
    marks.claim(2, trip.took <= most, says, f"{trip.took}")
    others = sorted(row for row in wrong_rows if row not in ROWS)
    marks.claim(1, not others, "no other row has changed", "; ".join(others[:3]))
    promises = marks.boot("suite=promises only=user/int/nowork")
    missed = [c["detail"] for c in promises.checks if c["name"] == ROW and not c["ok"]]
    flags = [detail for detail in missed if "AC" in detail]
    marks.need(0, not flags, "no flag of the program's comes in", "; ".join(flags))
    words = {detail.partition(":")[0].lower() for detail in missed}
    said = marks.answers().get("breaks", "").rstrip(":")
    right = said if said in words else ", ".join(sorted(words)) or "what it says of a frame"
    form, like = r"[a-z ]{8,}", "the words in front of the colon, as `promises` prints them"
    marks.answer(1, "breaks", right, form, like)


SAYS = {
    "program": (0, "a program finds its registers as they were"),
    "others": (0, "the frame holds all registers that are not left out"),
    "marks": (3, "in place of those that are left out the frame holds the mark"),
}
