"""The red zone: which gates overwrite a trusted program's data, and the repair."""

import random
import re

from tollgate.machines.boot import ROOT
from tollgate.machines.outcome import Outcome
from tollgate.teach.claims import Marks, failed
from tollgate.teach.exercises import FOLDER, module

ABOUT = {
    "place": 9,
    "title": "three gates that write over the data of a program in ring 0: find and mend them",
    "minutes": 40,
    "points": 10,
    "writes": (
        "kernel/core/arch/amd64/descriptor.c",
        "user/trusted/zone.c",
        "exercises/redzone/answer.txt",
    ),
    "lessons": ("ist", "redzone"),
}


EACH = [vector for vector in range(0x34, 0x7F) if vector not in (0x40, 0x41)]
PUSHED = 40
"""Bytes of a gate's frame."""
GATES = "kernel/core/arch/amd64/descriptor.c"


def tried(marks: Marks) -> tuple[str, list[str]]:
    """The vectors that the student's program names, with gates as those of the start; and other
    ones: a program that knows its own vectors has tried none."""
    gates = ROOT / GATES
    mended = gates.read_bytes()
    gate = module(ROOT / FOLDER / "redzone" / "start.py")
    thirds = ((gate.FIRST, 0x3F), (0x42, 0x60), (0x61, gate.LAST))
    others = gate.of(*(random.randint(*third) for third in thirds))
    before, spared, after = re.split(r"(?s)(bool is_spared.*?\n}\n)", marks.begun(GATES))
    numbers = iter([others["square"], others["line"], others["constant"]])
    spared = re.sub(r"\b\d+\b", lambda _: str(next(numbers)), spared, count=3)
    gates.write_text(before + spared + after, encoding="utf-8")
    marks.build(0, says="both kernels build with the gates of the start")
    made = marks.boot("suite=zone")
    said = made.text
    gates.write_bytes(mended)
    found = dict(re.findall(r"\bINT ([0-9a-f]+): ([1-9]\d*) bytes", said))
    few = [vector for vector, bytes_ in found.items() if int(bytes_) <= PUSHED]
    marks.need(0, not few, "which finds more bytes than a gate pushes", ", ".join(few))
    named = [*found]
    named += re.findall(r"\bINT (40|41):", said)  # the APIC's
    each = sorted(int(vector, 16) for vector in re.findall(r"\bINT ([0-9a-f]+):", said))
    marks.need(0, each == EACH, "zone has a line for each vector", f"{len(each)} lines")
    whole = made.outcome is Outcome.PASS
    marks.need(0, whole, "and comes to its end", made.reason)
    return str(others["vectors"]), sorted({f"0x{vector}" for vector in named})


def grade(marks: Marks) -> None:
    before = dict(marks.armed(""))
    others, vectors = tried(marks)
    marks.build(1)
    marks.alone(
        GATES,
        r"static bool is_spared.*?\n}\n",
        r"if \(is_spared\(vector\)\)\s*return 0;",
        gone=True,
    )
    zone = (ROOT / "user/trusted/zone.c").read_text("utf-8", "replace")
    looks = re.findall(r"(?i)asm|sidt|\bidt|mmap|mprotect|system_call|NUMBER_|/proc|\(\*", zone)
    marks.need(0, not looks, "zone executes INT, and reads no table", ", ".join(looks))
    says = "where three others have been spared, zone names these, and no other"
    marks.claim(1, ", ".join(vectors) == others, says, ", ".join(vectors[:5]) or "none")
    form, like = r"0x[0-9a-f]+(, 0x[0-9a-f]+){2}", "three vectors, as 0x11, 0x22, 0x33"
    found = marks.answer(2, "vectors", str(marks.own["vectors"]), form, like)
    marks.need(0, found, "the gates have been found: then the repair is looked at")
    marks.answer(1, "bytes", PUSHED, r"\d+", "a number of bytes")
    now = dict(marks.armed(""))
    wrong = sorted(
        {
            f"{v:#x}"
            for row, gates in now.items()
            for v, gate in enumerate(gates)
            if gate != before[row][v]
        }
    )
    says = "in both rings the gate of every vector names the stack that it had"
    marks.claim(3, len(now) == len(before) and not wrong, says, ", ".join(wrong[:4]))
    again = failed(marks.boot(f"suite={marks.named('gates')}"))
    says = "and still has it after a program has given up its protection for a while"
    marks.need(0, not again, says, again)
    starved = failed(marks.boot("suite=starve samples=2 only=trusted/interrupt/"))
    marks.claim(1, not starved, "an interrupt without a stack is survived as before", starved)
    reset = marks.boot("suite=starve only=unprotected", resets=True).outcome is Outcome.RESET
    marks.need(0, reset, "without protection (toll_protect) such a program resets the machine")
    _, rows = marks.costs()
    marks.claim(1, not rows, "each row costs what it did before", ", ".join(sorted(rows)[:3]))
