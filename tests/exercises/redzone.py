"""The model solution: a program that tries all; every vector keeps its stack; the answers."""

from tollgate.teach.edits import Edits
from tollgate.teach.exercises import Own

FILE = "kernel/core/arch/amd64/descriptor.c"
EACH = "for (unsigned vector = 0x34; vector <= 0x7e; vector += vector == 0x3f ? 3 : 1)"
ANSWERS = "exercises/redzone/answer.txt"


def solve(edits: Edits, own: Own) -> None:
    text = edits.text(FILE)
    at, end = text.index("/* Nobody sends these"), text.index("static unsigned ist_of(")
    text = text[:at] + text[end:]
    edits.put(FILE, text.replace("        if (is_spared(vector))\n                return 0;\n", ""))
    first = "unsigned vector = 0x34;\n        print("
    edits.replace("user/trusted/zone.c", first, f"{EACH}\n                print(")
    edits.replace(ANSWERS, "\nvectors:", f"\nvectors: {own['vectors']}")
    edits.replace(ANSWERS, "\nbytes:", "\nbytes: 40")
