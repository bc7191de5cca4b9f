"""Break the IST and starve: which stack was it that saved the machine?"""

import re

from tollgate.marks import Marks, failed

ABOUT = {
    "place": 6,
    "title": "take the IST stacks of #PF and #DF away, and starve",
    "minutes": 45,
    "points": 10,
    "arch": "amd64",
    "writes": ("kernel/arch/amd64/descriptor.c", "exercises/starve/answer.txt"),
    "lessons": ("ist", "starve", "triplefault"),
}
ANSWERS = {
    "first": "#df",
    "chain": "#pf -> #df -> triple fault",
    "interrupt": "ist_trap",
}
CHAIN = r"#PF\(2\) cr2=[0-9a-f]+ -> #DF\(0\) -> triple fault"


def grade(marks: Marks) -> None:
    marks.build(1)
    starved = marks.boot("suite=starve samples=1 only=trusted/push/unmapped", resets=True)
    marks.claim(
        3,
        re.fullmatch(CHAIN, starved.chain) is not None,
        "a push without a stack, in ring 0, is #PF, #DF and a triple fault",
        starved.chain or starved.reason,
    )
    interrupted = marks.boot("suite=starve samples=2 only=trusted/interrupt/demand-zero")
    broken = failed(interrupted)
    marks.claim(1, not broken, "an interrupt there comes through", broken)
    nmi = failed(marks.boot("suite=starve samples=2 only=trusted/nmi/unmapped"))
    marks.claim(1, not nmi, "and so does an NMI: the other stacks are where they were", nmi)
    ring3 = failed(marks.boot("suite=starve samples=2 only=user/"))
    marks.claim(1, not ring3, "ring 3 does not notice", ring3)
    answers = marks.answers()
    for word, right in ANSWERS.items():
        said = answers.get(word, "")
        marks.claim(1, said == right, f"the answer to `{word}` is right", f"it says {said!r}")
