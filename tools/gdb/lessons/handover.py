"""The lesson `handover`: passing the processor and a word directly to a partner."""

from lesson import Lesson
from vocabulary import machine

ABOUT = {
    "place": (4, 2),
    "title": "the hand-over: the processor and a word, past the scheduler",
    "minutes": 10,
    "kernels": ("i386", "amd64"),
    "program": "/bin/pair",
}


def partner(field: str) -> int:
    """A field of the current thread's partner."""
    return machine.evaluate(f"cpu_current->handoff.partner->{field}")


def walk(lesson: Lesson) -> None:
    """toll_hand(other, 7) in the parent, for which the child waits."""
    lesson.step(
        "Two that know each other",
        "kernel/unix/process/handoff.c; kernel/toll.h",
        """A message through a pipe wakes the reader, who waits for his turn. toll_hand() names its
        partner: if he waits for exactly this, there is no turn to wait for.""",
        "the parent hands over 7. Where does the kernel put that?",
        ("thread", "pipe", "buffer"),
        hint="""toll_hand() passes one word to a partner who is waiting for it. What would a buffer
        keep?""",
    )
    lesson.run_to("sys_toll_hand")
    first = machine.evaluate("cpu_current->pid")
    lesson.answer("thread", "one word, into a field of the partner's thread.")
    lesson.backtrace("sys_toll_hand", "main")

    lesson.step(
        "The slow way, once",
        "kernel/unix/process/handoff.c, handoff_slowly()",
        """The first time the partner is looked up, and asked for its kin; if it is too early
        it sleeps. After that each names the other, and one waits.""",
        "how many partners wait for the first call's word?",
        hint="The child has only just been forked. Has it had a turn in which to wait?",
    )
    lesson.run_to("handoff_slowly")
    waits = machine.evaluate("cpu_current->handoff.takes")
    lesson.answer(int(waits != 0), "they have not met: handoff_slowly() is where they do.")
    lesson.check("this one takes nothing yet", waits, 0)

    lesson.step(
        "The fast way",
        "kernel/unix/process/handoff.c, handoff()",
        """Now the child answers with 8 while the parent waits. Five comparisons; the word is put
        into the partner; processor_save, processor_load, stack_switch. No list is touched.""",
        "what does the parent's toll_hand(other, 7) return?",
        hint="toll_hand() returns the word that the partner hands back. The story names it.",
    )
    while machine.evaluate("cpu_current->pid") == first:
        lesson.run_to("sys_toll_hand")
    while not partner("handoff.takes"):
        lesson.run_to("sys_toll_hand")
    child = machine.evaluate("cpu_current->pid")
    lesson.check(
        "the partner waits for this thread",
        partner("handoff.takes"),
        machine.evaluate("cpu_current"),
    )
    lesson.run_to("sys_kill")
    lesson.answer(8, "the word that came back.")
    lesson.check("the word is in its thread", machine.evaluate("cpu_current->handoff.word"), 8)
    lesson.check("the child runs no more", machine.evaluate("cpu_current->pid") != child, True)

    lesson.step(
        "What it saves",
        "tests/budgets.toml, [switch]",
        """`make bench SUITE=switch` has both: a byte through two pipes and back, and a word handed
        over and back.""",
        "a word is handed over and back. How many times is CR3 written?",
        hint="May parent and child have different memory at the same address?",
    )
    lesson.answer(
        2, "two processes have two page tables: once in each direction, whatever the way."
    )
    lesson.check("ring 0", machine.register("cs") & 3, 0)

    lesson.end(
        "Both rows do the same for the two programs: what is left out is the scheduler.",
        """let the two be threads of one process: no CR3 is written, and the figure shrinks by what
        that takes.""",
    )
