"""The model solution: the thread's complete number, and the answers."""

from tollgate.teach.edits import Edits
from tollgate.teach.exercises import Own

FILE = "kernel/core/thread/posture.c"
ANSWERS = "exercises/posture/answer.txt"


def solve(edits: Edits, own: Own) -> None:
    text = edits.text(FILE)
    at, end = map(text.index, ("/* A short number for a thread", "static void posture_choose("))
    edits.put(FILE, (text[:at] + text[end:]).replace("short_number(thread->tid)", "thread->tid"))
    edits.replace(ANSWERS, "\ndistance:", f"\ndistance: {own['distance']}")
    edits.replace(ANSWERS, "\ncall:", "\ncall: getpid")
