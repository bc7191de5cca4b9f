"""Find the leak: kernel values that a call leaves in a register it may change."""

from tollgate.records.budgets import highest, load
from tollgate.teach.claims import ARCH, GATE_PAGES, OTHER, Marks, failed

ABOUT = {
    "place": 3,
    "title": "something of the kernel's comes out by a call gate: find it, and mend it",
    "minutes": 40,
    "points": 10,
    "writes": ("kernel/core/entry/callgate.asm", "exercises/leak/answer.txt"),
    "lessons": ("callgate", "saves"),
}
ROWS = [f"user/callgate/{variant}" for variant in ("standard", "nowork", "service")]
FORMS = {
    "row": ("standard|nowork|service", "`standard`, `nowork` or `service`"),
    "register": (r"r[a-z0-9]{1,2}", "a register of 64 bits, such as rdx"),
    "holds": ("stack|thread", "`stack` or `thread`"),
    "distance": (r"(0x[0-9a-f]+|\d+)", "a number of bytes, such as 0x48"),
}


LEAK = r"%if [^\n]*\n[^\n]*; for a tracer, one day\n[^\n]*\n%endif\n"

SELECTORS = 0x100
"""A call gate may leave a selector in a register: values below this."""


def grade(marks: Marks) -> None:
    marks.build(1)
    right = [
        marks.answer(1, word, marks.own[word], form, like) for word, (form, like) in FORMS.items()
    ]
    marks.need(0, all(right), "it has been found: then the repair is looked at")
    marks.alone("kernel/core/entry/callgate.asm", LEAK, gone=True)
    trips = marks.trips(*ROWS)
    leaks = [
        row
        for row, trip in trips.items()
        for name in trip.changed
        if SELECTORS <= trip.states[-1][name] < GATE_PAGES
    ]
    says = "no row of 64-bit programs leaves a kernel address, or a part, in a register"
    marks.need(3, len(trips) == len(ROWS) and not leaks, says, ", ".join(leaks))
    words = "suite=contract,promises only=/callgate/"
    broken = failed(marks.boot(words, ARCH)) or failed(marks.boot(words, OTHER))
    broken = broken or failed(marks.boot("suite=contract only=user/callgate/ parts=linux-zen2"))
    marks.claim(1, not broken, "the rows of call gates keep their promises", broken)
    _, wrong = marks.costs()
    budgets = load("toll", ARCH)
    longer = [row for row in ROWS if trips[row].took != highest(budgets[row])]
    but = ", ".join([*longer, *sorted(wrong)][:3])
    marks.claim(1, not wrong and not longer, "each row costs what it did before", but)
