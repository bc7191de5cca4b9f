"""The lesson `twostacks`: two processes, one kernel stack each, and CR3."""

from lesson import Lesson
from vocabulary import machine, tables, where

ABOUT = {
    "place": (4, 1),
    "title": "two processes: one kernel stack each, another CR3, and one RET",
    "minutes": 12,
    "kernels": ("i386", "amd64"),
    "program": "/bin/pair",
}


def walk(lesson: Lesson) -> None:
    """The child reads from an empty pipe; the parent writes."""
    lesson.step(
        "Who runs",
        "kernel/core/thread/schedule.c, cpu_current",
        """There is one processor, and cpu_current says whose it is. The program has forked:
        parent and child have the same code at the same addresses, in page tables of their own.""",
        "how many kernel stacks do the two processes have?",
        hint="""One of them may sleep in the middle of a call while the other makes one. Where are
        both kept?""",
    )
    lesson.run_to("child")
    young = machine.evaluate("cpu_current->pid")
    stack, space = machine.evaluate("cpu_stack"), machine.register("cr3")
    lesson.look("ring", "stacks")
    lesson.answer(2, "each has its own: what a process does in the kernel stays there meanwhile.")
    lesson.check("the TSS has this one's", int(tables.task_state()["sp0"]), stack)
    lesson.backtrace("child", "main")

    lesson.step(
        "Asleep",
        "kernel/unix/file/pipe.c; kernel/core/thread/schedule.c",
        """The child reads from a pipe that is empty: it cannot go on. In the middle of its system
        call, on its kernel stack, schedule() looks for another.""",
        "where is the child's system call while the other process runs?",
        ("stack", "pipe", "finished"),
        hint="The pipe is empty, so the read has nothing to return.",
    )
    lesson.run_to("schedule")
    while machine.evaluate("cpu_current->pid") != young:
        lesson.run_to("schedule")
    lesson.answer("stack", "it stays open: its frame and its C frames are on its stack.")
    lesson.check("we are on the child's", where.on_stack(machine.register("sp"), stack), True)
    lesson.backtrace("schedule", "child", "main")

    lesson.step(
        "The switch",
        "kernel/core/thread/switch.h; kernel/core/arch/*/context.h",
        """processor_load() writes the other's stack into cpu_stack and the TSS, and its page
        tables into CR3. The kernel is mapped in both alike, so the next instruction is still
        there. Then the stack pointer is exchanged, and RET takes a return address from the other
        stack.""",
        "whose page tables will CR3 point to?",
        ("parent", "child"),
        hint="CR3 holds the page tables of one process, and there are two.",
    )
    while machine.evaluate("cpu_current->pid") == young:
        lesson.run_to("memory_fault", "work_do", "sys_write")
    other = machine.evaluate("cpu_stack")
    lesson.answer(
        "parent" if machine.register("cr3") != space else "child", "the parent's page tables."
    )
    lesson.check("another kernel stack", other != stack, True)
    lesson.check("in the TSS, too", int(tables.task_state()["sp0"]), other)
    lesson.check("we are on it", where.on_stack(machine.register("sp"), other), True)

    lesson.step(
        "Woken",
        "kernel/core/thread/schedule.c, wake()",
        """The parent writes a byte. The child becomes ready, and when the parent waits in its
        turn the child goes on: out of schedule(), out of its read.""",
        "on whose kernel stack does the child come back?",
        ("child", "parent"),
        hint="Its frames were left on the stack on which it went to sleep.",
    )
    while machine.evaluate("cpu_current->pid") != young:
        lesson.run_to("wake", "sys_toll_hand")
    lesson.answer(
        "child" if where.on_stack(machine.register("sp"), stack) else "parent",
        "where it had gone to sleep.",
    )
    lesson.check("CR3 is the child's", machine.register("cr3"), space)
    lesson.backtrace("sys_toll_hand", "child", "main")

    lesson.end(
        """A process that does not run is a kernel stack, and what the thread's structure keeps
        beside it. `make bench SUITE=switch` counts the way: a byte through two pipes and back.""",
        """leave fpu_save() and fpu_load() out of kernel/core/thread/switch.h: `make bench
        SUITE=switch` gets cheaper. Say whose numbers get mixed.""",
    )
