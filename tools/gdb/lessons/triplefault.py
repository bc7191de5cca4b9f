"""The lesson `triplefault`: the same push without protection, and a machine that has shut down."""

from lesson import Lesson
from vocabulary import machine, tables, why

ABOUT = {
    "place": (5, 6),
    "title": "the triple fault: the same push, unprotected",
    "minutes": 10,
    "kernels": ("i386", "amd64"),
    "program": "/trusted/starve",
    "words": ("only=unprotected",),
}


def walk(lesson: Lesson) -> None:
    """Up to the shutdown; the machine's state is kept."""
    lesson.step(
        "Without a net",
        "user/suites/starve/protection.c; kernel/toll.h, toll_protect",
        """The program has asked the kernel to take the protection away: plain gates for every
        exception, no IST stack and no task. Now the push on a stack that is nowhere.""",
        "how many of the gates of #DF and #PF bring a stack? (`idt 8`, `idt 14`)",
        hint="""Look for IST, or for the word task.""",
    )
    lesson.run_to("sys_toll_protect")
    lesson.backtrace("sys_toll_protect", "main")
    lesson.run_to("starve_push")
    lesson.stepi()
    if machine.register("ip") >= machine.constants()["KERNEL_BASE"]:  # the page fault comes first
        lesson.run_to("starve_push")
        lesson.stepi()
    lesson.step_to("push")
    gates = [tables.idt_gate(vector) for vector in (8, 14)]
    lesson.look("ring", "idt 8", "idt 14")
    lesson.answer(
        sum(bool(g.ist) or g.kind == "task gate" for g in gates), "plain interrupt gates."
    )
    sp, here = machine.register("sp"), machine.register("ip")
    lesson.check("CPL is 0", machine.register("cs") & 3, 0)
    lesson.check("ring 0 pushes where SP points", sp - 8 < machine.constants()["USER_TOP"], True)

    lesson.step(
        "Three faults",
        'SDM 3A, "Double Fault Exception"',
        """The push: #PF. Its frame: another #PF, so #DF. Its frame: a third. The processor shuts
        down, and the board answers by a reset. Here the machine is held, so that we can look.""",
        "what was the last vector that the processor tried to deliver?",
        hint="The third fault has no vector of its own: it came while the frame of #DF was pushed.",
    )
    machine.resume("continue")
    chain = [taken.vector for taken in why.taken()][-2:]
    lesson.look("why")
    lesson.answer(chain[-1], "#DF: its frame found no place either.")
    lesson.check("#PF, then #DF", chain, [14, 8])

    lesson.step(
        "What is left",
        'SDM 3A, "Double Fault Exception", shutdown state',
        "Nothing was pushed, so nothing has changed but CR2: the registers are those of the push.",
        "what is IP? (It is the address of the push.)",
        hint="Nothing has been executed since the push. `p/x $pc` prints where the machine stands.",
    )
    lesson.answer(machine.register("ip"), "at the push: not one instruction more was executed.")
    lesson.check("IP is the push", machine.register("ip"), here)
    lesson.check("the stack pointer is the bad one", machine.register("sp"), sp)
    lesson.check("CR2 says which page", sp - 64 <= machine.register("cr2") < sp, True)

    lesson.step(
        "Whose fault",
        "docs/trusted.md",
        """A program in ring 3 cannot do that: a gate that raises privilege brings a good stack.
        In ring 0 the kernel has to see to it, by IST or by tasks, before a program runs.""",
        "how many instructions of the kernel's come between the push and the reset?",
        hint="To catch it, an instruction of the kernel's would have to be executed.",
    )
    lesson.answer(0, "so it cannot have caught it in software: not one was reached.")
    lesson.check("in words", why.taken()[-1].name, "#DF, double fault")

    lesson.end(
        """Outside the lesson the machine resets, and the next boot says so: `make bench
        SUITE=starve`.""",
        """toll_protect(1) protects #DF alone (user/suites/starve/protection.c asks for 0): the
        same push is then survived, by way of #DF.""",
    )
