"""The lesson `lost`: an interrupt whose frame cannot be pushed. i386."""

from lesson import Lesson
from vocabulary import machine, why

ABOUT = {
    "place": (5, 7),
    "title": "the lost interrupt: acknowledged, and its frame finds no place",
    "minutes": 10,
    "kernels": ("i386",),
    "program": "/trusted/starve",
    "words": ("only=lost",),
}


def walk(lesson: Lesson) -> None:
    """A timer interrupt on a bad stack, with the kernel's check of the 8259."""
    lesson.step(
        "An interrupt on a bad stack",
        "user/suites/starve/lost.c",
        """The program's stack pointer is bad; it enables interrupts and waits with HLT. The timer
        comes: the processor acknowledges it at the 8259, which marks it in service, and then
        pushes.""",
        "how many interrupts does the 8259 have in service when the push has faulted?",
        hint="The 8259 is a chip beside the processor. Who would tell it that a push has failed?",
    )
    lesson.run_to("sys_toll_protect")  # from here on there is no stack to return to
    lesson.backtrace("sys_toll_protect", "main")
    lesson.run_to("starve_interrupt")
    lost = machine.evaluate("trap_lost_interrupts")
    lesson.look("ring", "stacks")
    lesson.answer(1, "it is not told of the fault: it believes that the handler runs.")
    lesson.check("CPL is 0", machine.register("cs") & 3, 0)

    lesson.step(
        "#DF",
        'SDM 3A, "Double Fault Exception"',
        """The frame of the interrupt finds no place: #PF, whose frame finds none: #DF, a task. Of
        the timer's vector nothing is left in any register.""",
        "what was the last vector that the processor took?",
        hint="""The timer's frame finds no place: 14. Which vector follows when that fault's frame
        finds none either?""",
    )
    lesson.run_to("double_fault_task")
    lesson.look("why", "stacks")
    lesson.answer(why.taken()[-1].vector, "the timer's is nowhere.")
    lesson.check(
        "the kernel has not counted it yet", machine.evaluate("trap_lost_interrupts"), lost
    )

    lesson.step(
        "Asking the 8259",
        "kernel/core/machine/pic.c; kernel/core/arch/i386/registers.c",
        """Its in-service register knows: a bit is set for what was acknowledged and not yet
        finished. So the task looks there, and makes up for the interrupt.""",
        "how many lost interrupts does the kernel find this time?",
        hint="Count the interrupts that were acknowledged since HLT: only the timer runs.",
    )
    while machine.evaluate("trap_lost_interrupts") == lost:
        lesson.run_to("pic_interrupt", "starve_interrupt", "double_fault_task")
        if machine.evaluate("trap_lost_interrupts") == lost:
            lesson.check("still looking", machine.register("cs") & 3, 0)
    lesson.answer(machine.evaluate("trap_lost_interrupts") - lost, "the timer's.")
    lesson.check("counted", machine.evaluate("trap_lost_interrupts") - lost, 1)

    lesson.step(
        "Without the look",
        "user/suites/starve/lost.c, half protected",
        """The 8259 gives out nothing of the same or a lower priority while a bit is in service:
        without the end of interrupt no timer would ever come again.""",
        "how many of the 8259's other interrupts, all lower, would still come?",
        hint="""The timer's bit is still in service. What does the 8259 do with lower priorities
        meanwhile?""",
    )
    lesson.answer(0, "one lost interrupt, and every other is held back behind it.")
    lesson.check("ring 0", machine.register("cs") & 3, 0)

    lesson.end(
        "On amd64 the IST stacks leave nothing to lose.",
        """`make bench SUITE=starve` says for both levels of protection how many of n were lost,
        and how many found in service.""",
    )
