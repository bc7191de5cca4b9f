"""The model solution: removes the leaking lines."""

import re

from tollgate.teach.edits import Edits
from tollgate.teach.exercises import Own

FILE = "kernel/core/entry/callgate.asm"
ANSWERS = "exercises/leak/answer.txt"


def solve(edits: Edits, own: Own) -> None:
    leaking = re.compile(r"%if KERNEL_BITS.*\n.*; for a tracer.*\n.*\n%endif\n")
    text, count = leaking.subn("", edits.text(FILE))
    assert count == 1
    edits.put(FILE, text)
    for word in ("row", "register", "holds"):
        edits.replace(ANSWERS, f"\n{word}:\n", f"\n{word}: {own[word]}\n")
    edits.replace(ANSWERS, "\ndistance:\n", f"\ndistance: {own['distance']:#x}\n")
