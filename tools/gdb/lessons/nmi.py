"""The lesson `nmi`: a non-maskable interrupt at the worst place."""

from lesson import Lesson
from vocabulary import machine, tables, where

ABOUT = {
    "place": (3, 5),
    "title": "an NMI at the worst place there is",
    "minutes": 10,
    "kernels": ("i386", "amd64"),
    "program": "/bin/walk",
}
NMI = 2


def walk(lesson: Lesson) -> None:
    """An NMI on the first instruction of a fast entry, with the program's stack or half a frame."""
    numbers, amd64 = machine.constants(), machine.arch() == "amd64"
    way = "syscall" if amd64 else "sysenter"
    entry = f"clean_user_{way}_standard_entry"

    lesson.step(
        "The place",
        'SDM 3A, "Nonmaskable Interrupt (NMI)"',
        """IF holds interrupts off; an NMI asks nobody. The machine stands at the first
        instruction of """
        + (
            "SYSCALL's kernel half: ring 0, and RSP is whatever the program had in it."
            if amd64
            else """SYSENTER's kernel half: ring 0, and nothing of the program is saved yet."""
        ),
        "what brings the gate of vector 2 a stack of its own? (`idt 2`)",
        ("IST", "task", "none"),
        hint="`idt 2` decodes the gate. Look for IST, or for the word task.",
    )
    lesson.run_to(entry)
    lesson.look("ring", "idt 2", "stacks")
    lesson.answer(
        "IST" if tables.idt_gate(NMI).ist else "task",
        "IST 2." if amd64 else "a task, whose TSS says where its stack is.",
    )
    lesson.check("ring 0", machine.register("cs") & 3, 0)
    lesson.backtrace(entry, "main")
    if amd64:
        lesson.check(
            "on the program's stack", where.owner_of_stack(machine.register("sp")), "the program's"
        )

    lesson.step(
        "The NMI",
        'SDM 3A, "Interrupt Stack Table", "Task Switching"',
        "We press the button: QEMU's monitor has a command for it.",
        "how many of the 8 words below the stack pointer does the NMI change?",
        hint="Step 1 has shown whether the gate brings a stack of its own.",
    )
    before, sp = machine.general_registers(), machine.register("sp")
    here = machine.register("ip")
    memory = machine.read_words(sp - 64, 8)
    machine.monitor("nmi")
    lesson.run_to("vector_2" if amd64 else "nmi_task")
    lesson.answer(
        sum(a != b for a, b in zip(machine.read_words(sp - 64, 8), memory, strict=True)),
        "the gate brought another stack.",
    )
    lesson.look("stacks")
    if amd64:
        words = machine.read_words(machine.register("sp"), 5)
        lesson.check("the frame has the entry's IP", words[0], here)
        lesson.check("and the program's RSP", words[3], sp)
        top = int(tables.task_state()["ist"][numbers["IST_NMI"] - 1])
        lesson.check("five words below IST 2's end", machine.register("sp"), top - 40)
    else:
        lesson.check("tss_main has the entry's IP", machine.evaluate("tss_main.ip"), here)
        lesson.check("and its stack pointer", machine.evaluate("tss_main.sp"), sp)
        selector, _ = machine.task_register()
        lesson.check("TR names the NMI's task", selector, numbers["TSS_NMI_SELECTOR"])

    lesson.step(
        "Stay or move",
        "kernel/core/arch/*/vectors.asm",
        """While the handler runs no second NMI comes, until IRET. It counts, and looks whether it
        has come between STI and HLT; nothing else. """
        + (
            """From a program's code it would move to the process's stack; this came from the
            kernel, so it stays."""
            if amd64
            else "It stays in its task."
        ),
        "what will the kernel's count of NMIs, trap_nmis, be? (It is 0 before the first.)",
        hint="`p trap_nmis` prints the count as it is before this step.",
    )
    count = machine.evaluate("trap_nmis")
    machine.run_to(here)
    lesson.answer(machine.evaluate("trap_nmis"), "trap_nmis has been counted up.")
    lesson.check("by one", machine.evaluate("trap_nmis") - count, 1)

    lesson.step(
        "As if nothing had been",
        "SDM 2A, IRET/IRETD/IRETQ",
        "The entry goes on with its first instruction.",
        "by how much does the stack pointer differ from what it was before the NMI?",
        hint="The stack pointer was saved at the NMI: in the frame or in the TSS.",
    )
    lesson.answer(machine.register("sp") - sp, "IRET has put it back, from the frame or the TSS.")
    lesson.check("all registers", machine.general_registers(), before)
    lesson.check("the stack", machine.read_words(sp - 64, 8), memory)

    lesson.end(
        """Three vectors may come here: NMI, #DB and machine check. A kernel that gives them no
        stack of their own works until the first one.""",
        """give vector 2's gate IST 0 (kernel/core/arch/amd64/descriptor.c): no figure moves. Then
        take this lesson again.""",
    )
