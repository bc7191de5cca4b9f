"""A variant: a service half that hides all of the program's registers."""

from tollgate.teach.claims import Marks, failed, short

ABOUT = {
    "place": 4,
    "title": "a variant of INT whose service routine sees no register of the program's",
    "minutes": 60,
    "points": 10,
    "writes": (
        "kernel/core/entry/int_cleared.asm",
        "kernel/core/entry/entry.def",
        "kernel/core/entry/mechanism.def",
    ),
    "lessons": ("int", "points"),
}
HALVES = "kernel/core/entry/int_cleared.asm"
ROW = "user/int/cleared"
LINES = {
    "entry": r'ROW\(int, *cleared, *"int86", *VECTOR\(0x86\) *ONLY\(amd64/user\)\)',
    "mechanism": r"VARIANT\(cleared, *service\) *",
}
MOST = 56
INT_86 = b"\xcd\x86"


def grade(marks: Marks) -> None:
    marks.build(1)
    for name, line in LINES.items():
        marks.alone(f"kernel/core/entry/{name}.def", but=rf"(?m)^{line}$")
    rows, wrong = marks.costs()
    label = rows.get(ROW, {}).get("label", "")
    but = f"its label is {label}" if label else "the table has none"
    marks.need(2, label == "int86", f"there is a row {ROW}, int86", but)
    marks.plain(marks.whole(HALVES), known="CALL_SERVICE|INT_\\w+|(?:VECTOR_)?int_cleared\\w*")
    contract = marks.boot("suite=contract,promises only=int/cleared")
    broken = failed(contract) or failed(marks.boot("suite=contract only=int/cleared samples=2"))
    there = any(c["name"] == ROW for c in contract.checks)
    marks.need(
        2,
        there and not broken,
        "a program finds registers and flags as they were",
        broken or "there is nothing to try",
    )
    still = failed(marks.boot(f"suite={marks.named('open')}"))
    marks.need(0, not still, "and calls it while interrupts are on", still)
    register, mark = str(marks.own["register"]), int(marks.own["mark"])
    trip = marks.trip(ROW, numbers=True)
    seen = [marks.at_service(trip.states), marks.at_service(trip.again)]
    served = [*marks.served(ROW).values()]
    called = all(seen) and [len(states) for states in served] == [2, 2]
    changed = trip.changed
    left = [
        f"{name} is {value:#x}"
        for state in (*seen, *(state for states in served for state in states))
        for name, value in state.items()
        if name not in ("sp", "ip", "flags") and value != (mark if name == short(register) else 0)
    ]
    marks.need(0, trip.code.startswith(INT_86), "its user half begins with INT 86h")
    says = "the program's registers come back, whatever they were"
    marks.need(0, not changed, says, " ".join(changed))
    marks.need(
        3,
        called and not left,
        f"the service routine is called once; {register} is {mark:#x} there, and every other "
        "register but rsp is 0",
        ", ".join(left) or "it is not called once",
    )
    lost = marks.lost(ROW)
    marks.need(0, not lost, "gdb finds the way back to the program at each instruction", lost)
    marks.counted(trip, rows[ROW])
    says = f"from the program's CALL and back it is {MOST} instructions or fewer"
    marks.claim(1, trip.took <= MOST, says, str(trip.took))
    others = [row for row in wrong if row != ROW]
    marks.claim(1, not others, "no other row has changed", ", ".join(others[:3]))
