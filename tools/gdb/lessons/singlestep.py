"""The lesson `singlestep`: TF set before a gate that keeps it."""

from lesson import Lesson
from vocabulary import machine

ABOUT = {
    "place": (3, 6),
    "title": "a program that single-steps across a gate",
    "minutes": 10,
    "kernels": ("i386", "amd64"),
    "program": "/bin/walk",
}
CALL = "clean_user_callgate_standard_call"
ENTRY = "clean_user_callgate_standard_entry"


def walk(lesson: Lesson) -> None:
    """A call gate, which keeps TF."""
    numbers, amd64 = machine.constants(), machine.arch() == "amd64"
    tf = numbers["RFLAGS_TF"]

    lesson.step(
        "TF",
        'SDM 3A, "Debug Exception"; SDM 3B, "Single-Step Exception Condition"',
        """With TF set the processor takes #DB behind every instruction: so debuggers step. An
        interrupt gate clears TF, so that the handler is not stepped. A call gate keeps it.""",
        "the program sets TF and calls through a call gate. In which ring does #DB come?",
        hint="#DB comes behind the CALL. Which ring has the CALL led to?",
    )
    lesson.run_to(CALL)
    behind = machine.behind()
    quiet = machine.register("flags")
    machine.set_register("flags", quiet | tf)
    steps = machine.evaluate("trap_single_steps")
    lesson.run_to("vector_1" if amd64 else "debug_task")
    if amd64:
        ip, cs = machine.read_words(machine.register("sp"), 2)
    else:
        ip, cs = machine.evaluate("tss_main.ip"), machine.evaluate("tss_main.cs")
    lesson.answer(cs & 3, "behind the CALL, and that is the kernel's first instruction.")
    lesson.look("why", "stacks")
    lesson.check("IP is the kernel half", ip, machine.symbol(ENTRY))

    lesson.step(
        "Where the frame is",
        "kernel/core/arch/amd64/descriptor.c; kernel/core/arch/i386/descriptor.c",
        """A #DB behind SYSCALL would find the program's stack, at CPL 0. So it has a stack of its
        own, as the NMI has: """
        + ("IST 3." if amd64 else "a task."),
        "what is TF in the handler's own flags?",
        hint="With TF set, the handler would itself be stepped at each instruction.",
    )
    lesson.answer(
        int(bool(machine.register("flags") & tf)),
        "a gate to an exception's handler clears TF; else it would step itself."
        if amd64
        else "the task's flags come from its TSS, and have no TF.",
    )
    lesson.check("TF is clear", machine.register("flags") & tf, 0)

    lesson.step(
        "Owed to the program",
        "kernel/core/trap/dispatch.c, step_owed()",
        """The step belongs to the program, not to the entry. The kernel takes TF off the saved
        flags and notes the step as work: the program will get its SIGTRAP on the way out.""",
        "how many times does #DB come before the entry is through?",
        hint="The kernel takes TF off the saved flags at the first #DB.",
    )
    machine.run_to(machine.symbol(ENTRY))
    lesson.answer(
        machine.evaluate("trap_single_steps") - steps, "once: TF was taken off the saved flags."
    )
    lesson.check("TF is off in the entry", machine.register("flags") & tf, 0)
    lesson.backtrace(ENTRY, "main")
    work = machine.evaluate("cpu_work")
    lesson.check("work is pending", work != 0, True)

    lesson.step(
        "On the way out",
        "kernel/core/entry/callgate.asm; kernel/unix/program/work.c",
        """The look at cpu_work finds it. We take the note away, for this program has no handler for
        SIGTRAP and would die of it.""",
        "how many signals would a row `nowork` have delivered here?",
        hint="A row `nowork` leaves out the look at cpu_work.",
    )
    machine.gdb.execute("set var cpu_work = 0")
    lesson.step_out(behind)
    lesson.answer(0, "it does not look: the signal waits for the next entry that does.")
    lesson.check("CPL is 3", machine.register("cs") & 3, 3)
    machine.set_register("flags", quiet)

    lesson.end(
        """A debugger that steps over a system call sees one step: this is how.""",
        """leave out the line of step_owed() in kernel/core/trap/dispatch.c that takes TF off the
        frame, and take this lesson again: count how often #DB comes before MP7.""",
    )
