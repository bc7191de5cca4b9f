"""The lesson `preempt`: a tick between two instructions of a program, and the return."""

from lesson import INT_FRAME, Lesson
from vocabulary import machine, where

ABOUT = {
    "place": (4, 3),
    "title": "a tick between two instructions: another program, and the way back",
    "minutes": 12,
    "kernels": ("i386", "amd64"),
    "program": "/bin/spin",
}
TICKS = ("vector_32", "vector_65")
"""The timer's vectors: of the 8259, or of the local APIC."""


def who() -> int:
    return machine.evaluate("cpu_current->pid")


def frame() -> dict[str, int]:
    """The words that the gate pushed."""
    return dict(zip(INT_FRAME, machine.read_words(machine.register("sp"), 5), strict=True))


def walk(lesson: Lesson) -> None:
    """Two processes count, without system calls."""
    lesson.step(
        "Nobody asks",
        "user/lessons/spin.c",
        """Two processes execute one loop: add 1, compare, jump. Neither calls the kernel, and none
        of these instructions can fault. There is one processor.""",
        "what is IF while the loop runs? (bit 9 of the flags)",
        hint="Without it no interrupt could come, and the first program would run for ever.",
    )
    lesson.run_to("spin")
    lesson.answer(machine.register("flags") >> 9 & 1, "the kernel lets programs run with IF set.")
    lesson.check("ring 3", machine.register("cs") & 3, 3)
    lesson.backtrace("spin", "main")

    lesson.step(
        "The tick",
        'SDM 3A, "Maskable Hardware Interrupts", "Stack Switching"',
        """The timer interrupts behind some instruction of the loop: which one, nobody has planned.
        The gate is one as INT's, and brings the kernel stack from the TSS.""",
        "how many words has the gate pushed?",
        hint="As for INT: everything that IRET needs to go back to ring 3.",
    )
    lesson.run_to(*TICKS)
    first, top, before = who(), machine.evaluate("cpu_stack"), machine.general_registers()
    words = frame()
    lesson.look("ring", "stacks")
    lesson.answer((top - machine.register("sp")) // machine.word(), "SS, SP, the flags, CS and IP.")
    lesson.check("the saved CS is ring 3's", words["cs"] & 3, 3)
    lesson.check("IF is set in the saved flags", words["flags"] >> 9 & 1, 1)
    lesson.check("and clear now: a second tick waits", machine.register("flags") >> 9 & 1, 0)
    lesson.backtrace("spin", "main")

    lesson.step(
        "Whose turn",
        "kernel/core/thread/schedule.c, schedule_tick(); kernel/core/cpu/work.h",
        """A whole tick ends the turn. The handler does not switch: it only notes WORK_RESCHEDULE in
        the byte that every way out looks at, and there work_do() is called.""",
        "what is in cpu_work now?",
        hint="kernel/core/cpu/work.h has the bits.",
    )
    while lesson.run_to("work_do", *TICKS) != "work_do":  # that tick did not end the turn
        words, before = frame(), machine.general_registers()
    behind = machine.read_words(machine.register("sp"), 1)[0]  # where the way out continues
    lesson.answer(machine.evaluate("cpu_work"), "WORK_RESCHEDULE, and nothing else is to do.")
    lesson.check("still the same process", who(), first)
    lesson.check("on its kernel stack", where.on_stack(machine.register("sp"), top), True)

    lesson.step(
        "The other one",
        "kernel/core/thread/switch.h",
        """The scheduler takes the next that is ready: its CR3, its kernel stack, and IRET by the
        frame that lies there. It counts, until its own tick.""",
        "how many interrupted loops lie on kernel stacks at that tick?",
        hint="Each process has a kernel stack of its own, and a frame stays until its IRET.",
    )
    while who() == first:
        lesson.run_to(*TICKS)
    other = machine.evaluate("cpu_stack")
    lesson.look("ring", "stacks")
    lesson.answer(2, "one each: the first waits to be put back, the second has just come.")
    lesson.check("another kernel stack", other != top, True)

    lesson.step(
        "The way back",
        "SDM 2A, IRET/IRETD/IRETQ",
        """The first one's turn comes again. Its frame is where it was, so it goes on behind the
        instruction that the tick had followed.""",
        "how many general registers are others than at its tick?",
        hint="The entry saves them into the frame, and the way out loads them from it.",
    )
    while who() != first:
        machine.run_to(behind)
    lesson.step_to("iretq", "iret", "iretd")
    lesson.stepi()
    after = machine.general_registers()
    lesson.answer(
        sum(after[name] != value for name, value in before.items() if name != "sp"),
        "the program cannot tell that it has not run.",
    )
    lesson.check("the instruction", machine.register("ip"), words["ip"])
    lesson.check("the stack pointer", machine.register("sp"), words["sp"])
    lesson.check("the flags", machine.register("flags"), words["flags"])
    lesson.check("ring 3", machine.register("cs") & 3, 3)

    lesson.end(
        """A program that never asks is interrupted all the same: that is preemption. In the kernel
        itself this one does not switch at a tick, but where it looks for work.""",
        """let schedule_tick() in kernel/core/thread/schedule.c end a turn at every second tick
        only: take this lesson again, and count how often the loop is interrupted before it is
        another's.""",
    )
