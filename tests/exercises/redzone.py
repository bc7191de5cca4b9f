"""The model solution: every vector keeps its stack, and the answers."""

from tollgate.teach.edits import Edits
from tollgate.teach.exercises import Own

FILE = "kernel/core/arch/amd64/descriptor.c"
ANSWERS = "exercises/redzone/answer.txt"


def solve(edits: Edits, own: Own) -> None:
    text = edits.text(FILE)
    at, end = text.index("/* Nobody sends these"), text.index("static unsigned ist_of(")
    text = text[:at] + text[end:]
    edits.put(FILE, text.replace("        if (is_spared(vector))\n                return 0;\n", ""))
    edits.replace(ANSWERS, "\nvectors:", f"\nvectors: {own['vectors']}")
    edits.replace(ANSWERS, "\nbytes:", "\nbytes: 40")
