"""The model solution: the thread's complete number, a loop, and the answers."""

from tollgate.teach.edits import Edits
from tollgate.teach.exercises import Own

FILE = "kernel/core/thread/posture.c"
ANSWERS = "exercises/posture/answer.txt"
LOOP = """\
        long said = parent;
        while (said == parent) {
                long child = child_beside(me);
                said = gate_call(half, NUMBER_getppid);
"""


def solve(edits: Edits, own: Own) -> None:
    text = edits.text(FILE)
    at, end = map(text.index, ("/* A short number for a thread", "static void posture_choose("))
    edits.put(FILE, (text[:at] + text[end:]).replace("short_number(thread->tid)", "thread->tid"))
    text = edits.text("user/checks/whose.c")
    at, end = text.index("        long child = child_beside"), text.index("        print(")
    text = text[:at] + LOOP + text[end:]
    wait = "        wait4(child, NULL, 0, NULL);\n"
    edits.put("user/checks/whose.c", text.replace(wait, f"{wait}        }}\n"))
    edits.replace(ANSWERS, "\ndistance:", f"\ndistance: {own['distance']}")
    edits.replace(ANSWERS, "\ncall:", "\ncall: getpid")
