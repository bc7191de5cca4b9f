"""Break the IST and starve: which stack saved the machine?"""

import re

from tollgate.teach.claims import CPU, Marks, failed

ABOUT = {
    "place": 6,
    "title": "take the IST stacks of #PF and #DF away, and starve",
    "minutes": 45,
    "points": 10,
    "writes": ("kernel/core/arch/amd64/descriptor.c", "exercises/starve/answer.txt"),
    "lessons": ("ist", "starve", "triplefault"),
}
ANSWERS = {
    "first": ("#df", "#[a-z]{2}", "an exception as the manuals write it, such as #GP"),
    "chain": (
        "#pf -> #df -> triple fault",
        "#[a-z]{2}( -> #[a-z]{2})* -> triple fault",
        "of the form #AA -> #BB -> triple fault",
    ),
    "interrupt": ("ist_trap", "ist_trap|ist_df|none", "`IST_TRAP`, `IST_DF` or `none`"),
}
CHAIN = r"#PF\(2\) cr2=[0-9a-f]+ -> #DF\(0\) -> triple fault"


GATES, PLACE = "kernel/core/arch/amd64/descriptor.c", r"static unsigned ist_of\(.*?\n}\n"
OTHER_MACHINE = {"cpu": "Skylake-Client", "memory": 1024}
PF, DF, IST = 14, 8, 7


def grade(marks: Marks) -> None:
    before = dict(marks.armed(""))
    marks.machine = OTHER_MACHINE
    there = dict(marks.armed("trusted/"))
    marks.machine = {"cpu": CPU}
    marks.build(1, {"HALF": 0})
    here = marks.alone(GATES, PLACE)
    marks.uses(here, re.findall(f"(?s){PLACE}", marks.begun(GATES))[0], r"VECTOR_\w+|IST_\w+")
    vectors = str(marks.own["vectors"])
    lost = {PF, DF, *(int(vector, 16) for vector in vectors.split(", "))}
    now = dict(marks.armed(""))
    trusted, others = set(), set()
    for row, gates in now.items():
        for v, (gate, was) in enumerate(zip(gates, before[row], strict=True)):
            if row.startswith("trusted/") and gate != (was & ~IST if v in lost else was):
                trusted.add(v)
            elif not row.startswith("trusted/") and gate != was and v not in lost:
                others.add(v)
    says = f"#PF, #DF and the vectors {vectors} have no stack, and all others have theirs"
    but = ", ".join(f"{v:#x}" for v in sorted(trusted)[:6])
    marks.need(2, len(now) == len(before) and not trusted, says, but)
    marks.machine = OTHER_MACHINE
    other = {
        v
        for row, gates in marks.armed("trusted/")
        for v, (gate, was) in enumerate(zip(gates, there[row], strict=True))
        if gate != (was & ~IST if v in lost else was)
    }
    but = ", ".join(f"{v:#x}" for v in sorted(other)[:6])
    marks.need(0, not other, "the same on another machine, with more memory", but)
    says = "the gates of ring 3 are as they were"
    marks.need(0, not others, says, ", ".join(f"{v:#x}" for v in sorted(others)[:6]))
    again = failed(marks.boot(f"suite={marks.named('gates')}"))
    says = "and still has it after a program has given up its protection for a while"
    marks.need(0, not again, says, again)
    starved = marks.boot("suite=starve samples=1 only=trusted/push/unmapped", resets=True)
    marks.claim(
        1,
        re.fullmatch(CHAIN, starved.chain) is not None,
        "a push without a stack, in ring 0, ends in a triple fault",
        starved.reason,
    )
    interrupted = marks.boot("suite=starve samples=2 only=trusted/interrupt/demand-zero")
    broken = failed(interrupted)
    marks.claim(1, not broken, "an interrupt there comes through", broken)
    nmi = failed(marks.boot("suite=starve samples=2 only=trusted/nmi/unmapped"))
    marks.claim(1, not nmi, "and so does an NMI", nmi)
    ring3 = failed(marks.boot("suite=starve samples=2 only=user/"))
    marks.claim(1, not ring3, "ring 3 does not notice", ring3)
    for word, (right, form, like) in ANSWERS.items():
        marks.answer(1, word, right, form, like)
