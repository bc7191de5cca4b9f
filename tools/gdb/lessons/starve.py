"""The lesson `starve`: a push in ring 0 without a stack, and the rescue."""

from lesson import Lesson
from vocabulary import machine, paging, why

ABOUT = {
    "place": (5, 5),
    "title": "starvation: a push in ring 0 where no stack is, and the rescue",
    "minutes": 15,
    "kernels": ("i386", "amd64"),
    "program": "/trusted/starve",
    "words": ("only=push/demand-zero",),
}


def walk(lesson: Lesson) -> None:
    """One push on a page that is not mapped yet."""
    amd64 = machine.arch() == "amd64"

    lesson.step(
        "A stack that is not there",
        "docs/trusted.md; user/suites/starve",
        """A program in ring 0 puts its stack pointer at the end of a page that it was promised
        and never touched. It pushes. In ring 3 that is an everyday page fault.""",
        "what is P, the lowest bit, of the entry for the page below the stack pointer?",
        hint="Does the kernel make a page when it promises it, or when it is first touched?",
    )
    lesson.run_to("sys_toll_chain")
    lesson.backtrace("sys_toll_chain", "main")
    lesson.run_to("starve_push")
    lesson.stepi()
    lesson.step_to("push")
    sp, here = machine.register("sp"), machine.register("ip")
    lesson.look("ring", "pages $sp-8")
    lesson.answer(int(paging.walk(sp - 8)[-1].present), "promised, not made.")
    lesson.check("CPL is 0", machine.register("cs") & 3, 0)

    lesson.step(
        "#PF, and its frame",
        'SDM 3A, "Double Fault Exception", "Interrupt Stack Table"',
        """The push faults: #PF. The processor wants to push the frame of that, and at CPL 0 it
        stays on the stack that it has. """
        + (
            "But the gate of #PF names an IST stack."
            if amd64
            else """That push faults as well: #PF while #PF is delivered is #DF. Its gate is a task
        gate."""
        ),
        "which vector's handler runs first? (#DF is 8, #PF 14)",
        hint="""Can the frame of #PF be pushed? `idt 14` says whether its gate brings a stack. If it
        brings none, the push of the frame faults, too.""",
    )
    lesson.run_to("vector_ist_14" if amd64 else "double_fault_task")
    last = why.taken()[-1]
    lesson.look("why", "stacks")
    lesson.answer(
        last.vector, "the IST stack took the frame." if amd64 else "in a task of its own."
    )
    lesson.check("CR2 is in the page", machine.register("cr2") < sp, True)
    if amd64:
        words = machine.read_words(machine.register("sp"), 6)
        lesson.check("the frame has the push", words[1], here)
        lesson.check("and the bad stack pointer", words[4], sp)
    else:
        lesson.check("tss_main has the push", machine.evaluate("tss_main.ip"), here)
        lesson.check("and the bad stack pointer", machine.evaluate("tss_main.sp"), sp)

    lesson.step(
        "Whose fault was it?",
        "kernel/core/trap/dispatch.c; kernel/core/arch/i386/registers.c",
        """The kernel asks the program's memory as for any page fault: is there an area, may it be
        written? There is: the page is made. """
        + ("" if amd64 else " The task makes a #PF of it, as if that had come."),
        "in whose half of the addresses does the code lie that has pushed?",
        ("program", "kernel"),
        hint="""The CPL is 0 for both. `ring` says where the instruction was.""",
    )
    lesson.run_to("memory_fault")
    lesson.answer("program", "a trusted program's code lies there: no mistake of the kernel's.")
    lesson.backtrace("memory_fault")

    lesson.step(
        "Resumed",
        "SDM 2A, IRET/IRETD/IRETQ",
        "Registers and stack pointer go back as they were, and the push is executed again.",
        "how many faults does the push take now?",
        hint="The kernel has made the page before it returns.",
    )
    machine.run_to(here)
    back = machine.register("sp")
    lesson.stepi()
    lesson.answer(0, "the page is there now.")
    lesson.check("the stack pointer was as before", back, sp)
    lesson.check("the push is done", machine.register("sp"), sp - machine.word())
    lesson.check("CPL is 0 still", machine.register("cs") & 3, 0)

    lesson.end(
        """The next lesson takes the protection away, and watches what happens.""",
        "`make bench SUITE=starve` counts such a push, in ring 0 and in ring 3.",
    )
